import java.io.*;
import java.math.*;
import java.nio.ByteBuffer;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.Supplier;
import org.jboss.marshalling.*;

/**
 * Writes sample values as Redisson's MarshallingCodec does, and reads values back that Go wrote.
 *
 * java River write [library] prints library, sample and hex for every sample but the big ones
 * java River big             prints sample, length and SHA-256 for the big ones
 * java River read < go.tsv  reads lines of that form; says of each sample whether its value equals this
 *                           program's own, and whether its bytes do; exits 1 where a value differs
 */
public class River {
    public enum Color { RED, GREEN, BLUE }

    public enum Op {
        ADD { int apply(int a) { return a + 1; } },
        SUB { int apply(int a) { return a - 1; } };
        abstract int apply(int a);
    }

    public static class Item implements Serializable {
        private static final long serialVersionUID = 11L;
        public String sku; public int count; public BigDecimal price;
        public Item() {}
        public Item(String sku, int count, BigDecimal price) { this.sku = sku; this.count = count; this.price = price; }
    }

    public static class Base implements Serializable {
        private static final long serialVersionUID = 12L;
        public long id; public String name;
        public transient String cache = "never written";
    }

    public static class Order extends Base {
        private static final long serialVersionUID = 13L;
        public boolean paid; public byte b; public short s; public char c; public int quantity; public float f; public double d;
        public Boolean boxedFlag; public Byte boxedByte; public Short boxedShort; public Character boxedChar; public Integer boxedInt;
        public Long boxedLong; public Float boxedFloat; public Double boxedDouble;
        public Date created; public BigDecimal total; public BigInteger big; public UUID key; public Color color; public Op op;
        public LocalDate day; public LocalDateTime at; public Instant instant; public Duration wait;
        public byte[] bytes; public int[] ints; public String[] names; public Item[] items; public Color[] colors;
        public List<String> tags; public List<Item> lines; public Map<String, Integer> stock; public Map<String, List<Long>> nested;
        public Set<String> labels; public Object any; public Order next;
    }

    public static class Node implements Serializable {
        private static final long serialVersionUID = 14L;
        public String label; public Node next; public List<Node> children = new ArrayList<>();
    }

    public static class Two implements Serializable {
        private static final long serialVersionUID = 15L;
        public Item first; public Item second; public Color one; public Color other; public String left; public String right;
    }

