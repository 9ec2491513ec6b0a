package duequeue.guard;

import duequeue.beans.Level;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A bean with what the mappers of services write in several forms. */
public class Order implements Serializable {
    private static final long serialVersionUID = 1;

    public String orderId;
    public Long userId;
    public long cents;
    public boolean paid;
    public BigDecimal amount;
    public Date createdAt;
    public Level level;
    public List<String> tags;
    public Map<String, Long> extra;

    /** Returns one of several, which differ in all their numbers. */
    static Order of(int n) {
        Order o = new Order();
        o.fill(n);
        return o;
    }

    void fill(int n) {
        orderId = "A-" + n;
        userId = (1L << 53) + n;
        cents = n;
        paid = n % 2 == 0;
        amount = new BigDecimal(n + ".50");
        createdAt = new Date(1700000000000L + n * 1000L);
        level = Level.SILVER;
        tags = new ArrayList<>(List.of("t" + n));
        extra = new HashMap<>(Map.of("n", (long) n));
    }
}
