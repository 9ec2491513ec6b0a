import java.io.*;
import java.math.*;
import java.net.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.regex.Pattern;
import java.util.stream.*;

/**
 * Writes samples.tsv: what ObjectOutputStream writes for values of its own.
 *
 * <pre>
 * javac -d /tmp/samples Samples.java && java -cp /tmp/samples Samples > samples.tsv
 * </pre>
 */
public class Samples {
    static class Base implements Serializable {
        private static final long serialVersionUID = 7L;
        long id;
        String name;
    }

    static class Item extends Base {
        private static final long serialVersionUID = 8L;
        String name = "own name";
        BigDecimal price;
        Color color;
        Item next;
    }

    static class Order extends Base {
        private static final long serialVersionUID = 9L;
        boolean paid;
        byte b = 1;
        short s = 2;
        char c = 'c';
        int quantity;
        long cents;
        float f = 1.5f;
        double d = 2.5;
        Integer discount;
        Date created, updated;
        Instant due;
        List<Item> items;
        Map<String, Object> attributes;
        Set<Color> colors;
        int[] numbers;
        String[] texts;
        Order parent;
        transient String secret = "not written";
    }

    enum Color { RED, GREEN, BLUE }

    enum Op {
        ADD { int of(int a) { return a + 1; } },
        SUB { int of(int a) { return a - 1; } };
        abstract int of(int a);
    }

    static class Modern implements Serializable {
        private static final long serialVersionUID = 13L;
        UUID id = new UUID(1, 2);
        Instant at = Instant.parse("2024-01-02T03:04:05.000000006Z");
        Instant never;
        LocalDateTime local = LocalDateTime.of(2024, 1, 2, 3, 4);
        LocalDate maybe;
        Color color = Color.GREEN;
        char initial = 'x';
        long[] longs = {1, 2};
        byte[] bytes = {3};
        BigInteger big = new BigInteger("123456789012345678901234567890");
        Map<String, Integer> counts = new HashMap<>();
        Map<String, List<String>> lists = new HashMap<>();
        Point point = new Point(1, 2, null);
        Long box = 1000L;
    }

    record Point(int x, int y, String label) implements Serializable { }

    static class Tags extends ArrayList<String> {
        private static final long serialVersionUID = 10L;
        String owner = "me";
    }

    static class Attributes extends LinkedHashMap<String, Integer> {
        private static final long serialVersionUID = 11L;
        int version = 3;
    }

    static class Custom implements Serializable {
        private static final long serialVersionUID = 12L;
        int a = 1;
        String s = "s";

        private void writeObject(ObjectOutputStream o) throws IOException {
            o.defaultWriteObject();
            o.writeInt(42);
            o.writeUTF("utf");
            o.writeObject(new byte[] {1, 2});
            o.write(new byte[3000]);
            o.writeObject("between");
        }
    }

    static class Replaced implements Serializable {
        Object writeReplace() { return List.of("instead"); }
    }

    static class External implements Externalizable {
        public External() { }
        public void writeExternal(ObjectOutput o) throws IOException { o.writeLong(5); o.writeObject(Color.BLUE); }
        public void readExternal(ObjectInput i) { }
    }

    /** Writes nothing of its superclass, though that is Serializable. */
    static class ExternalItem extends Item implements Externalizable {
        public ExternalItem() { }
        public void writeExternal(ObjectOutput o) throws IOException { o.writeUTF("alone"); }
        public void readExternal(ObjectInput i) { }
    }

    static class ExternalList extends ArrayList<String> implements Externalizable {
        public ExternalList() { }
        public void writeExternal(ObjectOutput o) throws IOException { o.writeInt(size()); }
        public void readExternal(ObjectInput i) { }
    }

    static final Map<String, Object> out = new LinkedHashMap<>();

    static Item item(int n) {
        Item i = new Item();
        i.id = n;
        i.price = new BigDecimal("1299.00").add(BigDecimal.valueOf(n));
        i.color = Color.values()[n % 3];
        return i;
    }

    static Order order() {
        Order o = new Order();
        o.id = 1L << 40;
        ((Base) o).name = "订单 😀";
        o.quantity = -3;
        o.discount = 15;
        o.created = o.updated = new Date(1700000000123L);
        o.due = Instant.parse("2024-01-02T03:04:05.000000006Z");
        o.items = new ArrayList<>(List.of(item(1), item(2), item(3)));
        o.attributes = new HashMap<>();
        o.attributes.put("first", o.items.get(0));
        o.attributes.put("self", o);
        o.attributes.put("nested", new LinkedHashMap<>(Map.of("k", new TreeMap<>(Map.of("a", 1, "b", 2L)))));
        o.attributes.put("null", null);
        o.colors = EnumSet.of(Color.RED, Color.BLUE);
        o.numbers = new int[] {1, -1, Integer.MAX_VALUE};
        o.texts = new String[] {"x", null, "x", ""};
        return o;
    }

