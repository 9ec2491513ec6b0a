import demo.B;
import demo.Order;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The values behind the labels of the Kryo 5 vectors. */
final class KryoRows {
    private static final ZoneId SHANGHAI = ZoneId.of("Asia/Shanghai");

    private final Map<String, Callable<Object>> rows;

    private KryoRows(Map<String, Callable<Object>> rows) {
        this.rows = rows;
    }

    static void addTo(Map<String, Callable<Object>> rows, Object anonymous) {
        KryoRows k = new KryoRows(rows);
        k.texts();
        k.numbers();
        k.arrays();
        k.enums();
        k.collections();
        k.maps();
        k.wrappers();
        k.jdk();
        k.times();
        k.beans();
        k.add("anon", anonymous);
        k.sizes();
        k.graphs();
    }

    private void add(String label, Object value) {
        rows.put(label, () -> value);
    }

    private void texts() {
        for (String s : new String[] {"demo", "é", "ab", "aé", "\uD83D\uDE00"}) {
            add("String:" + s, s);
        }
        add("String:\u0080", "\u0080");
        add("String:x*32", "x".repeat(32));
        add("String:x*33", "x".repeat(33));
        add("String:x*63", "x".repeat(63));
        add("String:é*63", "é".repeat(63));
        add("lone surrogate", "a\uD83D");
        add("BOM etc", "\uFEFF\uFFFF");
    }

    private void numbers() {
        for (int i : new int[] {-1, 63, -65}) {
            add("Integer:" + i, i);
        }
        for (long l : new long[] {0, -1, 2147483648L, Long.MAX_VALUE}) {
            add("Long:" + l, l);
        }
        add("Boolean", true);
        add("Byte", (byte) -2);
        add("Short", (short) -3);
        add("Float", 1.5f);
        add("Double", 2.5);
        add("NaN", Double.NaN);
        add("fNaN", Float.NaN);
        add("BigInteger", BigInteger.valueOf(300));
        add("BigInteger0", BigInteger.ZERO);
        add("BigInteger-1", BigInteger.valueOf(-1));
        add("BigDecimal -128.5", new BigDecimal("-128.5"));
        add("BigDecimal 1E+3", new BigDecimal("1E+3"));
        add("BigDecimal LongMax", BigDecimal.valueOf(Long.MAX_VALUE, 2));
        add("BigDecimal 2^63", new BigDecimal(BigInteger.ONE.shiftLeft(63)));
    }

    private void arrays() {
        add("short[]", new short[] {1, -1});
        add("int[]", new int[] {1, -1, 300});
        add("long[]", new long[] {1, -1});
        add("float[]", new float[] {1.5f});
        add("String[]", new String[] {"ab", null, ""});
        add("Object[]", new Object[] {1, "ab", null});
        add("Inner[]", new B.Inner[] {new B.Inner(1), null});
        add("FinalInner[]", new B.FinalInner[] {new B.FinalInner(1), null});
    }

    private void enums() {
        add("enumBody", B.Op.SUB);
        add("EnumSet", EnumSet.of(B.Color.RED, B.Color.BLUE));
        add("EnumSetEmpty", EnumSet.noneOf(B.Color.class));
        add("list enumBody", list(B.Op.ADD, B.Op.SUB));
        add("DayOfWeek", DayOfWeek.MONDAY);
        add("TimeUnit", TimeUnit.SECONDS);
    }

    private void collections() {
        add("emptyList", Collections.emptyList());
        add("singletonList", Collections.singletonList("ab"));
        add("singleton", Collections.singleton("ab"));
        add("ArrayList empty", list());
        add("ArrayList strs+null", list("ab", null));
        add("ArrayList ints+null", list(1, null));
        add("ArrayList mixed", list(1, "ab", null, 2L));
        add("ArrayList nulls", list(null, null));
        add("TreeSet", new TreeSet<>(List.of("ab")));
        add("PriorityQueue", new PriorityQueue<>(List.of(1, 2)));
        add("ArrayDeque", new ArrayDeque<>(List.of(2, 1)));
        add("COWAL", new CopyOnWriteArrayList<>(List.of(2)));
        add("CSLS", new ConcurrentSkipListSet<>(List.of(2)));
        add("AL subclass", new B.AL());
        add("Arrays.asList ints", Arrays.asList(1, 2));
        add("List.of()", List.of());
        add("List.of(3)", List.of(1, 2, 3));
        add("Set.of(1)", Set.of(1));
        add("stream toList", Stream.of(1, 2, 3).toList());
        add("stream toList null", Stream.of(1, null).toList());
        Set<Object> fromMap = Collections.newSetFromMap(new HashMap<>());
        fromMap.add("ab");
        add("SetFromMap", fromMap);
        add("HashMap.values", new HashMap<>(Map.of("ab", 1)).values());
        add("subList", list(1, 2, 3).subList(0, 2));
    }

    private void maps() {
        add("Map.of()", Map.of());
        add("Map.of(1)", Map.of("ab", 1));
        Map<Object, Object> linked = new LinkedHashMap<>();
        linked.put(null, null);
        linked.put("k1", Arrays.asList(1));
        add("LinkedHashMap null", linked);
        add("TreeMap", new TreeMap<>(Map.of("ab", 1)));
        add("TreeMap rev", new TreeMap<>(Collections.reverseOrder()));
        add("Hashtable", new Hashtable<>(Map.of("ab", 1)));
        Properties properties = new Properties();
        properties.put("ab", "cd");
        add("Properties", properties);
        add("IdentityHashMap", new IdentityHashMap<>(Map.of("ab", 1)));
    }

