package duequeue.beans;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The beans that cross between Java and Go, by name. The Go side has the same ones.
 *
 * <p>No two strings of a bean are one object, and none equals the name of a field:
 * formats that keep references write such strings as references, and a Go string
 * has no identity. {@link #shared} and {@link #ring} are there for references.
 */
public final class Beans {
    private Beans() {
    }

    /** Returns a new bean; two calls give equal ones. */
    public static Object of(String name) {
        return switch (name) {
            case "vip" -> vip();
            case "choices" -> choices();
            case "answers" -> answers();
            case "bound" -> bound();
            case "line" -> new Line(new Point(1, 2), null, list("a1", "b2"), Level.GOLD, 7, list(1, "x1"), 1L << 40);
            case "nested" -> nested();
            case "filled" -> filled();
            case "nulls" -> new Everything();
            case "primitives" -> primitives();
            case "rows" -> rows();
            case "chain" -> chain();
            case "ring" -> ring();
            case "shared" -> shared();
            case "sameDates" -> sameDates();
            case "times" -> times();
            case "maybe" -> maybe();
            case "failure" -> failure();
            case "level" -> Level.SILVER;
            case "step" -> Step.SUB;
            default -> throw new IllegalArgumentException("no bean called " + name);
        };
    }

    @SafeVarargs
    private static <T> List<T> list(T... items) {
        return new ArrayList<>(Arrays.asList(items));
    }

    private static <K, V> Map<K, V> map(K key, V value) {
        Map<K, V> map = new HashMap<>();
        map.put(key, value);
        return map;
    }

    private static Customer customer(long id) {
        Customer c = new Customer(id, "base-" + id, 1);
        c.name = "customer-" + id;
        c.level = Level.SILVER;
        c.since = LocalDate.of(2024, 2, 29);
        c.home = new Address("Nanjing Road " + id, "上海 " + id, 8);
        c.others = list(new Address("Main Street " + id, null, -1), new Address(null, "Berlin " + id, 0));
        return c;
    }

    private static Vip vip() {
        Vip v = new Vip(7L, "base", 1, 3);
        v.name = "Zhang San";
        v.level = Level.GOLD;
        v.since = LocalDate.of(1999, 12, 31);
        v.home = new Address("Nanjing Road", "上海", 8);
        v.others = list(new Address("Main Street", null, -1));
        v.limit = new BigDecimal("12345678901234567890.50");
        return v;
    }

    private static Choices choices() {
        Choices c = new Choices();
        c.level = Level.SILVER;
        c.step = Step.SUB;
        c.levels = list(Level.BASIC, null, Level.GOLD);
        c.steps = list(Step.ADD, Step.SUB);
        c.counts = new LinkedHashMap<>();
        c.counts.put(Level.GOLD, 1);
        c.counts.put(Level.BASIC, null);
        c.set = EnumSet.of(Level.GOLD, Level.SILVER);
        return c;
    }

    private static Answers answers() {
        Answers a = new Answers();
        a.words = new Result<>(list("word one", "word two"));
        a.counts = new Result<>(map("count", 1));
        a.one = new Result<>(customer(1));
        a.page = new Page<>(list(customer(2), customer(3)));
        a.pair = new Pair<>("left one", 2L);
        a.text = new Box<>("boxed");
        a.number = new Box<>(42);
        a.wild = new Box<>("anything");
        a.boxes = list(new Box<>("a1"), new Box<>("b2"));
        return a;
    }

    private static Bound bound() {
        Bound b = new Bound();
        b.box = new StringBox("string box");
        b.order = new LinkedHashSet<>(list(3, 1, 2));
        return b;
    }

    private static Nested nested() {
        Nested n = new Nested();
        n.matrix = list(list(1, 2), list(), list(3, null));
        n.series = map("s1", list(1L, 2L));
        n.series.put("s2", null);
        n.texts = map("outer", map("inner", "text"));
        n.rows = list(map("k1", (Object) 1), map("k2", (Object) list("deep")));
        n.sorted = new TreeMap<>(Map.of("b", 2, "a", 1));
        n.names = new TreeSet<>(list("z", "y"));
        n.any = map("mixed", list(1.5, true));
        return n;
    }

    private static Everything filled() {
        Everything e = new Everything();
        e.flag = true;
        e.tiny = -2;
        e.small = -300;
        e.whole = 70000;
        e.large = 1L << 40;
        e.single = 1.5f;
        e.exact = -2.25;
        e.letter = '张';
        e.text = "text 其他 \uD83D\uDE00";
        e.date = new Date(1700000000123L);
        e.amount = new BigDecimal("-12.340");
        e.huge = new BigInteger("-123456789012345678901234567890");
        e.list = list("a1", null, "c3");
        e.map = map("key", 1);
        e.ints = new int[] {1, -1, 1 << 30};
        e.objects = new Object[] {1, "two", null};
        e.address = new Address("Street", "City", 1);
        e.customer = customer(9);
        e.level = Level.BASIC;
        e.day = LocalDate.of(2024, 1, 2);
        e.any = 5L;
        return e;
    }

    private static Primitives primitives() {
        Primitives p = new Primitives();
        p.flag = true;
        p.tiny = -128;
        p.small = -32768;
        p.whole = Integer.MIN_VALUE;
        p.large = Long.MIN_VALUE;
        p.single = -0.0f;
        p.exact = Double.MIN_VALUE;
        p.letter = 'A';
        return p;
    }

    private static Rows rows() {
        Rows r = new Rows();
        r.flags = new boolean[] {true, false, true};
        r.bytes = new byte[] {1, -1};
        r.shorts = new short[] {2, -2};
        r.chars = new char[] {'a', '中'};
        r.ints = new int[] {3, -3};
        r.longs = new long[] {4, -4};
        r.floats = new float[] {1.5f};
        r.doubles = new double[] {2.5, -0.0};
        r.strings = new String[] {"ab", null, ""};
        r.boxes = new Integer[] {5, null};
        r.objects = new Object[] {1, "x1", null, list("deep")};
        r.table = new int[][] {{1, 2}, null, {}};
        r.levels = new Level[] {Level.GOLD, null};
        r.addresses = new Address[] {new Address("s1", "c1", 1), null};
        r.entities = new Entity[] {new Entity(1L, "plain", 2), customer(4)};
        return r;
    }

    private static Node chain() {
        Node first = new Node("first");
        first.next = new Node("second");
        first.next.children.add(new Node("leaf"));
        first.children.add(new Node("child1"));
        first.children.add(new Node("child2"));
        return first;
    }

    private static Node ring() {
        Node a = new Node("a1");
        Node b = new Node("b2");
        a.next = b;
        b.next = a;
        a.children.add(a);
        a.children.add(b);
        return a;
    }

    private static Shared shared() {
        Shared s = new Shared();
        s.left = new Node("same");
        s.right = s.left;
        s.names = list("x1", "y2");
        s.sameNames = s.names;
        s.at = new Date(1700000000123L);
        return s;
    }

    private static Shared sameDates() {
        Shared s = new Shared();
        s.at = new Date(1700000000123L);
        s.sameAt = s.at;
        return s;
    }

    private static Times times() {
        Times t = new Times();
        t.day = LocalDate.of(2024, 2, 29);
        t.time = LocalTime.of(9, 30, 15, 1_000_000);
        t.at = LocalDateTime.of(2024, 1, 2, 3, 4);
        t.instant = Instant.ofEpochSecond(1_700_000_000L, 5);
        t.took = Duration.ofMillis(-1500);
        t.offset = OffsetDateTime.of(2024, 1, 2, 3, 4, 5, 0, ZoneOffset.ofHours(8));
        t.zoned = ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneId.of("Asia/Shanghai"));
        t.uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        return t;
    }

    private static Maybe maybe() {
        Maybe m = new Maybe();
        m.some = Optional.of("some");
        m.empty = Optional.empty();
        m.number = OptionalInt.of(-5);
        m.name = "name";
        return m;
    }

    private static Failure failure() {
        Failure f = new Failure();
        f.code = "E42";
        f.cause = new IllegalStateException("no stock");
        f.cause.setStackTrace(new StackTraceElement[] {new StackTraceElement("demo.Stock", "take", "Stock.java", 42)});
        return f;
    }
}
