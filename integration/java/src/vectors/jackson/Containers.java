import demo.Types;
import demo.Types.Item;
import demo.Types.Status;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.Vector;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Lists, sets, maps and what holds one value. */
final class Containers {
    private Containers() {
    }

    static void addTo(Map<String, Callable<Object>> rows) {
        lists(rows);
        sets(rows);
        maps(rows);
        keys(rows);
    }

    private static void lists(Map<String, Callable<Object>> rows) {
        rows.put("ArrayList empty", ArrayList::new);
        rows.put("ArrayList<mixed>", () -> new ArrayList<>(Arrays.asList("a", 1, 2L, 3.5, true, null, new BigDecimal("1.1"), new Date(0),
            Status.NEW, Types.Grade.LOW, 'c', 1.5f, (short) 3, (byte) 4, BigInteger.valueOf(9), new byte[] {1}, new UUID(1, 2), Double.NaN,
            new Item(), new Types.Leaf())));
        rows.put("ArrayList nested", () -> new ArrayList<>(List.of(new ArrayList<>(List.of(new ArrayList<>(List.of(1L)))),
            new HashMap<>(Map.of("a", new ArrayList<>(List.of(2L)))))));
        rows.put("ArrayList of 20 Items", () -> {
            List<Item> l = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Item item = new Item();
                item.n = i;
                item.sku = "sku-" + i % 3;
                l.add(item);
            }
            return l;
        });
        rows.put("ArrayList of 100 ints", () -> {
            List<Integer> l = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                l.add(i * 1000003);
            }
            return l;
        });
        rows.put("Arrays.asList", () -> Arrays.asList("a"));
        rows.put("List.of", () -> List.of("a", "b"));
        rows.put("List.of 3", () -> List.of("a", "b", 3L));
        rows.put("List.of 0", List::of);
        rows.put("Collections.emptyList", Collections::emptyList);
        rows.put("singletonList", () -> Collections.singletonList("a"));
        rows.put("unmodifiableList", () -> Collections.unmodifiableList(new ArrayList<>(List.of("a"))));
        rows.put("synchronizedList", () -> Collections.synchronizedList(new ArrayList<>(List.of("a"))));
        rows.put("Stream.toList", () -> Stream.of("a").toList());
        rows.put("LinkedList", () -> new LinkedList<>(List.of("a")));
        rows.put("Vector", () -> new Vector<>(List.of("a", 2L)));
        rows.put("CopyOnWriteArrayList", () -> new CopyOnWriteArrayList<>(List.of(1L)));
        rows.put("subList", () -> new ArrayList<>(List.of("a", "b")).subList(0, 1));
        rows.put("ArrayDeque", () -> new ArrayDeque<>(List.of(1L, 2)));
        rows.put("PriorityQueue", () -> new PriorityQueue<>(List.of(2, 1)));
    }

    private static void sets(Map<String, Callable<Object>> rows) {
        rows.put("HashSet", () -> new HashSet<>(List.of("a")));
        rows.put("LinkedHashSet", () -> new LinkedHashSet<>(List.of(1L, 2L)));
        rows.put("TreeSet", () -> new TreeSet<>(List.of("b", "a")));
        rows.put("EnumSet", () -> EnumSet.of(Status.NEW));
        rows.put("EnumSet empty", () -> EnumSet.noneOf(Status.class));
        rows.put("Set.of", () -> Set.of("a"));
        rows.put("Collections.emptySet", Collections::emptySet);
        rows.put("singleton", () -> Collections.singleton(1L));
        rows.put("ConcurrentHashMap.newKeySet", () -> {
            Set<Object> s = ConcurrentHashMap.newKeySet();
            s.add("a");
            return s;
        });
    }

    private static void maps(Map<String, Callable<Object>> rows) {
        rows.put("HashMap", () -> {
            Map<String, Object> m = new HashMap<>();
            m.put("s", "x");
            m.put("i", 1);
            m.put("l", 2L);
            m.put("nul", null);
            m.put("list", new ArrayList<>(List.of(1L)));
            m.put("map", new HashMap<>(Map.of("q", 1)));
            return m;
        });
        rows.put("HashMap empty", HashMap::new);
        rows.put("LinkedHashMap", () -> {
            Map<String, Object> m = new LinkedHashMap<>();
            m.put("b", 1.5);
            m.put("a", new Date(0));
            m.put("", 1);
            m.put("\u00e9\ud83d\ude00\"", null);
            m.put("\u4e2d\ud83d\ude00\"\n", 2);
            return m;
        });
        rows.put("TreeMap", () -> new TreeMap<>(Map.of("b", 1, "a", 2)));
        rows.put("ConcurrentHashMap", () -> new ConcurrentHashMap<>(Map.of("a", 1)));
        rows.put("Hashtable", () -> new Hashtable<>(Map.of("a", 1L)));
        rows.put("Map.of", () -> Map.of("a", 1L));
        rows.put("Collections.emptyMap", Collections::emptyMap);
        rows.put("singletonMap", () -> Collections.singletonMap("a", 1L));
        rows.put("unmodifiableMap", () -> Collections.unmodifiableMap(new LinkedHashMap<>(Map.of("a", 1L))));
        rows.put("Properties", () -> {
            Properties p = new Properties();
            p.setProperty("a", "b");
            return p;
        });
        rows.put("Map.Entry", () -> new AbstractMap.SimpleEntry<>("k", 1L));
        rows.put("map with @class key", () -> new HashMap<>(Map.of("@class", "zzz")));
        rows.put("map with 70 keys", () -> {
            Map<String, Object> m = new LinkedHashMap<>();
            for (int i = 0; i < 70; i++) {
                m.put("key-" + i, i % 2 == 0 ? i : (Object) ("v" + i % 5));
            }
            return m;
        });
        rows.put("map with long keys", () -> {
            Map<String, Object> m = new LinkedHashMap<>();
            for (int n : new int[] {31, 32, 55, 56, 57, 63, 64, 65, 66, 255, 256, 300}) {
                m.put("k".repeat(n), n);
                m.put("\u00e9".repeat(n / 2), n);
            }
            return m;
        });
        rows.put("Optional", () -> Optional.of("x"));
        rows.put("Optional of Long", () -> Optional.of(5L));
        rows.put("Optional empty", Optional::empty);
        rows.put("OptionalInt", () -> OptionalInt.of(3));
    }

    private static void keys(Map<String, Callable<Object>> rows) {
        rows.put("HashMap<Long,..>", () -> new HashMap<>(Map.of(5L, "x")));
        rows.put("HashMap<Integer,..>", () -> new HashMap<>(Map.of(-5, "x")));
        rows.put("HashMap<Double,..>", () -> new HashMap<>(Map.of(1.5, "x")));
        rows.put("HashMap<Boolean,..>", () -> new HashMap<>(Map.of(true, "x")));
        rows.put("HashMap<Character,..>", () -> new HashMap<>(Map.of('c', "x")));
        rows.put("HashMap<BigDecimal,..>", () -> new HashMap<>(Map.of(new BigDecimal("1E+3"), "x")));
        rows.put("HashMap<Enum,..>", () -> new HashMap<>(Map.of(Status.NEW, "x")));
        rows.put("HashMap<Enum with toString,..>", () -> new HashMap<>(Map.of(Types.Grade.LOW, "x")));
        rows.put("HashMap<Date,..>", () -> new HashMap<>(Map.of(new Date(0), "x")));
        rows.put("HashMap<UUID,..>", () -> new HashMap<>(Map.of(new UUID(1, 2), "x")));
        rows.put("HashMap<Class,..>", () -> new HashMap<>(Map.of(String.class, "x")));
        rows.put("HashMap<byte[],..>", () -> new HashMap<>(Map.of(new byte[] {1, 2}, "x")));
        rows.put("EnumMap", () -> new EnumMap<>(Map.of(Status.NEW, "x")));
    }
}
