package demo;

import java.io.Externalizable;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URI;
import java.net.URL;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.ZoneOffset;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.regex.Pattern;
import org.nustaq.serialization.FSTConfiguration;

/**
 * Writes one line per sample: configuration, label, hex. Argument: the release of
 * fast-serialization on the class path. The fields of the classes here stand in
 * samples_test.go too.
 */
public final class Samples implements Serializable {
    enum Status { NEW, PAID, SHIPPED }

    enum Op {
        ADD { @Override int of(int a) { return a + 1; } },
        SUB { @Override int of(int a) { return a - 1; } };

        abstract int of(int a);
    }

    /** Not Serializable: its fields are written too. */
    static class Root {
        long version = 7;
        String name = "root";
        boolean archived = true;
    }

    static class Base extends Root implements Serializable {
        String name = "base";
        Status status = Status.PAID;
        int z = -127;
        boolean b1 = true;
    }

    static class Order extends Base {
        boolean b2, b3 = true, b4, b5 = true, b6, b7, b8 = true, b9 = true;
        byte small = -3;
        char letter = '中';
        short count = -300;
        float ratio = 0.25f;
        double exact = -1e300;
        long amount = 1L << 40;
        String id = "A-1";
        String none;
        Integer boxed = 1000;
        Long boxedLong = Long.MIN_VALUE;
        Double boxedDouble = 2.5;
        Character boxedChar = 'x';
        BigDecimal total = new BigDecimal("-99.900");
        BigInteger huge = BigInteger.ONE.shiftLeft(70).negate();
        Date created = new Date(1700000000123L);
        Op op = Op.SUB;
        Item first = new Item("first", 1);
        Item again = first;
        Item special = new Special();
        Item[] items = {first, null, new Item("second", 2)};
        List<Item> list = new ArrayList<>(Arrays.asList(items));
        Map<String, Map<Status, List<Integer>>> nested = new HashMap<>();
        int[][] grid = {{1, 2}, null, {}};
        Object any = new Object[] {"x", 1, new Object()};
        LinkedHashMap<String, String> linked = new LinkedHashMap<>(Map.of("k", "v"));
        TreeMap<String, Integer> sorted = new TreeMap<>(Map.of("a", 1));
        UUID uuid = new UUID(1, 2);
        LocalDate day = LocalDate.of(2024, 2, 29);
        transient String skipped = "not written";
        Order self = this;

        Order() {
            nested.put("one", new EnumMap<>(Map.of(Status.NEW, List.of(1, 2))));
        }
    }

    static class Item implements Serializable {
        String sku;
        int n;

        Item(String sku, int n) {
            this.sku = sku;
            this.n = n;
        }
    }

    static class Special extends Item {
        Object extra = Status.SHIPPED;

        Special() {
            super("special", 9);
        }
    }

    static class Box<T, N extends Number> implements Serializable {
        T value;
        N number;
        List<T> more = new ArrayList<>();

        Box(T value, N number) {
            this.value = value;
            this.number = number;
        }
    }

    class Inner implements Serializable {
        String text = "inner";
    }

    static class Resolved implements Serializable {
        String a = "resolved";
        int b = 5;

        private Object readResolve() {
            return this;
        }
    }

