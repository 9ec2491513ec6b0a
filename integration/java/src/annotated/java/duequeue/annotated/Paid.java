package duequeue.annotated;

import java.util.Objects;

/** An event, named by @JsonSubTypes. */
public class Paid implements Event {
    public String orderId;
    public Long cents;

    @Override
    public boolean equals(Object other) {
        return other instanceof Paid && Objects.equals(orderId, ((Paid) other).orderId) && Objects.equals(cents, ((Paid) other).cents);
    }

    @Override
    public int hashCode() {
        return getClass().hashCode();
    }
}
