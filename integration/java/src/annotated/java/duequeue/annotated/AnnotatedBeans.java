package duequeue.annotated;

import duequeue.beans.Level;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.UUID;

/** Beans with Jackson's annotations, for releases that come with Jackson 2.12 or later. The Go side has the same ones. */
public final class AnnotatedBeans {
    private AnnotatedBeans() {
    }

    /** Returns a new bean; two calls give equal ones. */
    public static Object of(String name) {
        return switch (name) {
            case "full" -> annotated();
            case "blank" -> new Annotated();
            case "dated" -> dated();
            case "graded" -> graded();
            case "open" -> open();
            case "openTimes" -> openTimes();
            case "named" -> named();
            case "paid" -> paid();
            case "coded" -> coded();
            case "getters" -> getters();
            case "single" -> Single.sample(paid());
            case "reply" -> Reply.error();
            case "arranged" -> Arranged.sample();
            default -> throw new IllegalArgumentException("no annotated bean called " + name);
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
        return new Date(1700000000123L + plus);
    }

    private static Open open() {
        Open o = new Open();
        o.orderId = 1L << 60;
        o.amount = new BigDecimal("12.30");
        o.created = new Date(1700000000000L);
        o.day = new Date(1700006400000L);
        o.number = date(1);
        o.text = date(2);
        o.level = Level.GOLD;
        o.empty = list();
        o.secret = "not written";
        return o;
    }

    private static OpenTimes openTimes() {
        Dated d = dated();
        OpenTimes o = new OpenTimes();
        o.local = d.local;
        o.days = list(d.day, LocalDate.of(1999, 12, 31));
        o.instant = d.instant;
        o.offset = d.offset;
        o.numbers = d.numbers;
        o.seconds = d.seconds;
        o.duration = d.textDuration;
        return o;
    }

    private static Getters getters() {
        Getters g = new Getters();
        g.setVersion(3);
        g.setPaid(true);
        g.setURL("https://example.com/?a=1&b=<2>");
        g.setETag("e");
        g.setIsNew(false);
        g.setOrderNo("A-1");
        g.setUserId(1L << 60);
        g.setAt(new Date(1700000000000L));
        g.setDay(new Date(1700006400000L));
        g.setAmount(new BigDecimal("12.30"));
        g.setCode(Code.PAID);
        g.setGrade(Grade.BAD);
        g.setCodes(list(Code.OPEN, null, Code.LOST));
        g.setSecret("not written");
        g.setCounts(map("one", 1L << 40));
        g.setId(new UUID(1, 2));
        g.setMark('x');
        g.setBytes(new byte[] {1, 2, -3});
        return g;
    }

    private static Paid paid() {
        Paid p = new Paid();
        p.orderId = "P-1";
        p.cents = 1250L;
        return p;
    }

    private static Named coded() {
        Named n = new Named();
        n.code = Code.PAID;
        n.codes = list(Code.OPEN, null, Code.LOST, Code.HUGE);
        n.name = "coded";
        return n;
    }

    private static Named named() {
        Named n = new Named();
        Expired e = new Expired();
        e.orderId = "E-1";
        e.cause = paid();
        n.event = e;
        n.events = list(paid(), e, null);
        n.byName = map("one", paid());
        n.paid = paid();
        Circle c = new Circle();
        c.label = "c";
        c.radius = 1.5;
        n.shape = c;
        n.square = new Square();
        n.square.side = 4;
        n.shapes = list(n.square, c);
        n.cat = new Cat();
        n.cat.kind = "cat";
        n.cat.lives = 9;
        n.pet = n.cat;
        n.tool = new Tool();
        n.tool.owner = "me";
        n.open = paid();
        return n;
    }

    private static Graded graded() {
        Graded g = new Graded();
        g.grade = Grade.BAD;
        g.stage = Stage.DONE;
        g.grades = list(Grade.GOOD, null);
        g.stages = list(Stage.OPEN, Stage.LOST);
        g.byGrade = new TreeMap<>(Map.of(Grade.GOOD, 1, Grade.BAD, 3));
        g.byStage = new TreeMap<>(Map.of(Stage.DONE, 2));
        return g;
    }

    private static Annotated annotated() {
        Annotated a = new Annotated();
        a.orderId = "A-1";
        a.userId = 1L << 60;
        a.boxedId = -7L;
        a.count = 3;
        a.amount = new BigDecimal("12.30");
        a.huge = new BigInteger("-12345678901234567890");
        a.rate = 1.5;
        a.allIds = list(1L, null, 1L << 40);
        a.byName = map("one", 1L);
        a.createTime = date(0);
        a.createTime.setTime(a.createTime.getTime() / 1000 * 1000);
        a.utcTime = date(1);
        a.allTimes = list(date(2), null);
        a.textTime = date(3);
        a.zonedTime = date(4);
        a.numberTime = date(5);
        a.calendarTime = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
        a.calendarTime.setTimeInMillis(1700000000123L);
        a.level = Level.SILVER;
        a.allLevels = list(Level.GOLD, null, Level.BASIC);
        a.emptyText = "";
        a.emptyList = list();
        a.emptyMap = new HashMap<>();
        a.emptyLong = 0L;
        a.secret = "not written";
        a.forgotten = "not written";
        a.plainLong = 5L;
        return a;
    }

    private static Dated dated() {
        LocalDateTime at = LocalDateTime.of(2024, 2, 29, 23, 59, 58);
        Dated d = new Dated();
        d.local = at;
        d.zonedLocal = at.withSecond(0);
        d.day = at.toLocalDate();
        d.clock = LocalTime.of(7, 5);
        d.days = list(at.toLocalDate(), null, LocalDate.of(1999, 12, 31));
        d.instant = at.toInstant(ZoneOffset.UTC);
        d.offset = at.atOffset(ZoneOffset.UTC);
        d.zoned = at.atZone(ZoneOffset.UTC);
        d.numbers = at;
        d.seconds = d.instant.plusNanos(5);
        d.text = at;
        d.textInstant = d.instant;
        d.textDuration = Duration.ofSeconds(5, 6);
        d.plain = at;
        d.plainOffset = d.offset;
        d.plainZoned = d.zoned;
        d.plainInstant = d.instant;
        d.plainDate = Date.from(d.instant);
        d.mapperDate = d.plainDate;
        d.mapperOffset = d.offset;
        d.mapperZoned = d.zoned;
        return d;
    }
}