    /** Writes of its own beside its fields. */
    public static class Custom implements Serializable {
        private static final long serialVersionUID = 16L;
        public String kept; public transient int count; public transient String text; public transient Item item;
        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeInt(count);
            out.writeUTF(text);
            out.writeObject(item);
            out.writeBoolean(true);
        }
        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            count = in.readInt();
            text = in.readUTF();
            item = (Item) in.readObject();
            if (!in.readBoolean()) throw new InvalidObjectException("flag");
        }
    }

    public static class Ext implements Externalizable {
        public int a; public String b; public List<String> c;
        public void writeExternal(ObjectOutput out) throws IOException { out.writeInt(a); out.writeObject(b); out.writeObject(c); }
        @SuppressWarnings("unchecked")
        public void readExternal(ObjectInput in) throws IOException, ClassNotFoundException { a = in.readInt(); b = (String) in.readObject(); c = (List<String>) in.readObject(); }
    }

    public static class Tags extends ArrayList<String> {
        private static final long serialVersionUID = 17L;
        public int weight;
    }

    public static class Broken extends RuntimeException {
        private static final long serialVersionUID = 18L;
        public int code;
        public Broken(String message, Throwable cause) { super(message, cause, true, false); code = 7; }
    }

    static String fresh(String s) { return new String(s.toCharArray()); }

    static Item item(String sku, int count, String price) { return new Item(fresh(sku), count, new BigDecimal(price)); }

    static Order order() {
        Order o = new Order();
        o.id = 42; o.name = fresh("张三 \uD83D\uDE00"); o.paid = true; o.b = -7; o.s = 300; o.c = '中'; o.quantity = 3; o.f = 1.5f; o.d = -2.25;
        o.boxedFlag = true; o.boxedByte = 1; o.boxedShort = 2; o.boxedChar = 'x'; o.boxedInt = 1000; o.boxedLong = 1L << 40; o.boxedFloat = 0.5f; o.boxedDouble = 1e300;
        o.created = new Date(1700000000123L); o.total = new BigDecimal("1299.00"); o.big = new BigInteger("-123456789012345678901234567890");
        o.key = UUID.fromString("01234567-89ab-cdef-fedc-ba9876543210"); o.color = Color.GREEN; o.op = Op.SUB;
        o.day = LocalDate.of(2024, 2, 29); o.at = LocalDateTime.of(2024, 1, 2, 3, 4, 5, 600); o.instant = Instant.ofEpochSecond(1700000000L, 5); o.wait = Duration.ofSeconds(90, 1);
        o.bytes = new byte[]{1, -2, 3}; o.ints = new int[]{1, -1, 1 << 20}; o.names = new String[]{fresh("n1"), null, fresh("n2")};
        o.items = new Item[]{item("i1", 1, "0.05"), null}; o.colors = new Color[]{Color.RED, Color.GREEN};
        o.tags = new ArrayList<>(List.of(fresh("t1"), fresh("t2"))); o.lines = new ArrayList<>(List.of(item("l1", 2, "5"), item("l2", 3, "1E+3")));
        o.stock = new HashMap<>(); o.stock.put(fresh("k1"), 1); o.stock.put(fresh("k2"), 2);
        o.nested = new HashMap<>(); o.nested.put(fresh("n"), new ArrayList<>(List.of(1L, 2L)));
        o.labels = new HashSet<>(); o.labels.add(fresh("s1"));
        o.any = new ArrayList<Object>(Arrays.asList(1, fresh("x"), null, 2.5));
        o.next = new Order(); o.next.name = fresh("second");
        return o;
    }

    static Two shared() {
        Two t = new Two();
        t.first = t.second = item("same", 1, "7"); t.one = t.other = Color.BLUE; t.left = t.right = fresh("one string");
        return t;
    }

    static Node ring() {
        Node a = new Node(), b = new Node();
        a.label = fresh("a1"); b.label = fresh("b1"); a.next = b; b.next = a; b.children.add(a); b.children.add(b);
        return a;
    }

    static Custom custom() {
        Custom c = new Custom();
        c.kept = fresh("kept"); c.count = 5; c.text = "größe"; c.item = item("c", 1, "1");
        return c;
    }

    static Ext ext() {
        Ext e = new Ext();
        e.a = 9; e.b = fresh("bee"); e.c = new ArrayList<>(List.of(fresh("sea")));
        return e;
    }

    static Tags tags() {
        Tags t = new Tags();
        t.weight = 3; t.add(fresh("one")); t.add(fresh("two"));
        return t;
    }

    static Map<String, Object> map(Map<String, Object> m) {
        m.put(fresh("id"), 1L); m.put(fresh("name"), fresh("value")); m.put(fresh("none"), null);
        m.put(fresh("list"), new ArrayList<>(List.of(1, 2)));
        return m;
    }

    static Map<String, Supplier<Object>> samples() {
        Map<String, Supplier<Object>> s = new LinkedHashMap<>();
        s.put("order", River::order);
        s.put("order nulls", Order::new);
        s.put("item", () -> item("one", 5, "19.90"));
        s.put("shared", River::shared);
        s.put("ring", River::ring);
        s.put("custom", River::custom);
        s.put("ext", River::ext);
        s.put("tags", River::tags);
        s.put("exception", () -> { Exception cause = new IllegalArgumentException(fresh("cause")); cause.setStackTrace(new StackTraceElement[0]); return new Broken(fresh("boom"), cause); });
        s.put("exception with trace", () -> { Exception e = new IllegalStateException(fresh("x")); e.setStackTrace(new StackTraceElement[]{new StackTraceElement("a.B", "run", "B.java", 12)}); return e; });
        s.put("list of orders", () -> { Order o = new Order(); return new ArrayList<>(Arrays.asList(o, new Order(), o)); });
        s.put("list of items", () -> new ArrayList<>(List.of(item("a", 1, "1.00"), item("b", 2, "2.00"), item("c", 3, "300"))));
        s.put("map", () -> map(new HashMap<>()));
        s.put("linked map", () -> map(new LinkedHashMap<>()));
        s.put("sorted map", () -> map(new TreeMap<>()));
        s.put("reversed map", () -> map(new TreeMap<>(Comparator.reverseOrder())));
        s.put("map of copies", () -> new HashMap<>(Map.of("k", 1)));
        s.put("map of 13", () -> { Map<Integer, Integer> m = new HashMap<>(); for (int i = 0; i < 13; i++) m.put(i, i); return m; });
        s.put("map with capacity", () -> { Map<String, Integer> m = new HashMap<>(100); m.put(fresh("k"), 1); return m; });
        s.put("maps in a list with literal keys", () -> { List<Object> l = new ArrayList<>(); for (int i = 0; i < 2; i++) { Map<String, Object> m = new HashMap<>(); m.put("orderId", i); l.add(m); } return l; });
        s.put("hashtable", () -> new Hashtable<>(Map.of("k", 1)));
        s.put("properties", () -> { Properties p = new Properties(); p.setProperty(fresh("a"), fresh("b")); return p; });
        s.put("concurrent map", () -> { Map<String, Object> m = new ConcurrentHashMap<>(); m.put(fresh("k"), 1); return m; });
        s.put("skip list map", () -> { Map<String, Object> m = new ConcurrentSkipListMap<>(); m.put(fresh("k"), 1); return m; });
        s.put("enum map", () -> { Map<Color, Integer> m = new EnumMap<>(Color.class); m.put(Color.BLUE, 3); return m; });
        s.put("enum map empty", () -> new EnumMap<>(Color.class));
        s.put("enum set", () -> EnumSet.of(Color.RED, Color.BLUE));
        s.put("enum set empty", () -> EnumSet.noneOf(Color.class));
        s.put("enum body", () -> Op.ADD);
        s.put("enum twice", () -> new ArrayList<>(List.of(Color.RED, Color.RED, Op.ADD)));
        s.put("hash set", () -> new HashSet<>(List.of(3, 1, 2)));
        s.put("linked set", () -> new LinkedHashSet<>(List.of(3, 1, 2)));
        s.put("tree set", () -> new TreeSet<>(List.of(3, 1, 2)));
        s.put("priority queue", () -> new PriorityQueue<>(List.of(3, 1, 2)));
        s.put("linked list", () -> new LinkedList<>(List.of(1, 2)));
        s.put("deque", () -> new ArrayDeque<>(List.of(1, 2)));
        s.put("vector", () -> new Vector<>(List.of(1, 2)));
        s.put("copy on write list", () -> new CopyOnWriteArrayList<>(List.of(1, 2)));
        s.put("copy on write set", () -> new CopyOnWriteArraySet<>(List.of(1, 2)));
        s.put("concurrent queue", () -> new ConcurrentLinkedQueue<>(List.of(1, 2)));
        s.put("list of 300", () -> { List<Integer> l = new ArrayList<>(); for (int i = 0; i < 300; i++) l.add(i); return l; });
        s.put("big: list of 70000 nulls", () -> new ArrayList<>(Arrays.asList(new Object[70000])));
        s.put("far references", () -> { List<Object> l = new ArrayList<>(); String first = fresh("first"); l.add(first); for (int i = 0; i < 300; i++) l.add(fresh("s" + i)); l.add(first); return l; });
        s.put("copies", () -> Collections.nCopies(5, fresh("x")));
        s.put("empty", () -> new ArrayList<>(List.of(Collections.emptyList(), Collections.emptySet(), Collections.emptyMap())));
        s.put("singletons", () -> new ArrayList<>(List.of(Collections.singletonList(1), Collections.singleton(2), Collections.singletonMap(3, 4))));
        s.put("immutable", () -> new ArrayList<>(List.of(List.of(1), List.of(1, 2, 3), Set.of(1), Map.of(1, 2))));
        s.put("as list", () -> Arrays.asList(fresh("p"), fresh("q")));
        s.put("unmodifiable", () -> new ArrayList<>(List.of(Collections.unmodifiableList(new ArrayList<>(List.of(1))), Collections.unmodifiableList(new LinkedList<>(List.of(2))),
            Collections.unmodifiableMap(new TreeMap<>(Map.of(3, 4))), Collections.unmodifiableSet(new HashSet<>(List.of(5))), Collections.unmodifiableCollection(new ArrayDeque<>(List.of(6))))));
        s.put("unmodifiable sorted", () -> new ArrayList<>(List.of(Collections.unmodifiableSortedSet(new TreeSet<>(List.of(1))), Collections.unmodifiableSortedMap(new TreeMap<>(Map.of(1, 2))))));
        s.put("synchronized", () -> new ArrayList<>(List.of(Collections.synchronizedList(new ArrayList<>(List.of(1))), Collections.synchronizedMap(new HashMap<>(Map.of(2, 3))))));
        s.put("numbers", () -> new ArrayList<>(List.of((byte) 1, (short) 2, 3, 4L, 'c', 1.5f, 2.5, true, Float.NaN, Double.NEGATIVE_INFINITY)));
        s.put("decimals", () -> new ArrayList<>(List.of(new BigDecimal("0.05"), new BigDecimal("5"), BigDecimal.ZERO, new BigDecimal("123456789012345678901234567890.5"), new BigDecimal("1E+2147483647"))));
        s.put("same decimal", () -> { BigDecimal d = new BigDecimal("5.5"); return new ArrayList<>(List.of(d, d)); });
        s.put("integers", () -> new ArrayList<>(List.of(BigInteger.ZERO, BigInteger.TEN, new BigInteger("-300"), BigInteger.ONE.shiftLeft(100))));
        s.put("dates", () -> { Date d = new Date(5); java.sql.Timestamp t = new java.sql.Timestamp(1700000000999L); t.setNanos(999000001); return new ArrayList<>(List.of(d, d, new Date(5), new java.sql.Date(6), new java.sql.Time(7), t)); });
        s.put("times", () -> new ArrayList<>(List.of(Duration.ZERO, Instant.EPOCH, LocalTime.MIDNIGHT, LocalTime.of(1, 2, 3), LocalDate.of(-5, 1, 1), Year.of(2024), YearMonth.of(2024, 2), MonthDay.of(2, 29), Period.of(1, 2, 3),
            ZoneOffset.ofHours(8), ZoneOffset.ofHours(8), ZoneId.of("Asia/Shanghai"), OffsetTime.of(1, 2, 3, 4, ZoneOffset.UTC), OffsetDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneOffset.ofTotalSeconds(20220)),
            ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneId.of("Asia/Shanghai")), ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneOffset.ofHours(-3)), DayOfWeek.MONDAY, Month.MAY)));
        s.put("texts", () -> new ArrayList<>(List.of(Locale.US, Locale.forLanguageTag("zh-Hans-CN"), Currency.getInstance("CNY"), java.net.URI.create("http://a/b?c"), new StringBuilder("sb").toString())));
        s.put("atomics", () -> new ArrayList<>(List.of(new AtomicInteger(5).get(), new AbstractMap.SimpleEntry<>(1, 2))));
        s.put("bit set", () -> { BitSet b = new BitSet(); b.set(3); b.set(70); return b; });
        s.put("arrays", () -> new ArrayList<>(List.of(new boolean[]{true, false, true, true, false, false, false, true, true}, new short[]{1, -1}, new long[]{1L << 40}, new char[]{'a', '中'}, new float[]{1.5f}, new double[]{-0.0}, new byte[0])));
        s.put("arrays of arrays", () -> new int[][]{{1}, {}, null});
        s.put("arrays of strings", () -> new String[][]{{fresh("a")}, {}});
        s.put("arrays of objects", () -> new Object[]{1, fresh("x"), null, new Integer[]{2}, new List<?>[]{new ArrayList<>()}, new Date[]{new Date(1)}, new Serializable[0], new BigDecimal[0], new Color[]{Color.RED}});
        s.put("classes", () -> new ArrayList<>(List.of(String.class, int.class, int[].class, ArrayList.class, HashMap.class, Color.class, Item.class, Item[].class, Runnable.class, ArrayDeque.class)));
        s.put("text", () -> "\u0000\u007f\u0080é中\uD83D\uDE00\uD800");
        s.put("text of 256", () -> "y".repeat(256));
        s.put("text of 257", () -> "y".repeat(257));
        s.put("big: text of 65537", () -> "中".repeat(65537));
        s.put("field name as text", () -> new ArrayList<>(List.of(item("x", 1, "1"), "sku", "count")));
        s.put("text as field name", () -> new ArrayList<>(List.of("sku", item("x", 1, "1"))));
        s.put("big: far references", () -> { List<Object> l = new ArrayList<>(); String first = fresh("first"); l.add(first); for (int i = 0; i < 66000; i++) l.add(fresh("s" + i)); l.add(first); return l; });
        s.put("big: bytes", () -> new ArrayList<>(List.of(new byte[65536], new byte[65537], new byte[257], new byte[256])));
        s.put("big: list of 65536 nulls", () -> new ArrayList<>(Arrays.asList(new Object[65536])));
        s.put("cyclic list", () -> { List<Object> l = new ArrayList<>(); l.add(l); return l; });
        s.put("cyclic map", () -> { Map<String, Object> m = new HashMap<>(); m.put(fresh("self"), m); return m; });
        return s;
    }

    static MarshallerFactory factory() { return Marshalling.getProvidedMarshallerFactory("river"); }

    static MarshallingConfiguration configuration() {
        MarshallingConfiguration c = new MarshallingConfiguration();
        c.setInstanceCount(32);
        c.setClassCount(16);
        return c;
    }

    static byte[] write(Object o) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Marshaller m = factory().createMarshaller(configuration());
        m.start(Marshalling.createByteOutput(bytes));
        m.writeObject(o);
        m.finish();
        m.close();
        return bytes.toByteArray();
    }

    static Object read(byte[] payload) throws Exception {
        Unmarshaller u = factory().createUnmarshaller(configuration());
        u.start(Marshalling.createByteInput(ByteBuffer.wrap(payload)));
        Object o = u.readObject();
        u.finish();
        u.close();
        return o;
    }

    /** Says what a value holds, with class names and with the numbers of objects that come again. */
    static void describe(Object o, Map<Object, Integer> seen, StringBuilder out) throws Exception {
        if (o == null) { out.append("null"); return; }
        Class<?> c = o.getClass();
        if (o instanceof Enum) { out.append(((Enum<?>) o).getDeclaringClass().getName()).append('.').append(((Enum<?>) o).name()); return; }
        if (o instanceof String || o instanceof Number && !c.getName().contains("Atomic") || o instanceof Boolean || o instanceof Character || o instanceof Date || c.getName().startsWith("java.time.")
            || o instanceof UUID || o instanceof Class || o instanceof Locale || o instanceof Currency || o instanceof BitSet || o instanceof java.net.URI) {
            out.append(c.getName()).append(' ').append(o); return;
        }
        Integer number = seen.putIfAbsent(o, seen.size());
        if (number != null) { out.append('#').append(number); return; }
        out.append(c.getName()).append('{');
        if (c.isArray()) {
            for (int i = 0; i < java.lang.reflect.Array.getLength(o); i++) { describe(java.lang.reflect.Array.get(o, i), seen, out); out.append(", "); }
        } else if (o instanceof Map) {
            for (Map.Entry<?, ?> e : ((Map<?, ?>) o).entrySet()) { describe(e.getKey(), seen, out); out.append('='); describe(e.getValue(), seen, out); out.append(", "); }
        } else if (o instanceof Collection) {
            for (Object e : (Collection<?>) o) { describe(e, seen, out); out.append(", "); }
        }
        if (o instanceof Throwable) {
            Throwable t = (Throwable) o;
            out.append(t.getMessage()).append(", ").append(Arrays.toString(t.getStackTrace())).append(", ");
            describe(t.getCause(), seen, out);
        }
        for (Class<?> k = c; k != null && (k.getName().startsWith("River") || k.getName().startsWith("duequeue")); k = k.getSuperclass()) {
            for (java.lang.reflect.Field f : k.getDeclaredFields()) {
                if (java.lang.reflect.Modifier.isStatic(f.getModifiers()) || f.getName().equals("cache")) continue;
                f.setAccessible(true);
                out.append(f.getName()).append('=');
                describe(f.get(o), seen, out);
                out.append(", ");
            }
        }
        out.append('}');
    }

    static String describe(Object o) throws Exception {
        StringBuilder out = new StringBuilder();
        describe(o, new IdentityHashMap<>(), out);
        return out.toString();
    }

    public static void main(String[] args) throws Exception {
        String library = args.length > 1 ? args[1] : "river4";
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        Map<String, Supplier<Object>> samples = samples();
        if (args[0].equals("write")) {
            for (Map.Entry<String, Supplier<Object>> e : samples.entrySet())
                if (!e.getKey().startsWith("big:")) out.println(library + "\t" + e.getKey() + "\t" + HexFormat.of().formatHex(write(e.getValue().get())));
            out.flush();
            return;
        }
        if (args[0].equals("big")) {
            for (Map.Entry<String, Supplier<Object>> e : samples.entrySet()) {
                if (!e.getKey().startsWith("big:")) continue;
                byte[] payload = write(e.getValue().get());
                out.println(e.getKey() + "\t" + payload.length + "\t" + HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(payload)));
            }
            out.flush();
            return;
        }
        int bad = 0;
        for (String line : new String(System.in.readAllBytes(), "UTF-8").split("\n")) {
            String[] cells = line.split("\t");
            byte[] payload = HexFormat.of().parseHex(cells[2]);
            String got;
            try { got = describe(read(payload)); } catch (Throwable t) { got = "FAILED " + t; }
            Supplier<Object> own = samples.get(cells[1]);
            String want = own == null ? got : describe(own.get());
            boolean same = own != null && Arrays.equals(payload, write(own.get()));
            boolean ok = got.equals(want) && !got.startsWith("FAILED");
            if (!ok) bad++;
            out.println((ok ? "ok" : "DIFFERS") + "\t" + cells[1] + "\t" + (same ? "same bytes" : "other bytes") + (ok && own != null ? "" : "\n  got  " + got + "\n  want " + want));
        }
        out.flush();
        System.exit(bad == 0 ? 0 : 1);
    }
}
