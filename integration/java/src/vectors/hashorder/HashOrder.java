import java.io.PrintStream;
import java.util.*;

/**
 * Writes hashorder.txt: random maps and sets of keys, one per line, in the order in which new HashMap()
 * iterates them after they were put in the order that CompareKeys (Go) defines.
 *
 *   javac -d /tmp/hashorder HashOrder.java && java -cp /tmp/hashorder HashOrder > hashorder.txt
 *
 * Line: kind TAB key,key,… with kind s (strings), i (Integer), l (Long), d (Double, as long bits), b (mixed Integer
 * and Long: i12 or l12).
 */
public final class HashOrder {
    private static final Random RANDOM = new Random(20240229);

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (int n = 0; n < 1000; n++) {
            int size = n < 60 ? n % 20 : n % 11 == 0 ? 100 + RANDOM.nextInt(300) : RANDOM.nextInt(50);
            switch (n % 10) {
                case 0: case 1: case 2: strings(out, size, n % 3); break;
                case 3: case 4: strings(out, size, 3); break;
                case 5: integers(out, size, 1); break;
                case 6: integers(out, size, 1 << (4 + RANDOM.nextInt(8))); break;
                case 7: longs(out, size); break;
                case 8: doubles(out, size); break;
                default: mixed(out, size); break;
            }
        }
        out.flush();
    }

    /** Strings in Go's order (code points), which differs from compareTo beyond the BMP. */
    private static void strings(PrintStream out, int size, int style) {
        TreeSet<String> keys = new TreeSet<>(HashOrder::compareCodePoints);
        int blocks = 1;
        while (1 << blocks < size + 1) blocks++;
        while (keys.size() < size) keys.add(string(style, blocks));
        Map<String, Integer> map = new HashMap<>();
        for (String k : keys) map.put(k, 1);
        StringJoiner line = new StringJoiner(",", "s\t", "\n");
        for (String k : map.keySet()) line.add(k);
        out.print(line);
    }

    private static String string(int style, int blocks) {
        StringBuilder b = new StringBuilder();
        if (style == 3) { // all of one hash code: "Aa" and "BB"
            for (int i = 0; i < blocks; i++) b.append(RANDOM.nextBoolean() ? "Aa" : "BB");
            return b.toString();
        }
        int length = style == 0 ? 3 + RANDOM.nextInt(12) : 2 + RANDOM.nextInt(4);
        for (int i = 0; i < length; i++) {
            switch (style) {
                case 0: b.append((char) ('a' + RANDOM.nextInt(26))); break;
                case 1: b.appendCodePoint(RANDOM.nextInt(4) == 0 ? 0x1f600 + RANDOM.nextInt(64) : 0xe000 + RANDOM.nextInt(0x1ff0)); break;
                default: b.append((char) (0x4e00 + RANDOM.nextInt(0x5000))); break;
            }
        }
        return b.toString();
    }

    private static int compareCodePoints(String a, String b) {
        return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }

    private static void integers(PrintStream out, int size, int step) {
        TreeSet<Integer> keys = new TreeSet<>();
        while (keys.size() < size) keys.add(step == 1 ? RANDOM.nextInt() >> RANDOM.nextInt(32) : (RANDOM.nextInt(4 * size) - size) * step);
        print(out, "i", keys);
    }

    private static void longs(PrintStream out, int size) {
        TreeSet<Long> keys = new TreeSet<>();
        while (keys.size() < size) {
            long half = RANDOM.nextInt(4 * size + 1);
            keys.add(RANDOM.nextInt(3) == 0 ? RANDOM.nextLong() : half << 32 | (half ^ 7) & 0xffffffffL); // one hash code: 7
        }
        print(out, "l", keys);
    }

    private static void doubles(PrintStream out, int size) {
        TreeSet<Double> keys = new TreeSet<>(List.of(-0.0, 0.0, Double.NaN));
        while (keys.size() < size) keys.add((double) RANDOM.nextInt(8 * size) * (RANDOM.nextBoolean() ? 1 : 0.125));
        Map<Double, Integer> map = new HashMap<>();
        for (Double k : keys) map.put(k, 1);
        StringJoiner line = new StringJoiner(",", "d\t", "\n");
        for (Double k : map.keySet()) line.add(Long.toString(Double.doubleToLongBits(k)));
        out.print(line);
    }

    private static void mixed(PrintStream out, int size) {
        TreeSet<Integer> ints = new TreeSet<>();
        TreeSet<Long> longs = new TreeSet<>();
        while (ints.size() + longs.size() < size) {
            int v = RANDOM.nextInt(size) << 6;
            if (RANDOM.nextBoolean()) ints.add(v); else longs.add((long) v);
        }
        Map<Object, Integer> map = new HashMap<>();
        for (Integer k : ints) map.put(k, 1);
        for (Long k : longs) map.put(k, 1);
        StringJoiner line = new StringJoiner(",", "b\t", "\n");
        for (Object k : map.keySet()) line.add((k instanceof Integer ? "i" : "l") + k);
        out.print(line);
    }

    private static <K> void print(PrintStream out, String kind, Collection<K> keys) {
        Map<K, Integer> map = new HashMap<>();
        for (K k : keys) map.put(k, 1);
        StringJoiner line = new StringJoiner(",", kind + "\t", "\n");
        for (K k : map.keySet()) line.add(k.toString());
        out.print(line);
    }
}
