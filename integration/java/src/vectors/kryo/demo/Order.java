package demo;

import java.util.Date;
import java.util.List;

/** A bean of the vectors. */
public class Order {
    String orderId;
    long amountCents;
    Integer qty;
    Date createdAt;
    List<String> tags;

    public Order() {
    }

    public Order(String orderId, long amountCents, Integer qty, Date createdAt, List<String> tags) {
        this.orderId = orderId;
        this.amountCents = amountCents;
        this.qty = qty;
        this.createdAt = createdAt;
        this.tags = tags;
    }
}
