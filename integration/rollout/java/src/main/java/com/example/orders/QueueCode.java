package com.example.orders;

/** The queues, and the bean that handles each. */
public enum QueueCode {
    ORDER_PAYMENT_TIMEOUT("unpaid for 30 minutes: cancel", "paymentTimeout"),
    ORDER_COMMENT_DEFAULT("no review after 7 days: default praise", "commentDefault");

    private final String title;
    private final String bean;

    QueueCode(String title, String bean) {
        this.title = title;
        this.bean = bean;
    }

    public String title() {
        return title;
    }

    public String bean() {
        return bean;
    }
}
