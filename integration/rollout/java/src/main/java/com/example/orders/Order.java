package com.example.orders;

import java.io.Serializable;

/** What the queues hold. */
public class Order implements Serializable {
    private static final long serialVersionUID = 1;

    private long id;
    private String sku;
    private long dueAt;

    public Order() {}

    public Order(long id, String sku, long dueAt) {
        this.id = id;
        this.sku = sku;
        this.dueAt = dueAt;
    }

    public long getId() {
        return id;
    }

    public void setId(long id) {
        this.id = id;
    }

    public String getSku() {
        return sku;
    }

    public void setSku(String sku) {
        this.sku = sku;
    }

    /** Milliseconds since 1970, by the clock of who offered it. */
    public long getDueAt() {
        return dueAt;
    }

    public void setDueAt(long dueAt) {
        this.dueAt = dueAt;
    }
}
