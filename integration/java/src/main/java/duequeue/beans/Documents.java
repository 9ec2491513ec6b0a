package duequeue.beans;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The beans for the codecs that write what a bean holds and not which objects are
 * one: Jackson's. The Go side has the same ones.
 */
public final class Documents {
    private static final Date AT = new Date(1700000000123L);
    private static final UUID ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    private Documents() {
    }

    /** Returns a new document; two calls give equal ones. */
    public static Object of(String name) {
        return switch (name) {
            case "ledger" -> ledger();
            case "blank" -> new Ledger();
            case "price" -> price();
            case "shelves" -> shelves();
            case "picks" -> picks();
            case "drawing" -> drawing();
            case "route" -> route();
            case "replies" -> replies();
            case "grid" -> grid();
            case "account" -> account();
            case "reading" -> reading();
            case "spot" -> new Spot("上海", 8);
            default -> throw new IllegalArgumentException("no document called " + name);
        };
    }

    @SafeVarargs
    private static <T> List<T> list(T... items) {
        return new ArrayList<>(Arrays.asList(items));
    }

    private static <V> Map<String, V> map(String key, V value) {
        Map<String, V> map = new HashMap<>();
        map.put(key, value);
        return map;
    }

    private static Date date(long plus) {
        return new Date(AT.getTime() + plus);
    }

    private static Ledger ledger() {
        Ledger l = new Ledger();
        l.id = 1L << 40;
        l.boxedId = 2L;
        l.count = -70000;
        l.boxedCount = 70000;
        l.small = -300;
        l.boxedSmall = 300;
        l.tiny = -2;
        l.boxedTiny = 2;
        l.price = -2.25;
        l.boxedPrice = 1e21;
        l.rate = 1.5f;
        l.boxedRate = -0.25f;
        l.letter = '张';
        l.boxedLetter = 'A';
        l.open = true;
        l.boxedOpen = false;
        l.text = "text \"其他\" \\ / <&> \n \uD83D\uDE00";
        l.huge = new BigInteger("-12345678901234");
        l.at = date(0);
        l.uuid = ID;
        l.level = Level.GOLD;
        l.blob = new byte[] {0, 1, -1, 127};
        l.anyLong = 5L;
        l.anyInt = 6;
        l.anyText = "any";
        l.anyDate = date(1);
        return l;
    }

    private static Price price() {
        Price p = new Price();
        p.amount = new BigDecimal("12.30");
        p.thousand = new BigDecimal("1E+3");
        p.tiny = new BigDecimal("-0.000000001");
        p.any = new BigDecimal("12345678901234567890.50");
        return p;
    }

    private static Shelves shelves() {
        Shelves s = new Shelves();
        s.texts = list("a1", null, "");
        s.longs = list(1L, null, 1L << 40);
        s.ints = list(1, null, -1);
        s.dates = list(date(2), null);
        s.ids = list(ID);
        s.levels = list(Level.BASIC, null, Level.GOLD);
        s.blobs = list(new byte[] {1}, new byte[] {});
        s.table = list(list(1L, 2L), list(), list(3L));
        s.counts = map("one", 1L);
        s.counts.put("two", 2L);
        s.days = map("first", date(3));
        s.series = map("s1", list(1L, 2L));
        s.nested = map("outer", map("inner", "text"));
        s.byNumber = new HashMap<>();
        s.byNumber.put(7L, "seven");
        s.byNumber.put(1L << 40, "large");
        s.names = new HashSet<>(list("y", "z"));
        s.mixed = list(1, 2L, "three", 4.5, true, null, date(4), Level.SILVER, list("deep", 5L), map("k", 6L));
        s.attributes = map("k", (Object) 1);
        s.attributes.put("l", 2L);
        s.attributes.put("list", list("x", 3L));
        s.attributes.put("map", map("y", 4L));
        s.attributes.put("spot", new Spot("Berlin", 1));
        s.empty = list();
        return s;
    }

    private static Picks picks() {
        Picks p = new Picks();
        p.level = Level.SILVER;
        p.step = Step.SUB;
        p.levels = list(Level.BASIC, null, Level.GOLD);
        p.steps = list(Step.ADD, Step.SUB);
        p.byLevel = new HashMap<>(Map.of(Level.GOLD, 1L));
        p.set = EnumSet.of(Level.GOLD, Level.SILVER);
        p.any = Level.BASIC;
        p.anyStep = Step.ADD;
        return p;
    }

    private static Circle circle(String name, double radius) {
        Circle c = new Circle();
        c.name = name;
        c.radius = radius;
        return c;
    }

    private static Square square(String name, Long side) {
        Square s = new Square();
        s.name = name;
        s.side = side;
        return s;
    }

    private static Shape shape(String name) {
        Shape s = new Shape();
        s.name = name;
        return s;
    }

    private static Drawing drawing() {
        Drawing d = new Drawing();
        d.main = circle("c1", 1.5);
        d.all = list(square("s1", 5L), circle("c2", 0), shape("plain"), null);
        d.named = map("first", square("s2", null));
        d.any = circle("c3", -1);
        d.corner = new Spot("上海", 8);
        d.corners = list(new Spot(null, -1), new Spot("Berlin", 0));
        return d;
    }

    private static Route route() {
        Route r = new Route();
        r.from = new Point(1, 2);
        r.stops = list(new Point(3, 4), new Point(5, 6));
        r.line = new Line(new Point(1, 2), null, list("a1", "b2"), Level.GOLD, 7, list(1, "x1"), 1L << 40);
        return r;
    }

    private static Replies replies() {
        Replies r = new Replies();
        r.words = new Result<>(list("word one", "word two"));
        r.counts = new Result<>(map("count", 1L));
        r.shape = new Result<>(circle("c4", 2));
        r.pair = new Pair<>("left one", 2L);
        r.number = new Box<>(42L);
        r.numbers = list(new Result<>(7L));
        r.boxes = list(new Box<>("a1"), new Box<>("b2"));
        return r;
    }

    private static Grid grid() {
        Grid g = new Grid();
        g.flags = new boolean[] {true, false, true};
        g.bytes = new byte[] {1, -1};
        g.shorts = new short[] {2, -2};
        g.chars = new char[] {'a', '中'};
        g.ints = new int[] {3, -3};
        g.longs = new long[] {4, -4};
        g.floats = new float[] {1.5f};
        g.doubles = new double[] {2.5, -0.0};
        g.strings = new String[] {"ab", null, ""};
        g.boxes = new Integer[] {5, null};
        g.boxedLongs = new Long[] {6L, null};
        g.objects = new Object[] {1, 2L, "x1", null, list("deep", 3L)};
        g.table = new int[][] {{1, 2}, null, {}};
        g.levels = new Level[] {Level.GOLD, null};
        g.spots = new Spot[] {new Spot("c1", 1), null};
        g.shapes = new Shape[] {circle("c5", 1), null, shape("p2")};
        return g;
    }

    private static Account account() {
        Account a = new Account();
        a.setId(7L);
        a.setOwner("张三");
        a.setActive(true);
        return a;
    }

    private static Reading reading() {
        Reading r = new Reading();
        r.id = 7;
        r.count = -3;
        r.sensor = "温度 1";
        r.value = 20.5;
        r.error = 0.25f;
        r.valid = true;
        r.level = Level.SILVER;
        r.at = date(0);
        r.raw = new byte[] {1, 2, -1};
        r.tags = list("a", "b");
        r.totals = map("all", 5L);
        r.place = new Spot("上海", 8);
        r.places = list(new Spot("Berlin", 1), new Spot("Paris", 2));
        return r;
    }
}
