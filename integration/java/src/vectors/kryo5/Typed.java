import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.*;
import org.redisson.client.codec.Codec;

/**
 * Writes typed.tsv: what a release's Kryo5Codec makes of the beans below.
 *
 * <pre>
 * java @integration/java/target/4.7.0/java.args integration/java/src/vectors/kryo5/Typed.java > codecs/kryo5/testdata/typed.tsv
 * </pre>
 */
public class Typed {
    public enum Color { RED, GREEN, BLUE }
    public enum Op { ADD { int f() { return 1; } }, SUB { int f() { return 2; } }; abstract int f(); }

    public static class Prims { boolean z = true; byte b = -2; char c = 'A'; short s = -3; int i = -4; long l = -5L; float f = 1.5f; double d = 2.5; }
    public static class Boxed { Boolean z = true; Byte b = -2; Character c = 'A'; Short s = -3; Integer i = -4; Long l = -5L; Float f = 1.5f; Double d = 2.5; Integer nul; String str = "x"; String nstr; }
    public static class Par { private int a = 1; protected String z = "pz"; int same = 10; }
    public static class Child extends Par { private int b = 2; long same = 20; int A1 = 7; int _u = 8; int $d = 9; }
    public static class Inner { int v; Inner() { } Inner(int v) { this.v = v; } }
    public static final class Sealed { int v; Sealed() { } Sealed(int v) { this.v = v; } }
    public static class Box<T> { T value; List<T> list = new ArrayList<>(); Box() { } Box(T t) { value = t; list.add(t); } }
    public static class StrBox extends Box<String> { int extra = 1; StrBox() { super("sbx"); } }
    public static class Pair<A, B> { A a; B b; Pair() { } Pair(A a, B b) { this.a = a; this.b = b; } }
    public static class Outer<X> { Pair<X, String> p; Outer() { } Outer(X x, String s) { p = new Pair<>(x, s); } }
    public static class Res<T> { int code = 200; String msg = "ok"; T data; Res() { } Res(T t) { data = t; } }
    public static class Tree<T> { Tree<T> left; T v; Tree() { } Tree(T v, Tree<T> l) { this.v = v; left = l; } }
    public static class Sup<A> { A a; List<A> la; }
    public static class Sub<B> extends Sup<B> { B b; Map<String, B> m; }
    public static class Node { String n; Node next; List<Node> kids = new ArrayList<>(); }
    public record Rec(int zed, String name, List<String> tags, Integer boxed, Object any, long big, Color col) { }