    static class Written implements Serializable {
        String a = "written";

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeInt(1234);
            out.writeUTF("utf");
            out.writeObject(List.of("x"));
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            in.readInt();
            in.readUTF();
            in.readObject();
        }
    }

    public static class Ext implements Externalizable {
        public Ext() {
        }

        @Override
        public void writeExternal(ObjectOutput out) throws IOException {
            out.writeBoolean(true);
            out.writeByte(-1);
            out.writeShort(-2);
            out.writeChar('c');
            out.writeLong(1L << 50);
            out.writeFloat(0.5f);
            out.writeDouble(0.25);
            out.writeUTF("ext");
            out.write(new byte[] {1, 2, 3});
            out.writeObject("object");
        }

        @Override
        public void readExternal(ObjectInput in) {
        }
    }

    static class Failure extends RuntimeException {
        int code = 42;

        Failure(String message, Throwable cause) {
            super(message, cause);
            setStackTrace(new StackTraceElement[] {new StackTraceElement("demo.Main", "main", "Main.java", 12)});
        }
    }

    static class Cache<K, V> extends LinkedHashMap<K, V> {
        int limit = 16;
    }

    static class Names extends Vector<String> {
        String lost = "written by nobody";
    }

    private final String outer = "outer";
    private static String config;
    private static FSTConfiguration fst;

    private static void write(String label, Object o) {
        StringBuilder line = new StringBuilder(config).append('\t').append(label).append('\t');
        try {
            for (byte b : fst.asByteArray(o)) {
                line.append(String.format("%02x", b));
            }
            System.out.println(line);
        } catch (Throwable e) {
            System.err.println(label + ": " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        config = args[0];
        fst = FSTConfiguration.createDefaultConfiguration();
        beans();
        collections();
        values();
        times();
        config = args[0] + "-registered";
        fst = FSTConfiguration.createDefaultConfiguration();
        fst.registerClass(Item.class, HashMap.class, Status.class);
        write("Item", new Item("registered", 1));
        write("Item[]", new Item[] {new Item("registered", 1)});
        write("HashMap[]", new HashMap<?, ?>[] {new HashMap<>()});
        write("Status", Status.PAID);
        config = args[0] + "-unshared";
        fst = FSTConfiguration.createDefaultConfiguration();
        fst.setShareReferences(false);
        Item item = new Item("unshared", 1);
        write("twice", new ArrayList<>(Arrays.asList(item, item)));
    }

    private static void beans() throws Exception {
        write("Order", new Order());
        write("Orders", new ArrayList<>(Arrays.asList(new Item("a", 1), new Item("b", 2), new Special())));
        write("Box", new Box<>(new Item("boxed", 1), 5L));
        write("Box of null", new Box<Item, Integer>(null, null));
        write("Inner", new Samples().new Inner());
        write("Resolved", new Resolved());
        write("Resolved in list", new ArrayList<>(Arrays.asList(new Resolved(), new Resolved())));
        write("Written", new Written());
        write("Ext", new Ext());
        write("Ext in list", new ArrayList<>(Arrays.asList(new Ext(), "after")));
        write("Failure", new Failure("failed", new IllegalStateException("why")));
        Cache<String, Integer> cache = new Cache<>();
        cache.put("k", 1);
        write("Cache", cache);
        Names names = new Names();
        names.add("n");
        write("Names", names);
        write("anonymous HashMap", new HashMap<String, Integer>() { { put("k", 1); } });
        write("Op", Op.ADD);
        write("EnumSet", EnumSet.of(Op.ADD, Op.SUB));
        write("EnumSet empty", EnumSet.noneOf(Status.class));
    }

    private static void collections() {
        Map<String, Object> map = new HashMap<>();
        map.put("self", map);
        map.put("list", new ArrayList<>(List.of(1L, 2.5, 'c', (byte) 1, (short) 2, 1.5f)));
        write("cyclic map", map);
        String shared = "shared";
        write("shared strings", new ArrayList<>(Arrays.asList(shared, shared, new String("shared"))));
        for (Object o : new Object[] {
            new LinkedList<>(List.of(1)), new Vector<>(List.of(1)), new HashSet<>(List.of(1)), new LinkedHashSet<>(List.of(1, 2)),
            new TreeSet<>(Comparator.reverseOrder()), new ArrayDeque<>(List.of(1)), new PriorityQueue<>(List.of(2, 1)),
            new CopyOnWriteArrayList<>(List.of(1)), new ConcurrentLinkedQueue<>(List.of(1)), new ConcurrentLinkedDeque<>(List.of(1)),
            new LinkedBlockingDeque<>(List.of(1)), new ConcurrentSkipListSet<>(List.of(1)), new ConcurrentSkipListMap<>(Map.of("k", 1)),
            new ConcurrentHashMap<>(Map.of("k", 1)), List.of(), List.of(1, 2, 3), Set.of(), Map.of(), Map.of("k", 1),
            Collections.emptySet(), Collections.emptyMap(), Collections.singletonMap("k", 1), Collections.nCopies(3, "x"), Collections.nCopies(66, 1),
            Collections.unmodifiableList(new ArrayList<>(List.of(1))), Collections.unmodifiableList(new LinkedList<>(List.of(1))),
            Collections.unmodifiableSet(new HashSet<>(List.of(1))), Collections.unmodifiableCollection(new ArrayList<>(List.of(1))),
            Collections.unmodifiableSortedSet(new TreeSet<>(List.of(1))), Collections.unmodifiableSortedMap(new TreeMap<>(Map.of("k", 1))),
            Collections.synchronizedList(new ArrayList<>(List.of(1))), Collections.synchronizedSet(new HashSet<>(List.of(1))),
            Collections.synchronizedMap(new HashMap<>(Map.of("k", 1))), Collections.newSetFromMap(new ConcurrentHashMap<>()),
            ConcurrentHashMap.newKeySet(), Collections.reverseOrder(), new TreeMap<>(String.CASE_INSENSITIVE_ORDER),
            new String[][] {{"a"}, null, {}}, new Object[] {new int[] {1}, new Object[] {null}}, new long[] {1, -1}, new Integer[] {1, null},
            new byte[0], new boolean[] {true, false}, new short[] {-1, 255}, new char[] {'\u00ff', 'a'},
        }) {
            write(o.getClass().getName(), o);
        }
    }

    private static void values() throws Exception {
        for (int i : new int[] {0, 127, 128, -126, -127, -128, -129, 32767, 32768, -32769, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            write("Integer " + i, i);
            write("Long " + i, (long) i);
        }
        write("Long max", Long.MAX_VALUE);
        write("null", null);
        write("lone surrogate", "a\ud800b\udc00");
        GregorianCalendar calendar = new GregorianCalendar(TimeZone.getTimeZone("Europe/Berlin"));
        calendar.setTimeInMillis(1700000000123L);
        Properties properties = new Properties();
        properties.setProperty("a", "b");
        for (Object o : new Object[] {
            true, false, 'c', (byte) -1, (short) -1, 1.5f, -0.0, Double.NaN, "", "ÿþ", new Date(-1), new Timestamp(-1), Timestamp.valueOf("2024-01-02 03:04:05.123456789"),
            new java.sql.Date(5), new java.sql.Time(5), BigInteger.ZERO, BigInteger.valueOf(-128), BigDecimal.ZERO, new BigDecimal("1E+400"),
            new UUID(-1, -2), Locale.SIMPLIFIED_CHINESE, Currency.getInstance("EUR"), URI.create("http://a/b?c#d"),
            new URL("http://u@example.org:8080/p?q=1#r"), new File("/tmp/a"), Pattern.compile("a+", Pattern.CASE_INSENSITIVE),
            TimeZone.getTimeZone("Asia/Shanghai"), new SimpleTimeZone(3600000, "X"), calendar, properties, new StringBuilder("sb"), new StringBuffer("sf"),
            int.class, int[].class, BitSet.valueOf(new long[] {5, 1}), new AtomicInteger(-1), new AtomicLong(1), new AtomicBoolean(true),
            new AtomicReference<>("r"), new AbstractMap.SimpleImmutableEntry<>("k", 1), TimeUnit.DAYS, new Object(),
            InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1}),
        }) {
            write(o.getClass().getName() + " " + (o instanceof GregorianCalendar || o.getClass() == Object.class ? "" : o), o);
        }
    }

    private static void times() {
        for (Object o : new Object[] {
            Duration.ofSeconds(-5, 7), Instant.ofEpochSecond(-1, 999_999_999), LocalDate.of(-44, 3, 15), LocalTime.of(23, 59, 59, 999_999_999),
            LocalTime.of(1, 2), LocalDateTime.of(2024, 12, 31, 0, 0, 1), ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneId.of("Europe/Berlin")),
            ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneOffset.ofHours(-3)), OffsetTime.of(1, 2, 3, 0, ZoneOffset.UTC), Year.of(2024),
            YearMonth.of(2024, 2), Period.of(1, -2, 300), ZoneOffset.ofTotalSeconds(-18 * 3600),
        }) {
            write(o.getClass().getName() + " " + o, o);
        }
    }
}
