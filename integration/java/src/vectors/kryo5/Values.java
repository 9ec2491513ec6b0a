package demo;

import io.netty.buffer.ByteBuf;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.*;
import java.time.temporal.ChronoUnit;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.regex.Pattern;
import org.redisson.codec.Kryo5Codec;

/** Prints what Kryo5Codec writes for one value of every kind: settings, label, hex, whether Java reads it back. */
public class Values {
    enum Color { RED, GREEN, BLUE }
    enum Op { ADD { int f() { return 1; } }, SUB { int f() { return 2; } }, NOP; int f() { return 0; } }
    static class Prims { boolean z = true; byte b = -2; char c = 'A'; short s = -3; int i = -4; long l = -5; float f = 1.5f; double d = 2.5; }
    static class Boxed { Boolean z = true; Byte b = -2; Character c = 'A'; Short s = -3; Integer i = -4; Long l = -5L; Float f = 1.5f; Double d = 2.5; Integer nul; String str = "x"; String nstr; }
    static class Arrays2 { boolean[] z = {true, false}; byte[] b = {1, -1}; char[] c = {'a', '\u4e09'}; short[] s = {1, -1}; int[] i = {1, -1}; long[] l = {1, -1}; float[] f = {1.5f}; double[] d = {2.5}; String[] sa = {"ab", null}; Integer[] ia = {1, null}; int[][] ii = {{1}, null, {}}; Object[][] oo = {{1, "x"}, {}, null}; Color[] ca = {Color.RED, null}; Op[] op = {Op.ADD, Op.NOP}; Inner[] in = {new Inner(1), null}; FinalInner[] fi = {new FinalInner(1), null}; List<?>[] ls = {List.of("q1")}; Number[] n = {1, 2L}; String[][] ss = {{"ab"}, null}; }
    static class Times2 { Duration du = Duration.ofSeconds(5, 7); Instant in = Instant.ofEpochSecond(1700000000L, 5); LocalTime lt = LocalTime.of(9, 30); ZoneOffset zo = ZoneOffset.ofHours(8); ZoneId zi = ZoneId.of("Asia/Shanghai"); ZoneId zi2 = ZoneOffset.UTC; OffsetTime ot = OffsetTime.of(9, 0, 0, 0, ZoneOffset.ofHours(-3)); OffsetDateTime odt = OffsetDateTime.of(2024, 2, 29, 1, 2, 3, 4, ZoneOffset.ofHoursMinutes(5, 30)); ZonedDateTime zdt = ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneId.of("Europe/Berlin")); ZonedDateTime zd2 = ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneOffset.ofHours(8)); Year y = Year.of(2024); YearMonth ym = YearMonth.of(2024, 2); MonthDay md = MonthDay.of(2, 29); Period p = Period.of(1, -2, 3); DayOfWeek dow = DayOfWeek.MONDAY; Month mo = Month.MAY; ChronoUnit cu = ChronoUnit.DAYS; Instant nul; Date d = new Date(-1); java.sql.Date sd = new java.sql.Date(86400000L); Timestamp ts = new Timestamp(1700000000123L); }
    static class Inner { int v; Inner() {} Inner(int v) { this.v = v; } }
    static final class FinalInner { int v; FinalInner() {} FinalInner(int v) { this.v = v; } }
    static class Par { private int a = 1; protected String z = "pz"; int same = 10; }
    static class Child extends Par { private int b = 2; int same = 20; transient int t = 5; static int st = 6; int A1 = 7; int _u = 8; int $d = 9; }
    record Rec(int zed, String name, List<String> tags, Integer boxed, Object any, long big, Color col) {}
    record Empty() {}
    record Gen2<T>(T t, List<T> l, Box<String> b) {}
    static class Box<T> { T value; List<T> list = new ArrayList<>(); Box() {} Box(T t) { value = t; list.add(t); } }
    static class StrBox extends Box<String> { int extra = 1; StrBox() { super("sbx"); } }
    static class Pair<A, B2> { A a; B2 b; Pair() {} Pair(A a, B2 b) { this.a = a; this.b = b; } }
    static class Outer<X> { Pair<X, String> p; Outer() {} Outer(X x, String s) { p = new Pair<>(x, s); } }
    static class Node { String n; Node next; List<Node> kids = new ArrayList<>(); }
    static class Gen {
        List<String> ls = new ArrayList<>(List.of("a1", "b2")); List<Integer> li = new ArrayList<>(Arrays.asList(1, null)); List<Object> lo = new ArrayList<>(List.of(1, "x1"));
        @SuppressWarnings("rawtypes") List raw = new ArrayList<>(List.of("r1", "r2")); List<?> wild = new ArrayList<>(List.of("w1")); List<? extends Number> wnum = new ArrayList<>(List.of(5)); List<? extends String> wstr = new ArrayList<>(List.of("ws"));
        Map<String, Integer> msi = new HashMap<>(Map.of("k1", 9)); Map<String, Object> mso = new HashMap<>(Map.of("k1", 9)); Map<String, List<Long>> msl = new HashMap<>(Map.of("k1", new ArrayList<>(List.of(8L))));
        List<List<String>> lls = new ArrayList<>(List.of(new ArrayList<>(List.of("n1", "n2")), new ArrayList<>(List.of("n3")))); List<Inner> lin = new ArrayList<>(List.of(new Inner(1), new Inner(2))); List<FinalInner> lfi = new ArrayList<>(List.of(new FinalInner(1), new FinalInner(2)));
        Set<Color> sc = new HashSet<>(Set.of(Color.BLUE)); List<String> empty = new ArrayList<>(); List<String> nul; Collection<String> imm = List.of("i1", "i2"); Collection<String> imm3 = List.of("i1", "i2", "i3"); Set<Integer> ims = Set.of(1); Map<String, Integer> imm1 = Map.of("k1", 1); Map<String, String> imn = Map.of();
        Collection<String> aal = Arrays.asList("p1", "p2"); List<String> sing = Collections.singletonList("s1"); List<String> el = Collections.emptyList(); List<String[]> lsa = new ArrayList<>(List.<String[]>of(new String[] {"q1"}));
        Box<String> bs = new Box<>("bx"); Box<Integer> bi = new Box<>(3); Box<?> bw = new Box<>("bw"); StrBox sb = new StrBox(); List<Box<String>> lbs = new ArrayList<>(List.of(new Box<>("l1"))); Pair<String, Integer> p = new Pair<>("pa", 1); TreeMap<String, Integer> tm = new TreeMap<>(Map.of("t1", 1));
        TreeSet<String> ts = new TreeSet<>(List.of("u1")); TreeSet<String> tr = new TreeSet<>(Collections.reverseOrder()); PriorityQueue<Long> pq = new PriorityQueue<>(List.of(3L)); { tr.add("v1"); }
        Map<Integer, Integer> mi = Map.of(1, 2); List<LocalDate> ld = new ArrayList<>(Arrays.asList(LocalDate.of(2024, 1, 2), null)); Map<String, Object> mn = new LinkedHashMap<>(); Iterable<String> it = new ArrayList<>(List.of("it")); AtomicReference<String> ar = new AtomicReference<>("ar"); Optional<List<String>> ol = Optional.of(new ArrayList<>(List.of("ol"))); Set<Color> es = EnumSet.of(Color.RED); Map<Color, Integer> hmc = new HashMap<>(Map.of(Color.RED, 1)); List<Op> ops = new ArrayList<>(List.of(Op.ADD)); List<Object[]> los = new ArrayList<>(List.<Object[]>of(new Object[] {"b1"})); List<? extends List<String>> wl = new ArrayList<>(List.of(new ArrayList<>(List.of("wl")))); Properties props = new Properties(); { mn.put(null, null); props.put("pk", "pv"); }
        Map<String, Map<String, Integer>> mm = new HashMap<>(Map.of("a1", new HashMap<>(Map.of("b1", 1)))); Map<List<String>, Set<Long>> mk = new HashMap<>(Map.of(new ArrayList<>(List.of("c1")), new HashSet<>(Set.of(2L)))); Map<String, String[]> ms = new HashMap<>(Map.of("d1", new String[] {"e1"})); List<int[]> lia = new ArrayList<>(List.of(new int[] {1})); List<List<List<Integer>>> l3 = new ArrayList<>(List.of(new ArrayList<>(List.of(new ArrayList<>(List.of(1))))));
        Map<Box<String>, Box<Integer>> mbb = new HashMap<>(); { mbb.put(new Box<>("mk"), new Box<>(6)); }
        List<Empty> le = new ArrayList<>(List.of(new Empty(), new Empty()));
    }
    static class Mid<J> extends Base<J> { J j; }
    static class Base<I> { I id; }
    static class UseMid { Mid<Long> m = new Mid<>(); { m.id = 1L; m.j = 2L; } }
    static class Bnd<T extends Number> { T n; List<T> ln; }
    @SuppressWarnings({"rawtypes", "unchecked"}) static class HB { Bnd<Integer> b = new Bnd<>(); Bnd<?> w = new Bnd<>(); Bnd raw = new Bnd(); { b.n = 1; b.ln = new ArrayList<>(List.of(2)); ((Bnd) w).n = 3; ((Bnd) w).ln = new ArrayList<>(List.of(4)); raw.n = 5; raw.ln = new ArrayList<>(List.of(6)); } }
    static class Box2<T> { Object any; T value; }
    @SuppressWarnings({"rawtypes", "unchecked"}) static class H { Box2<String> b = new Box2<>(); { Box2 raw = new Box2(); raw.value = "in"; b.any = raw; b.value = "out"; } }
    static class Result<T> { int code = 200; String msg = "ok"; T data; Result() {} Result(T t) { data = t; } }
    static class UseResult { Result<Inner> ri = new Result<>(new Inner(3)); Result<FinalInner> rf = new Result<>(new FinalInner(4)); Result<List<Inner>> rl = new Result<>(new ArrayList<>(List.of(new Inner(5)))); Result<Result<String>> rr = new Result<>(new Result<>("deep")); Result<int[]> ra = new Result<>(new int[] {6}); Result<Color> rc = new Result<>(Color.GREEN); Result<Op> ro = new Result<>(Op.SUB); }
    static class MyMap2 extends HashMap<String, Integer> {}
    static class UM2 { MyMap2 m = new MyMap2(); { m.put("ab", 1); } }
    static class Names extends ArrayList<String> { int lost = 5; }
    static class ByLength implements Comparator<String> { public int compare(String a, String b) { return a.length() - b.length(); } }
    static class Failure extends RuntimeException { int code = 7; Failure(String m) { super(m, null, false, true); setStackTrace(new StackTraceElement[0]); } }

    private static final List<Object[]> values = new ArrayList<>();

    private static void add(String label, Object value) { values.add(new Object[] {label, value}); }

    private static void scalars() throws Exception {
        add("StringBuilder", new StringBuilder("sb")); add("StringBuffer", new StringBuffer("sb")); add("Currency", Currency.getInstance("CNY"));
        add("URL", new URL("http://a.b/c?d")); add("URI", URI.create("http://a.b/c")); add("ZoneRegion", ZoneId.of("Asia/Shanghai")); add("SimpleTimeZone", TimeZone.getTimeZone("GMT+8")); add("SimpleTimeZone itself", new SimpleTimeZone(3600000, "Europe/Paris"));
        add("US_ASCII", StandardCharsets.US_ASCII); add("UTF_16", StandardCharsets.UTF_16); add("Locale variant", new Locale("de", "DE", "1996"));
        GregorianCalendar cal = new GregorianCalendar(TimeZone.getTimeZone("Asia/Shanghai"), Locale.CHINA); cal.setTimeInMillis(1700000000123L); add("Calendar", cal);
        add("int.class", int.class); add("Integer.class", Integer.class); add("Class nested", Inner.class); add("Class unknown array", Thread[].class); add("void.class", void.class); add("int[].class", int[].class);
        add("Pattern flags", Pattern.compile("a.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL)); add("Timestamp", new Timestamp(5)); add("Date neg", new Date(-1));
        add("boolean[]", new boolean[] {true, false}); add("char[]", new char[] {'a', '\uffff'}); add("double[]", new double[] {1.5, Double.NaN}); add("int[][]", new int[][] {{1, 2}, null, {}}); add("Object[][]", new Object[][] {{1, "ab"}, null, {}}); add("Integer[]", new Integer[] {1, null}); add("Number[]", new Number[] {1, 2L, null}); add("byte[] empty", new byte[0]);
        add("Color[]", new Color[] {Color.BLUE, null}); add("Op[]", new Op[] {Op.ADD, Op.NOP}); add("String[][]", new String[][] {{"ab", null}, null});
        add("BigDecimal 0", BigDecimal.ZERO); add("BigInteger big", BigInteger.ONE.shiftLeft(200).negate()); add("UUID", new UUID(1, -2)); add("BitSet", BitSet.valueOf(new long[] {5, 0, 1}));
        add("OptionalInt", OptionalInt.of(5)); add("OptionalLong empty", OptionalLong.empty()); add("OptionalDouble", OptionalDouble.of(2.5)); add("Optional empty", Optional.empty()); add("Optional list", Optional.of(new ArrayList<>(List.of("o1"))));
        add("AtomicReference null", new AtomicReference<>()); add("AtomicReference list", new AtomicReference<>(new ArrayList<>(List.of(1)))); add("AtomicBoolean", new AtomicBoolean(false)); add("AtomicInteger", new AtomicInteger(-1)); add("AtomicLong", new AtomicLong(1L << 40));
        add("OffsetTime", OffsetTime.of(9, 30, 0, 0, ZoneOffset.ofTotalSeconds(3661))); add("Year", Year.of(-5)); add("YearMonth", YearMonth.of(2024, 12)); add("Period", Period.of(-1, 2, 100)); add("ZoneOffset UTC", ZoneOffset.UTC); add("ZonedDateTime offset", ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 0, ZoneOffset.ofHours(8)));
        add("Duration", Duration.ofNanos(1)); add("Instant neg", Instant.ofEpochSecond(-1, 999999999)); add("LocalTime nanos", LocalTime.of(1, 0, 0, 1)); add("LocalDateTime", LocalDateTime.of(2024, 2, 29, 0, 0));
        add("ChronoUnit", ChronoUnit.FOREVER); add("RoundingMode", java.math.RoundingMode.HALF_UP); add("Op NOP", Op.NOP); add("Op SUB", Op.SUB);
    }

    private static void containers() {
        add("emptySet", Collections.emptySet()); add("emptyMap", Collections.emptyMap()); add("singletonMap", Collections.singletonMap("a1", null)); add("singletonList null", Collections.singletonList(null));
        add("EnumSet Op", EnumSet.of(Op.SUB, Op.NOP)); add("EnumSet Op empty", EnumSet.noneOf(Op.class)); add("EnumSet Op all", EnumSet.allOf(Op.class)); add("EnumSet Unit", EnumSet.of(TimeUnit.DAYS, TimeUnit.SECONDS)); add("EnumSet Script", EnumSet.of(ChronoUnit.DAYS));
        EnumMap<Color, Object> em = new EnumMap<>(Color.class); add("EnumMap empty", new EnumMap<>(em)); em.put(Color.GREEN, 5); em.put(Color.BLUE, null); add("EnumMap", em);
        ConcurrentHashMap<String, Object> chm = new ConcurrentHashMap<>(); chm.put("k1", 1L); add("ConcurrentHashMap", chm); add("KeySetView", ConcurrentHashMap.newKeySet()); Set<String> ksv = ConcurrentHashMap.newKeySet(); ksv.add("m1"); add("KeySetView 1", ksv); add("keySet(v)", chm.keySet("dv"));
        TreeMap<String, Integer> ci = new TreeMap<>(String.CASE_INSENSITIVE_ORDER); ci.put("Ab", 1); add("TreeMap CI", ci); TreeSet<Integer> no = new TreeSet<>(Comparator.naturalOrder()); no.add(1); add("TreeSet natural", no); TreeSet<Integer> ro = new TreeSet<>(Comparator.reverseOrder()); ro.add(1); ro.add(2); add("TreeSet reverse", ro); TreeSet<String> bl = new TreeSet<>(new ByLength()); bl.add("ab"); add("TreeSet own", bl); TreeSet<String> r2 = new TreeSet<>(Collections.reverseOrder(new ByLength())); r2.add("ab"); add("TreeSet reverse own", r2); add("TreeSet empty", new TreeSet<>()); add("TreeMap empty", new TreeMap<>());
        ConcurrentSkipListMap<Long, String> sk = new ConcurrentSkipListMap<>(); sk.put(1L, "s"); add("ConcurrentSkipListMap", sk); add("PriorityBlockingQueue", new PriorityBlockingQueue<>(List.of(2, 1))); add("LinkedBlockingDeque", new LinkedBlockingDeque<>(List.of("a1"))); add("LinkedHashSet", new LinkedHashSet<>(List.of("b1", "a1"))); add("HashSet", new HashSet<>(List.of(1, 2, 3))); add("Vector", new Vector<>(List.of(1))); add("LinkedList", new LinkedList<>(Arrays.asList("l1", null)));
        add("Set.of 2", new TreeSet<>(Set.of(1, 2)).size()); add("List.copyOf", List.copyOf(Arrays.asList(1, "x", 2L))); add("List.of sub", List.of(1, 2, 3).subList(1, 3)); Map<String, Object> deep = new LinkedHashMap<>(); deep.put("a", new ArrayList<>(List.of(new HashMap<>(Map.of("b", new BigDecimal("1.50")))))); add("deep", deep);
        add("unmodifiableSet", Collections.unmodifiableSet(new HashSet<>(List.of("x")))); add("unmodifiableCollection", Collections.unmodifiableCollection(new ArrayList<>(List.of("x")))); add("unmodifiable linked", Collections.unmodifiableList(new LinkedList<>(List.of("x")))); add("unmodifiableSortedMap", Collections.unmodifiableSortedMap(new TreeMap<>(Map.of("a", 1)))); add("synchronizedList", Collections.synchronizedList(new ArrayList<>(List.of(1, 2)))); add("synchronizedMap", Collections.synchronizedMap(new HashMap<>(Map.of("a", 1)))); add("checkedList", Collections.checkedList(new ArrayList<>(List.of("c")), String.class));
        List<Object> two = Collections.unmodifiableList(new ArrayList<>(List.of(new Date(5)))); add("unmodifiable twice", new ArrayList<>(Arrays.asList(two, Collections.unmodifiableMap(new LinkedHashMap<>(Map.of("k", "v"))), two)));
    }

    private static void beans() throws Exception {
        add("Prims", new Prims()); add("Boxed", new Boxed()); add("Arrays", new Arrays2()); add("Times", new Times2()); add("Child", new Child()); add("Rec", new Rec(1, "n", new ArrayList<>(List.of("t1")), 5, "any", 9L, Color.RED)); add("Rec nulls", new Rec(0, null, null, null, null, 0, null)); add("Empty", new Empty()); add("Empties", new ArrayList<>(List.of(new Empty(), new Empty(), new Empty())));
        add("record generic", new Gen2<>("gt", new ArrayList<>(List.of("gl")), new Box<>("gb"))); add("Gen", new Gen()); add("UseMid", new UseMid()); add("HB", new HB()); add("H", new H()); add("UseResult", new UseResult()); add("Outer", new Outer<>(1, "s")); add("UM2", new UM2()); add("Names", new Names()); Names n = new Names(); n.add("nn"); add("Names 1", n);
        add("Inners", new ArrayList<>(Arrays.asList(new Inner(1), null, new Inner(2)))); add("FinalInners", new ArrayList<>(List.of(new FinalInner(1), new FinalInner(2)))); add("Result list", new Result<>(new ArrayList<>(List.of("rl"))));
        add("Failure", new Failure("boom")); add("Failures", new ArrayList<>(List.of(new Failure("one"), new Failure("three"))));
        add("Inet6", InetAddress.getByAddress(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})); add("InetSocketAddress", InetSocketAddress.createUnresolved("host", 80)); add("Inet4s", new ArrayList<>(List.of(InetAddress.getByAddress("a", new byte[] {1, 2, 3, 4}), InetAddress.getByAddress("b", new byte[] {5, 6, 7, 8}))));
    }

    private static void shared() {
        Inner in = new Inner(1); List<Object> list = new ArrayList<>(List.of(in, in)); list.add(list.get(0)); add("shared bean", list);
        Node a = new Node(), b = new Node(); a.n = "a"; b.n = "b"; a.next = b; b.next = a; a.kids.add(a); a.kids.add(b); add("cycle", a);
        Map<String, Object> m = new HashMap<>(); m.put("self", m); add("map in itself", m);
        Object[] arr = new Object[2]; arr[0] = arr; arr[1] = "end"; add("array in itself", arr);
        BigDecimal d = new BigDecimal("1.5"); String s = new String("shared"); add("shared scalars", new ArrayList<>(Arrays.asList(d, d, s, s, new String("shared"), LocalDate.of(2024, 1, 1), null)));
        AtomicReference<Object> r = new AtomicReference<>(); r.set(r); add("reference to itself", r);
        List<Object> inner = new ArrayList<>(); inner.add(Optional.of(inner)); add("list in its optional", inner);
        Result<List<String>> res = new Result<>(new ArrayList<>(List.of("x1"))); add("shared generic", new ArrayList<>(List.of(res, res.data, res)));
    }

    private static void print(String config, Kryo5Codec codec) {
        for (Object[] v : values) {
            String hex = "", back;
            try {
                ByteBuf buf = codec.getValueEncoder().encode(v[1]);
                StringBuilder text = new StringBuilder();
                for (int i = 0; i < buf.readableBytes(); i++) text.append(String.format("%02x", buf.getByte(i)));
                hex = text.toString();
                try { Object got = codec.getValueDecoder().decode(buf, null); back = got == null ? "null" : "ok:" + got.getClass().getName(); } catch (Throwable e) { back = "READFAIL"; }
            } catch (Throwable e) { back = "WRITEFAIL"; }
            System.out.println(config + "\t" + v[0] + "\t" + hex + "\t" + back);
        }
    }

    private static Kryo5Codec codec(Set<String> allowedClasses, boolean useReferences) throws Exception {
        return Kryo5Codec.class.getConstructor(Set.class, boolean.class).newInstance(allowedClasses, useReferences); // old releases lack it
    }

    public static void main(String[] args) throws Exception {
        scalars(); containers(); beans();
        if (args.length > 0) { print(args[0], new Kryo5Codec()); return; }
        print("4.7.0", new Kryo5Codec());
        shared();
        print("4.7.0/refs", codec(Set.of(), true));
        values.clear();
        add("ArrayList", new ArrayList<>(List.of("ab"))); add("bean", new Inner(5)); add("map", new HashMap<>(Map.of("ab", new Date(5)))); add("op", Op.SUB); add("ops", new ArrayList<>(List.of(Op.SUB, Op.NOP))); add("EnumMap", new EnumMap<>(Map.of(Color.RED, 1))); add("not allowed", new LinkedList<>()); add("Class", Inner.class); add("Inner[]", new Inner[] {new Inner(7)}); add("EnumSet", EnumSet.of(Color.RED));
        print("4.7.0/allowed", codec(new HashSet<>(List.of("demo.Values$Inner", "java.util.ArrayList", "java.util.Date", "java.util.HashMap", "demo.Values$Op", "java.util.EnumMap", "demo.Values$Color", "java.lang.Class", "[Ldemo.Values$Inner;", "java.lang.String", "java.util.EnumSet")), false));
    }
}