    public static class Lists {
        List<String> ls = list("a1", "b2", "張三"); List<Integer> li = list(1, null); List<Object> lo = list(1, "x1");
        List<List<String>> lls = list(list("n1", "n2"), list("n3")); List<Inner> lin = list(new Inner(1), new Inner(2));
        List<Sealed> lse = list(new Sealed(1), new Sealed(2)); List<String> empty = list(); List<String> nul;
        List<Long> ll = list(1L, -1L); List<Double> ld = list(0.5); List<Boolean> lb = list(true, false); List<Date> ldt = list(new Date(5));
        List<Inner> nulls = list(null, null); List<Color> lc = list(Color.BLUE, Color.RED); List<Op> lop = list(Op.ADD, Op.SUB);
        List<Map<String, String>> lm = list(map("k1", "v1")); byte[] bytes = {1, 2, -1};
    }
    public static class Maps {
        Map<String, Integer> msi = map("k1", 9); Map<String, Object> mso = map("k1", 9); Map<String, List<Long>> msl = map("k1", list(8L));
        Map<String, String> mss = map("orderId", "100"); Map<String, Inner> min = map("i1", new Inner(3)); Map<String, Sealed> mse = map("s1", new Sealed(4));
        Map<String, Map<String, Integer>> mm = map("a1", map("b1", 1)); Map<String, String> nul;
        Map<String, Object> plain = map("orderId", "100");
    }
    public static class Generics {
        Box<String> bs = new Box<>("bx"); Box<Integer> bi = new Box<>(3); StrBox sb = new StrBox(); List<Box<String>> lbs = list(new Box<>("l1"));
        Pair<String, Integer> p = new Pair<>("pa", 1); Res<List<String>> rl = new Res<>(list("d1")); Res<Inner> ri = new Res<>(new Inner(5));
        Tree<Integer> t = new Tree<>(1, new Tree<>(2, null)); Sub<Long> s = sub(); Outer<Integer> o = new Outer<>(6, "os");
        Res<Box<String>> rb = new Res<>(new Box<>("in"));
    }
    public static class Times {
        Date date = new Date(1700000000123L); Date early = new Date(-1L); Date nul; java.sql.Timestamp ts = new java.sql.Timestamp(1700000000123L);
        Instant instant = Instant.ofEpochSecond(1700000000L, 5); LocalDate day = LocalDate.of(2024, 2, 29); LocalDateTime wall = LocalDateTime.of(2024, 2, 29, 9, 30);
        Duration took = Duration.ofSeconds(-2, 1);
    }
    public static class Numbers {
        BigDecimal one = new BigDecimal("12.34"), minus = new BigDecimal("-128.5"), zero = BigDecimal.ZERO, huge = new BigDecimal("9223372036854775808.1"), least = new BigDecimal(Long.MIN_VALUE), nul;
        BigInteger whole = BigInteger.valueOf(-1);
    }
    public static class Enums { Color c = Color.GREEN; Color nul; Op op = Op.SUB; Object any = Color.RED; }
    public static class Wide { int[] ia = {1, -1}; String[] sa = {"ab", null}; Inner[] ins = {new Inner(1), null}; long big = Long.MIN_VALUE; int neg = Integer.MIN_VALUE; }

    @SafeVarargs static <T> ArrayList<T> list(T... items) { return new ArrayList<>(Arrays.asList(items)); }
    static <V> HashMap<String, V> map(String k, V v) { HashMap<String, V> m = new HashMap<>(); m.put(k, v); return m; }
    static Sub<Long> sub() { Sub<Long> s = new Sub<>(); s.a = 1L; s.b = 2L; s.la = list(3L); s.m = map("k1", 4L); return s; }
    static Node node() { Node r = new Node(), m = new Node(); r.n = "root"; m.n = "kid"; r.kids.add(m); r.next = new Node(); return r; }

    public static void main(String[] args) throws Exception {
        Codec codec = new org.redisson.codec.Kryo5Codec();
        Map<String, Object> values = new LinkedHashMap<>();
        for (Object o : new Object[]{new Prims(), new Boxed(), new Child(), new Lists(), new Maps(), new Generics(), new Times(), new Numbers(), new Enums(), new Wide(), node(),
            new Rec(1, "n", list("t1"), 2, "any", 3, Color.BLUE), new Box<>("top"), new Res<>(list("d1")), new Res<>(new Inner(7)), sub()}) {
            String label = o.getClass().getSimpleName();
            values.put(values.containsKey(label) ? label + "2" : label, o);
        }
        Lists sets = new Lists();
        sets.ls = List.of("i1", "i2"); sets.li = Arrays.asList(3, 4); sets.lo = Collections.singletonList("s"); sets.lls = new LinkedList<>(List.of(List.of("q1")));
        values.put("Lists of other classes", sets);
        Maps others = new Maps();
        others.msi = Map.of("m1", 1); others.mss = new LinkedHashMap<>(Map.of("l1", "l2")); others.mso = new TreeMap<>(Map.of("t1", 1));
        values.put("Maps of other classes", others);
        for (var e : values.entrySet()) {
            ByteBuf buf = codec.getValueEncoder().encode(e.getValue());
            System.out.println(e.getKey() + "\t" + HexFormat.of().formatHex(ByteBufUtil.getBytes(buf)));
            buf.release();
        }
    }
}
