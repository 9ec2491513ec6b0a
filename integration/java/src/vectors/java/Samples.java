import java.io.Serializable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Beans of the vectors of the older codecs, named as the vectors name them. */
final class Samples {
    private Samples() {
    }

    public enum Color { RED, GREEN, BLUE }

    public enum Op {
        ADD {
            @Override
            int f() {
                return 1;
            }
        };

        abstract int f();
    }

    public static class Base implements Serializable {
        private static final long serialVersionUID = 7;

        long id = 5;
        String name = "base";
    }

    public static class Order extends Base {
        private static final long serialVersionUID = 1;

        String orderId = "A-1";
        int qty = 3;
        BigDecimal price = new BigDecimal("12.34");
        Date at = new Date(1700000000000L);
        List<String> tags = new ArrayList<>(List.of("x", "y"));
        Map<String, Integer> attrs = new HashMap<>(Map.of("k", 1));
        Color color = Color.GREEN;
        boolean paid = true;
        Integer boxed = 42;
        int[] ints = {1, 2};
        char c = 'z';
        double d = 1.5;
        float f = 0.5f;
        short s = -2;
        byte b = 1;
        boolean big;
        Order next;
    }
}
