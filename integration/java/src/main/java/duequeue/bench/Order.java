package duequeue.bench;

import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Date;
import java.util.List;
import java.util.Objects;

/** The bean that benchmarks of every codec carry: ten fields of mixed types. */
public class Order implements Serializable {
    private static final long serialVersionUID = 1L;

    public String orderId;
    public String customer;
    public String remark;
    public long amountCents;
    public int quantity;
    public Integer discount;
    public boolean paid;
    public Date createdAt;
    public BigDecimal total;
    public List<String> tags;

    @Override
    public boolean equals(Object other) {
        return other instanceof Order o
            && Objects.equals(orderId, o.orderId) && Objects.equals(customer, o.customer) && Objects.equals(remark, o.remark)
            && amountCents == o.amountCents && quantity == o.quantity && Objects.equals(discount, o.discount) && paid == o.paid
            && Objects.equals(createdAt, o.createdAt) && Objects.equals(total, o.total) && Objects.equals(tags, o.tags);
    }

    @Override
    public int hashCode() {
        return Objects.hash(orderId, amountCents);
    }
}
