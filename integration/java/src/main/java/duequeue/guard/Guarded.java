package duequeue.guard;

import duequeue.beans.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;

/** Payloads of several shapes, of each shape several: what Java offers before Go does. */
public final class Guarded {
    private Guarded() {
    }

    /** Returns the payload "shape.number". */
    public static Object of(String name) {
        int dot = name.indexOf('.');
        int n = Integer.parseInt(name.substring(dot + 1));
        return switch (name.substring(0, dot)) {
            case "bean" -> Order.of(n);
            case "flat" -> Note.of(n);
            case "times" -> TimedOrder.of(n);
            case "text" -> "order " + n;
            case "long" -> (long) n;
            case "integer" -> n;
            case "date" -> new Date(1700000000000L + n * 1000L);
            case "enum" -> Level.values()[n % Level.values().length];
            case "map" -> {
                Map<String, Object> map = new HashMap<>();
                map.put("n", (long) n);
                map.put("text", "t" + n);
                yield map;
            }
            case "list" -> new ArrayList<Object>(Arrays.asList("t" + n, (long) n, n));
            default -> throw new IllegalArgumentException("no payload " + name);
        };
    }
}