    static void scalars() throws Exception {
        out.put("null", null);
        out.put("strings", Arrays.asList("", "", "a", new String("a"), "a\0b", "\ud800", "\udc00\ud800", "x".repeat(70000)));
        out.put("boxes cached", Arrays.asList(true, true, false, (byte) 1, (byte) 1, (short) 5, (short) 5, 127, 127, -128, -128, 100L, 100L, 'a', 'a'));
        out.put("boxes distinct", Arrays.asList(128, 128, -129, -129, 1000L, 1000L, (short) 300, (short) 300, 200, 200, '\u4e2d', '\u4e2d', 1.5f, 1.5f, 0.0, 0.0, -0.0, Double.NaN, Float.NEGATIVE_INFINITY));
        Long shared = 1234567890123L;
        Date date = new Date(-1);
        out.put("boxes shared", Arrays.asList(shared, shared, date, date, new Date(-1)));
        out.put("big", Arrays.asList(BigInteger.ZERO, BigInteger.ONE.shiftLeft(200).negate(), new BigInteger("-128"), new BigInteger("255")));
        out.put("decimals", Arrays.asList(new BigDecimal("0.10"), new BigDecimal("10"), new BigDecimal("1E+30"), new BigDecimal("-123456789012345678901234567890.123"), BigDecimal.ZERO, new BigDecimal("1.6"), new BigDecimal("0.16")));
        BigDecimal d = new BigDecimal("77.7");
        out.put("decimal shared", Arrays.asList(d, d, new BigDecimal("77.7")));
        out.put("uuids", Arrays.asList(new UUID(1, 2), new UUID(-1, Long.MIN_VALUE)));
        out.put("dates", Arrays.asList(new Date(0), new java.sql.Date(1700000000123L), new java.sql.Time(-5), new java.sql.Timestamp(1700000000123L), new java.sql.Timestamp(-1)));
        java.sql.Timestamp t = new java.sql.Timestamp(1700000000123L);
        t.setNanos(123456789);
        out.put("timestamp nanos", t);
        out.put("enums", Arrays.asList(Color.RED, Color.GREEN, Color.RED, Op.ADD, Op.SUB, TimeUnit.DAYS, DayOfWeek.FRIDAY, Month.MAY));
        out.put("times", Arrays.asList(Duration.ofSeconds(5, 6), Duration.ZERO, Duration.ofMillis(-1), Instant.EPOCH, Instant.MIN, Instant.MAX, LocalDate.of(2024, 2, 29),
            LocalDate.MIN, LocalTime.MIDNIGHT, LocalTime.of(1, 2), LocalTime.of(1, 2, 3), LocalTime.of(1, 2, 3, 4), LocalTime.of(5, 0), LocalTime.of(5, 0), LocalTime.MAX, LocalDateTime.of(2024, 1, 2, 3, 4, 5),
            OffsetTime.of(1, 2, 3, 0, ZoneOffset.ofHours(-3)), OffsetDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneOffset.ofHoursMinutesSeconds(1, 2, 3)),
            ZonedDateTime.of(2024, 7, 2, 3, 4, 5, 6, ZoneId.of("Europe/Berlin")), ZonedDateTime.of(2024, 7, 2, 3, 4, 5, 6, ZoneOffset.UTC), ZonedDateTime.of(2024, 7, 2, 3, 4, 5, 6, ZoneOffset.ofHours(8)),
            Year.of(2024), YearMonth.of(2024, 3), MonthDay.of(2, 29), Period.of(1, -2, 3), Period.ZERO, ZoneOffset.UTC, ZoneOffset.UTC, ZoneOffset.ofTotalSeconds(1), ZoneId.of("UTC")));
        out.put("texts", Arrays.asList(new StringBuilder("abc中"), new StringBuffer("xyz"), Currency.getInstance("CNY"), Currency.getInstance("CNY"), new URI("http://a/b?c"), Pattern.compile("a+", Pattern.CASE_INSENSITIVE)));
        out.put("locales", Arrays.asList(Locale.CHINA, Locale.ROOT, Locale.forLanguageTag("zh-Hans-CN"), new Locale("de", "DE", "POSIX"), Locale.forLanguageTag("en-US-u-ca-buddhist"), Locale.CHINA));
        out.put("atomics", Arrays.asList(new AtomicBoolean(true), new AtomicInteger(1), new AtomicLong(2), new AtomicReference<>("r")));
        out.put("classes", Arrays.asList(String.class, int.class, Color.class, Order.class, List.class, Object.class, int[].class, String[].class, Item[].class, String.class));
        out.put("objects", Arrays.asList(InetAddress.getByAddress("host", new byte[] {1, 2, 3, 4}), new File("/tmp/x"), new AbstractMap.SimpleEntry<>("k", 1), new SimpleTimeZone(1000, "X"), new GregorianCalendar(2024, 0, 1)));
        StringBuilder spare = new StringBuilder("abc");
        spare.append("a longer text than the room there was");
        out.put("spare room", spare);
        out.put("empty strings", Arrays.asList(new String(""), new String("")));
        out.put("numbers distinct", Arrays.asList(new Integer(5), new Integer(5)));
        out.put("digits distinct", Arrays.asList(new BigDecimal(new BigInteger("5")), new BigDecimal(new BigInteger("5"))));
        Integer number = 200;
        out.put("numbers shared", Arrays.asList(number, number));
        out.put("url", new URL("http://example.com:80/a?b#c"));
        BitSet bits = new BitSet();
        bits.set(3);
        bits.set(200);
        out.put("bitset", bits);
    }

    static void containers() {
        List<String> list = new ArrayList<>(List.of("a", "b"));
        Map<String, Integer> map = new HashMap<>(Map.of("k", 1));
        out.put("lists", Arrays.asList(new ArrayList<>(100), new LinkedList<>(list), new ArrayDeque<>(list), new Vector<>(list), new Stack<>(), new CopyOnWriteArrayList<>(list),
            new PriorityQueue<>(List.of(3, 1, 2)), new PriorityQueue<>(5, Comparator.reverseOrder()), new ConcurrentLinkedQueue<>(list), new ConcurrentLinkedDeque<>(list)));
        out.put("sets", Arrays.asList(new HashSet<>(list), new LinkedHashSet<>(list), new TreeSet<>(list), new TreeSet<>(String.CASE_INSENSITIVE_ORDER), new TreeSet<>(Collections.reverseOrder(String.CASE_INSENSITIVE_ORDER)),
            new CopyOnWriteArraySet<>(list), new ConcurrentSkipListSet<>(list), filled(Collections.newSetFromMap(new ConcurrentHashMap<>())), ConcurrentHashMap.newKeySet(), EnumSet.allOf(Color.class), EnumSet.noneOf(TimeUnit.class)));
        Hashtable<String, Integer> table = new Hashtable<>();
        for (int i = 0; i < 20; i++) table.put("key" + i, i);
        Map<Object, Object> big = new HashMap<>();
        for (int i = 0; i < 13; i++) big.put(i, "v" + i);
        Map<Object, Object> cleared = new HashMap<>(Map.of(1, 2));
        cleared.clear();
        Properties properties = new Properties(new Properties());
        for (int i = 0; i < 25; i++) properties.setProperty("p" + i, "v");
        EnumMap<Color, String> enums = new EnumMap<>(Map.of(Color.BLUE, "b"));
        enums.put(Color.RED, null);
        out.put("maps", Arrays.asList(map, new LinkedHashMap<>(map), new LinkedHashMap<>(16, 0.5f, true), new TreeMap<>(map), new TreeMap<>(Collections.reverseOrder()), table, new Hashtable<>(), big, cleared, new HashMap<>(100),
            properties, new IdentityHashMap<>(map), enums, new EnumMap<>(TimeUnit.class), new ConcurrentHashMap<>(map), new ConcurrentSkipListMap<>(map)));
        out.put("immutable", Arrays.asList(List.of(), List.of(1), List.of(1, 2), List.of(1, 2, 3), Set.of(), Set.of("x"), Set.of("x", "y"), Map.of(), Map.of("k", "v"), Map.of("k", "v", "l", "w"), Stream.of(1, null).toList(), Stream.of(1).toList(), List.of()));
        out.put("collections", Arrays.asList(Collections.emptyList(), Collections.emptySet(), Collections.emptyMap(), Collections.singletonList(1), Collections.singleton(2), Collections.singletonMap("k", 3), Collections.nCopies(5, "c"), Collections.emptyList()));
        out.put("unmodifiable", Arrays.asList(Collections.unmodifiableCollection(list), Collections.unmodifiableList(list), Collections.unmodifiableList(new LinkedList<>(list)), Collections.unmodifiableSet(new HashSet<>(list)),
            Collections.unmodifiableSortedSet(new TreeSet<>(list)), Collections.unmodifiableNavigableSet(new TreeSet<>(list)), Collections.unmodifiableMap(map), Collections.unmodifiableSortedMap(new TreeMap<>(map)), Collections.unmodifiableNavigableMap(new TreeMap<>(map))));
        out.put("synchronized", Arrays.asList(Collections.synchronizedCollection(list), Collections.synchronizedList(list), Collections.synchronizedList(new LinkedList<>(list)), Collections.synchronizedSet(new HashSet<>(list)),
            Collections.synchronizedSortedSet(new TreeSet<>(list)), Collections.synchronizedNavigableSet(new TreeSet<>(list)), Collections.synchronizedMap(map), Collections.synchronizedSortedMap(new TreeMap<>(map)), Collections.synchronizedNavigableMap(new TreeMap<>(map))));
        out.put("asList", Arrays.asList(Arrays.asList("a", "b"), Arrays.asList(1, 2), Arrays.asList("a", 1), Arrays.asList(), Arrays.asList(Color.RED)));
        out.put("arrays", new Object[] {new boolean[] {true, false}, new byte[0], new short[] {1}, new char[] {'x'}, new float[] {1}, new double[] {2}, new long[] {3}, new int[][] {{1}, null, {}}, new String[][] {{"a"}}, new Color[] {Color.RED}, new Item[2], new Integer[] {1000, 1000}, new List<?>[] {list}});
    }

    static void beans() {
        out.put("order", order());
        out.put("bean nulls", new Order());
        Order plain = order();
        plain.updated = new Date(1700000000123L);
        plain.attributes = new HashMap<>();
        plain.attributes.put("orderId", "A-1");
        plain.attributes.put("amount", 1000L);
        plain.attributes.put("zero", 0);
        plain.colors = null;
        plain.texts = new String[] {"x", null};
        out.put("bean plain", plain);
        out.put("bean null", null);
        Item first = item(3), second = item(4);
        first.next = second;
        second.next = first;
        out.put("bean shared", first);
        out.put("record", new Point(1, 2, "p"));
        out.put("enum list", new ArrayList<>(List.of(Color.RED, Color.GREEN, Color.RED)));
        Map<String, Item> itemMap = new HashMap<>();
        itemMap.put("one", item(1));
        itemMap.put("two", item(2));
        out.put("map of beans", itemMap);
        Modern modern = new Modern();
        modern.counts.put("one", 1);
        modern.counts.put("many", 1000);
        modern.lists.put("a", new ArrayList<>(List.of("x", "y")));
        out.put("modern", modern);
        out.put("records", Arrays.asList(new Point(1, 2, "p"), new Point(3, 4, null)));
        Item loop = item(5);
        loop.next = loop;
        out.put("bean cycle", loop);
        out.put("subclasses", Arrays.asList(fill(new Tags()), new Attributes(), new ArrayList<String>() {{ add("double brace"); }}));
        out.put("custom", new Custom());
        out.put("external", new External());
        out.put("external with superclass", Arrays.asList(new ExternalItem(), new ExternalList(), new ExternalItem()));
        out.put("replaced", new Replaced());
        List<Object> self = new ArrayList<>();
        self.add(Collections.unmodifiableList(self));
        self.add(self);
        out.put("list cycle", self);
        Map<String, Object> mapSelf = new HashMap<>();
        mapSelf.put("self", mapSelf);
        out.put("map cycle", mapSelf);
        out.put("comparators", Arrays.asList(Comparator.naturalOrder(), Comparator.reverseOrder(), String.CASE_INSENSITIVE_ORDER));
        Throwable thrown = new IllegalStateException("outer", new IOException("inner"));
        thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement("demo.Main", "main", "Main.java", 7)});
        thrown.getCause().setStackTrace(new StackTraceElement[0]);
        thrown.addSuppressed(new RuntimeException("suppressed"));
        thrown.getSuppressed()[0].setStackTrace(new StackTraceElement[0]);
        out.put("throwable", thrown);
        List<Object> laughs = new ArrayList<>(List.of("lol"));
        for (int i = 0; i < 30; i++) laughs = new ArrayList<>(List.of(laughs, laughs));
        out.put("laughs", laughs);
    }

    static Set<String> filled(Set<String> s) {
        s.add("a");
        return s;
    }

    static Tags fill(Tags t) {
        t.add("x");
        return t;
    }

    public static void main(String[] args) throws Exception {
        scalars();
        containers();
        beans();
        for (Map.Entry<String, Object> e : out.entrySet()) {
            ByteArrayOutputStream b = new ByteArrayOutputStream();
            try (ObjectOutputStream o = new ObjectOutputStream(b)) {
                o.writeObject(e.getValue());
            }
            System.out.println(e.getKey() + "\t" + HexFormat.of().formatHex(b.toByteArray()));
        }
    }
}
