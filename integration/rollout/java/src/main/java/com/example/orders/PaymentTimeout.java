package com.example.orders;

import org.springframework.stereotype.Component;

/** Cancels unpaid orders. */
@Component("paymentTimeout")
public class PaymentTimeout implements DelayHandler {
    private final Handled handled;

    public PaymentTimeout(Handled handled) {
        this.handled = handled;
    }

    @Override
    public void execute(Order order) {
        handled.add(QueueCode.ORDER_PAYMENT_TIMEOUT, order);
    }
}
