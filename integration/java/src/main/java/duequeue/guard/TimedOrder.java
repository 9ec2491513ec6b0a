package duequeue.guard;

import java.time.LocalDate;
import java.time.LocalDateTime;

/** An order with java.time, which a mapper writes with its module alone. */
public class TimedOrder extends Order {
    private static final long serialVersionUID = 1;

    public LocalDateTime dueAt;
    public LocalDate day;

    /** Returns one of several. */
    static TimedOrder of(int n) {
        TimedOrder o = new TimedOrder();
        o.fill(n);
        o.dueAt = LocalDateTime.of(2024, 2, 29, 23, 59, n);
        o.day = LocalDate.of(2024, 2, n + 1);
        return o;
    }
}