    private void wrappers() {
        add("unmodList", Collections.unmodifiableList(list("ab")));
        add("unmodMap", Collections.unmodifiableMap(new HashMap<>(Map.of("ab", 1))));
        List<Object> ab = Collections.unmodifiableList(list("ab"));
        add("list of 2 unmod", list(ab, Collections.unmodifiableList(list("cd")), ab));
        List<Object> again = Collections.unmodifiableList(list("ab"));
        add("list unmod mixed", list(again, Collections.unmodifiableSet(new HashSet<>(Set.of("cd"))), again, 1));
    }

    private void jdk() {
        add("Class String", String.class);
        add("Class ArrayList", ArrayList.class);
        add("sql.Date", new java.sql.Date(1700000000123L));
        add("sql.Time", new java.sql.Time(1700000000123L));
        add("TimeZone", TimeZone.getTimeZone("Asia/Shanghai"));
        add("Locale", Locale.CHINA);
        add("Locale en", Locale.ENGLISH);
        add("Locale ROOT", Locale.ROOT);
        add("Locale zh-Hans", Locale.forLanguageTag("zh-Hans-CN"));
        add("Charset", StandardCharsets.UTF_8);
        add("UUID", UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"));
        add("Pattern", Pattern.compile("a+b", Pattern.CASE_INSENSITIVE));
        BitSet bits = new BitSet();
        bits.set(0);
        bits.set(2);
        bits.set(64);
        add("BitSet", bits);
        add("BitSet empty", new BitSet());
        add("AtomicBoolean", new AtomicBoolean(true));
        add("AtomicInteger", new AtomicInteger(-2));
        add("AtomicLong", new AtomicLong(-2));
        add("AtomicReference", new AtomicReference<>("ab"));
        add("Optional", Optional.of("ab"));
        add("OptionalInt empty", OptionalInt.empty());
        add("OptionalLong", OptionalLong.of(-2));
        add("Object", new Object());
        add("Throwable", new B.Thr("boom"));
        rows.put("InetAddress", () -> InetAddress.getByAddress("h", new byte[] {127, 0, 0, 1}));
        add("File", new java.io.File("/tmp/x"));
        add("CompletableFuture", CompletableFuture.completedFuture("ab"));
        add("Path", java.nio.file.Path.of("/tmp/x"));
    }

    private void times() {
        add("Duration neg", Duration.ofMillis(-1));
        add("Instant", Instant.ofEpochMilli(1700000000123L));
        add("LocalDate neg", LocalDate.of(-1, 2, 3));
        add("LocalTime 09:30:15", LocalTime.of(9, 30, 15));
        add("LocalTime 00:00", LocalTime.MIDNIGHT);
        add("ZoneOffset odd", ZoneOffset.ofTotalSeconds(1));
        add("ZoneOffset-3", ZoneOffset.ofHours(-3));
        add("ZoneId", SHANGHAI);
        LocalDateTime at = LocalDateTime.of(2024, 2, 29, 9, 0);
        add("OffsetDateTime", OffsetDateTime.of(at, ZoneOffset.ofHours(8)));
        add("ZonedDateTime", ZonedDateTime.of(at, SHANGHAI));
        add("MonthDay", MonthDay.of(2, 29));
    }

    private void beans() {
        add("Order nulls", new Order());
        add("Order", new Order("A100", 12345, 2, new Date(1700000000123L), new ArrayList<>(List.of("vip", "new"))));
        add("Types", new B.Types());
        add("Box", new B.Box<>("ab"));
        add("Outer", new B.Outer<>("ab", "cd"));
        add("UseGA", new B.UseGA());
        add("UM", new Main2.UM());
        add("UL", new Main2.UL());
        add("UseRes", new Main2.UseRes());
        add("UsePage", new Main2.UsePage());
        add("Ent", new Main2.Ent());
        add("Ann", new Main2.Ann());
        add("HT", new Main4.HT());
        add("HS", new Main4.HS());
        add("Sub top", new Main4.HS().s);
        add("TSL", new Main4.TSL());
        add("cn", new Main4.订单());
    }

    /** Counts around those at which a varint grows. */
    private void sizes() {
        for (int n : new int[] {62, 63, 64, 127, 128}) {
            Byte[] sevens = new Byte[n];
            Arrays.fill(sevens, (byte) 7);
            add("ArrayList bytes*" + n, new ArrayList<>(Arrays.asList(sevens)));
            add("List.of bytes*" + n, List.of(sevens));
            add("byte[]*" + n, new byte[n]);
            Map<Object, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                map.put((byte) i, (byte) 1);
            }
            add("LinkedHashMap*" + n, map);
            List<Object> mixed = new ArrayList<>(Arrays.asList(sevens));
            mixed.set(n - 1, "zz");
            add("ArrayList mixed*" + n, mixed);
        }
        add("field List<String>=ArrayList*70", new Main5.IL(new ArrayList<>(Collections.nCopies(70, "ab"))));
        add("zero-width elements", list(new Object(), new Object(), new Object(), new Object(), new Object()));
        add("zero-width null elements", list(null, null, null, null, null));
        add("emptyList elements", list(Collections.emptyList(), Collections.emptyList(), Collections.emptyList()));
    }

    private void graphs() {
        B.Node r = new B.Node();
        B.Node m = new B.Node();
        r.n = "r";
        m.n = r.n;
        r.next = r;
        r.kids.add(r);
        r.kids.add(m);
        add("Node cyc", r);
        add("list same str distinct", list("st", new String("st")));
        Integer thousand = 1000;
        add("list same Integer", list(thousand, thousand));
        Date date = new Date(5);
        add("list same date", list(date, date, null));
    }

    private static List<Object> list(Object... items) {
        return new ArrayList<>(Arrays.asList(items));
    }
}
