package duequeue.interop;

import duequeue.beans.Level;
import duequeue.beans.Point;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Messages that are no beans. */
final class Roots {
    private static final UUID ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    private Roots() {
    }

    static Object of(String name) {
        Object scalar = scalars().get(name);
        if (scalar != null) {
            return scalar;
        }
        return switch (name) {
            case "list" -> new ArrayList<>(common().values());
            case "map" -> new LinkedHashMap<>(common());
            case "linkedlist" -> new LinkedList<>(List.of(1L, "a"));
            case "aslist" -> Arrays.asList("a", 1L);
            case "listof" -> List.of("a", "b");
            case "mapof" -> Map.of("a", 1);
            case "setof" -> Set.of("a");
            case "hashset" -> new HashSet<>(List.of("a"));
            case "linkedhashset" -> new LinkedHashSet<>(List.of("z", 1L));
            case "enumset" -> EnumSet.of(Level.BASIC, Level.GOLD);
            case "treemap" -> new TreeMap<>(Map.of("b", 2L, "a", 1));
            case "longkeys" -> new HashMap<>(Map.of(5L, "x"));
            case "record" -> new Point(1, 2);
            case "records" -> new ArrayList<>(List.of(new Point(1, 2)));
            case "strings" -> new String[] {"a", null, "b"};
            case "longs" -> new long[] {1, 1L << 40};
            case "ints" -> new int[] {1, -1};
            case "boxedlongs" -> new Long[] {1L, 2L};
            case "objects" -> new Object[] {1, 2L, "a", null};
            case "repeats" -> new ArrayList<>(List.of("hello ".repeat(1000)));
            default -> throw new IllegalArgumentException("no root called " + name);
        };
    }

    /** Those that every codec writes. */
    private static Map<String, Object> common() {
        Map<String, Object> out = scalars();
        out.remove("huge");
        return out;
    }

    private static Map<String, Object> scalars() {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("text", "其他 \uD83D\uDE00 \"\\/<&>\u2028\u007f");
        out.put("empty", "");
        out.put("longtext", "0123456789".repeat(1000));
        out.put("true", true);
        out.put("int", 42);
        out.put("long", 42L);
        out.put("large", 1L << 40);
        out.put("short", (short) 2);
        out.put("byte", (byte) -1);
        out.put("float", 1.1f);
        out.put("double", -1.5);
        out.put("tiny", 1e-5);
        out.put("nan", Double.NaN);
        out.put("char", 'c');
        out.put("decimal", new BigDecimal("12.30"));
        out.put("thousand", new BigDecimal("1E+3"));
        out.put("huge", new BigInteger("123456789012345678901234567890"));
        out.put("negative", new BigInteger("-1"));
        out.put("date", new Date(1700000000123L));
        out.put("uuid", ID);
        out.put("enum", Level.SILVER);
        out.put("bytes", new byte[] {0, 1, -1});
        out.put("uri", URI.create("http://x/y"));
        out.put("locale", Locale.US);
        return out;
    }
}
