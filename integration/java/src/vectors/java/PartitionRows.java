import duequeue.partitions.PartitionedDelayedQueue;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Writes framework/internal/wire/testdata/partitions.tsv: names of partitions, and partitions of keys. */
public final class PartitionRows {
    private static final String[] CODES = {
        "ORDER_PAYMENT_TIMEOUT", "q", "orders:eu", "app.orders", "订单", "100% sure", "a{b}c", "{q}", "a}b", "x{}y{z}", "{{q}}", "a%7Bb%7Dc",
    };
    private static final int[] PARTITIONS = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 100, 255};
    private static final String[] KEYS = {
        "", "a", "b", "order-1", "order-2", "order-3", "order-1000000", "订单-7", "user:42:cart", "😀", "0", "1", "2", "3",
    };
    private static final int[] COUNTS = {1, 2, 3, 4, 8, 12, 32, 256};

    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String code : CODES) {
            for (int i : PARTITIONS) {
                out.print("name\t" + code + "\t" + i + "\t" + PartitionedDelayedQueue.name(code, i) + "\n");
            }
        }
        for (String key : KEYS) {
            for (int n : COUNTS) {
                out.print("key\t" + key + "\t" + n + "\t" + PartitionedDelayedQueue.partition(key, n) + "\n");
            }
        }
    }
}
