import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** The values behind the labels of the vectors of River, java.io and FST. */
final class LegacyRows {
    private static final LocalDateTime AT = LocalDateTime.of(2024, 1, 2, 3, 4, 5);

    private final Map<String, Callable<Object>> rows;

    private LegacyRows(Map<String, Callable<Object>> rows) {
        this.rows = rows;
    }

    static void addTo(Map<String, Callable<Object>> rows) {
        LegacyRows l = new LegacyRows(rows);
        l.scalars();
        l.maps();
        l.collections();
        l.arrays();
        l.times();
        l.objects();
    }

    private void add(String label, Object value) {
        rows.put(label, () -> value);
    }

    private void scalars() {
        add("String fffffffff1", "fffffffff1");
        add("String empty", "");
        add("String utf8 h\\u00e9\\u4e2d\\ud83d\\ude00\\0\\u00ff", "h\u00e9\u4e2d\ud83d\ude00\0\u00ff");
        add("String256", "a".repeat(256));
        add("Long 42", 42L);
        add("Long -126", -126L);
        add("Long 1000", 1000L);
        add("Byte 7", (byte) 7);
        add("Double 1.5", 1.5);
        add("BigInteger 255", BigInteger.valueOf(255));
        add("BigInteger -255", BigInteger.valueOf(-255));
        add("UUID", new UUID(0x0123456789abcdefL, 0xfedcba9876543210L));
        add("Color.GREEN", Samples.Color.GREEN);
        add("Op.ADD", Samples.Op.ADD);
        add("TimeUnit.SECONDS", TimeUnit.SECONDS);
        add("Class String", String.class);
        add("Class ArrayList", ArrayList.class);
        add("sql.Date", new java.sql.Date(1700000000000L));
        add("Locale", Locale.US);
        BitSet bits = new BitSet();
        bits.set(0);
        bits.set(2);
        add("BitSet", bits);
        add("AtomicInteger", new AtomicInteger(5));
        add("AtomicLong", new AtomicLong(5));
    }

    private void maps() {
        Map<String, Object> order = new HashMap<>();
        order.put("orderId", "100");
        add("HashMap {orderId:100}", order);
        Map<String, Object> abc = new HashMap<>();
        abc.put("a", 1);
        abc.put("b", 2L);
        abc.put("c", null);
        add("HashMap {a:1,b:2L,c:null}", abc);
        Map<String, Object> linked = new LinkedHashMap<>();
        linked.put("orderId", "100");
        add("LinkedHashMap", linked);
        add("TreeMap", new TreeMap<>(order));
        Hashtable<String, Object> table = new Hashtable<>();
        table.put("orderId", "100");
        add("Hashtable", table);
        add("unmodifiableMap", Collections.unmodifiableMap(new HashMap<>(Map.of("k", 1))));
        add("HashMap key == field name literal", new HashMap<>(Map.of("loadFactor", 1)));
        Map<Object, Object> identity = new IdentityHashMap<>();
        identity.put("k", 1);
        add("IdentityHashMap", identity);
        add("Properties", new Properties());
        Samples3.MyMap mine = new Samples3.MyMap();
        mine.put("k", "v");
        add("MyMap", mine);
        add("Optional-like SimpleEntry", new AbstractMap.SimpleEntry<>("k", "v"));
    }

    private void collections() {
        add("ArrayList [1,\"a\"]", new ArrayList<>(Arrays.asList(1, "a")));
        add("ArrayList empty", new ArrayList<>());
        add("TreeSet [1]", new TreeSet<>(Set.of(1)));
        add("EnumSet", EnumSet.of(Samples.Color.RED, Samples.Color.BLUE));
        add("Set.of(1)", Set.of(1));
        add("emptyList", Collections.emptyList());
        add("singletonList(1)", Collections.singletonList(1));
        add("singleton", Collections.singleton(1));
        add("Arrays.asList String", Arrays.asList("a", "b"));
        add("stream toList", Stream.of(1, 2).toList());
        List<Object> cyclic = new ArrayList<>();
        cyclic.add(cyclic);
        add("cyclic ArrayList", cyclic);
        List<Object> many = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            many.add("s" + i);
        }
        many.add(many.get(0));
        many.add(many.get(299));
        add("MANY", many);
        add("COWSet", new CopyOnWriteArraySet<>(List.of(1)));
        Stack<Object> stack = new Stack<>();
        stack.push(1);
        add("Stack", stack);
        add("LinkedBlockingQueue", new LinkedBlockingQueue<>(List.of(1)));
        add("dblbrace list", Samples3.braces());
        add("MyList", new Samples2.MyList());
        Samples2.MyList one = new Samples2.MyList();
        one.add("e");
        add("MyList[e]", one);
        add("MyAd", new Samples3.MyAd());
        Samples3.MyLL linked = new Samples3.MyLL();
        linked.add("e");
        add("MyLL", linked);
    }

    private void arrays() {
        add("byte[3]", new byte[] {1, 2, 3});
        add("int[2]", new int[] {1, -1});
        add("boolean[10]", new boolean[] {true, false, true, true, false, false, false, false, true, true});
        add("char[2]", new char[] {'a', '中'});
        add("double[1]", new double[] {1.5});
        add("float[1]", new float[] {1.5f});
        add("short[1]", new short[] {300});
        add("bytes2000", new byte[2000]);
    }

    private void times() {
        add("LocalDateTime midnight", AT.toLocalDate().atStartOfDay());
        add("LocalTime 3h", LocalTime.of(3, 0));
        add("Instant", Instant.ofEpochSecond(1700000000L, 5));
        add("ZonedDateTime", ZonedDateTime.of(AT, ZoneId.of("Asia/Shanghai")));
        add("OffsetDateTime", OffsetDateTime.of(AT, ZoneOffset.ofHours(8)));
        add("ZoneOffset +5:37", ZoneOffset.ofTotalSeconds(5 * 3600 + 37 * 60 + 1));
        add("ZoneId", ZoneId.of("Asia/Shanghai"));
        add("MonthDay", MonthDay.of(1, 2));
        add("DayOfWeek", DayOfWeek.MONDAY);
    }

    private void objects() {
        add("Order", new Samples.Order());
        add("NoDef", new Samples2.NoDef());
        add("Ext big", new Samples2.BigExt());
    }
}
