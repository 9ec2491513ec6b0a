package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonTypeName;
import java.util.Objects;

/** An event, named by itself. */
@JsonTypeName("order.expired")
public class Expired implements Event {
    public String orderId;
    public Event cause;

    @Override
    public boolean equals(Object other) {
        return other instanceof Expired && Objects.equals(orderId, ((Expired) other).orderId) && Objects.equals(cause, ((Expired) other).cause);
    }

    @Override
    public int hashCode() {
        return getClass().hashCode();
    }
}
