// What Redisson's JsonJacksonCodec makes of fields of all declared types, and of values
// of all classes of the JDK: label, JSON, what it reads back. Run it with the libraries
// of a release:
//
//     javac -cp "lib/*" -d out Kinds.java RandomValues.java
//     java -cp "out:lib/*" demo.Kinds > kinds.tsv
package demo;
import java.util.*; import java.math.*; import java.net.*; import java.util.concurrent.atomic.*;
import org.redisson.codec.JsonJacksonCodec; import io.netty.buffer.ByteBuf; import java.nio.charset.StandardCharsets;
public class Kinds {
  public enum Plain { A, B }
  public enum Fancy { X { public int f() { return 1; } }, Y { public int f() { return 2; } }; public abstract int f(); }
  public static class Fields {
    public Plain plain = Plain.A;
        public Fancy fancy = Fancy.X;
        public Fancy[] fancies = {Fancy.X, Fancy.Y};
        public Plain[] plains = {Plain.A};
    public EnumSet<Plain> es = EnumSet.of(Plain.B); public EnumMap<Plain,Long> em = new EnumMap<>(Map.of(Plain.A, 5L));
    public Set<Plain> sp = new LinkedHashSet<>(List.of(Plain.A));
        public Map<Plain,Fancy> mp = new LinkedHashMap<>(Map.of(Plain.A, Fancy.Y));
    public char[] chars = {'a','b'};
        public char[][] chars2 = {{'a'},{'b','c'}};
        public byte[][] bytes2 = {{1},{2}};
        public long[][] longs2 = {{1},{2}};
    public Long[][] boxed2 = {{1L},{2L}}; public Object[] objs = {1, 2L, "x"}; public String[][] strs2 = {{"a"}};
    public AtomicLong al = new AtomicLong(5);
        public AtomicReference<Long> ar = new AtomicReference<>(5L);
        public AtomicReference<Object> aro = new AtomicReference<>(new Date(0));
        public AtomicBoolean ab = new AtomicBoolean(true);
    public Locale locale = Locale.US;
        public Class<?> cls = String.class;
        public java.util.regex.Pattern pat = java.util.regex.Pattern.compile("a+");
        public Currency cur = Currency.getInstance("EUR");
    public TimeZone tz = TimeZone.getTimeZone("UTC");
        public StringBuilder sb = new StringBuilder("sb");
        public java.io.File file = new java.io.File("/tmp/a");
    public Calendar cal = cal();
        public GregorianCalendar gcal = cal();
        public java.sql.Timestamp ts = new java.sql.Timestamp(5);
        public java.sql.Date sd = new java.sql.Date(5);
    public List<Locale> locales = new ArrayList<>(List.of(Locale.US));
        public List<UUID> uuids = new ArrayList<>(List.of(new UUID(1,2)));
        public UUID[] uuida = {new UUID(1,2)};
        public UUID uuid = new UUID(1,2);
    public Map<UUID,UUID> muu = new LinkedHashMap<>(Map.of(new UUID(1,2), new UUID(3,4)));
        public Map<Date,Date> mdd = new LinkedHashMap<>(Map.of(new Date(0), new Date(5)));
    public List<List<Long>> ll = new ArrayList<>(List.of(new ArrayList<>(List.of(1L))));
        public Map<String,List<Integer>> mli = new HashMap<>(Map.of("a", new ArrayList<>(List.of(1))));
    public List<String> fin = List.of("a");
        public Map<String,Integer> finm = Map.of("a", 1);
        public Number num = 5L;
        public Number numi = 5;
        public Comparable<?> cmp = 5L;
        public java.io.Serializable ser = 7L;
        public CharSequence cseq = "cs";
    public Object[] oa2 = {new long[]{1}, new int[][]{{1}}};
        public Collection<Object> col = new ArrayList<>(Arrays.asList(new char[]{'a'}, new byte[]{1}, 1.5f));
    public InetAddress inet = lo();
        public URI uri = URI.create("http://x/y");
        public BitSet bs = BitSet.valueOf(new long[]{5});
        public Iterable<Long> it = new ArrayList<>(List.of(1L));
    public Map<Long,Long> mlong = new LinkedHashMap<>(Map.of(5L,6L));
        public HashMap raw = new HashMap(Map.of(1L, 2L));
        public Date[] dates = {new Date(0)};
        public BigDecimal[] bds = {new BigDecimal("1.10")};
        public Float[] floats = {1.5f, Float.NaN};
        public double[] dbl = {1, Double.NaN};
        public Short[] shorts = {1};
        public Character[] charsb = {'x'};
    public double nan = Double.NaN;
        public Double dnan = Double.NaN;
        public Float fnan = Float.POSITIVE_INFINITY;
        public Object onan = Double.NaN;
        public List<Double> lnan = new ArrayList<>(List.of(Double.NaN, 1.0));
    public boolean isReady() { return true; }
    static GregorianCalendar cal() { GregorianCalendar c = new GregorianCalendar(TimeZone.getTimeZone("Asia/Shanghai")); c.setTimeInMillis(5); return c; }
    static InetAddress lo() { try { return InetAddress.getByName("127.0.0.1"); } catch (Exception e) { throw new RuntimeException(e); } }
  }
  public static class CartList extends ArrayList<Object> { public int extra = 1; }
  public static class PriceMap extends TreeMap<String,Object> { public int extra = 1; }
  static void show(String label, Object v) throws Exception {
    JsonJacksonCodec c = new JsonJacksonCodec();
    String s;
    try { ByteBuf b = c.getValueEncoder().encode(v); s = b.toString(StandardCharsets.UTF_8);
      try { Object back = c.getValueDecoder().decode(b, null); s += "\t=> " + (back == null ? "null" : back.getClass().getName() + " " + (back instanceof Object[] ? Arrays.deepToString((Object[]) back) : back)); } catch (Throwable e) { s += "\t=> DECODE FAIL " + e.toString().split("\n")[0]; }
    } catch (Throwable e) { s = "ENCODE FAIL " + e.toString().split("\n")[0]; }
    System.out.println(label + "\t" + s);
  }
  public static void main(String[] a) throws Exception {
    JsonJacksonCodec c = new JsonJacksonCodec();
    for (java.lang.reflect.Field f : Fields.class.getFields()) {
      Fields x = new Fields();
      for (java.lang.reflect.Field g : Fields.class.getFields()) if (!g.equals(f)) { Class<?> t = g.getType();
          if (!t.isPrimitive()) g.set(x, null); }
      show(f.getName(), x);
    }
    show("fancy root", Fancy.X);
        show("fancies root", new Fancy[]{Fancy.X});
        show("plains root", new Plain[]{Plain.A});
        show("fancy set", EnumSet.of(Fancy.X));
        show("list of fancy", new ArrayList<>(List.of(Fancy.X, Plain.A)));
    show("locale[] root", new Locale[]{Locale.US});
        show("UUID[] root", new UUID[]{new UUID(1,2)});
        show("char[] root", new char[]{'a'});
        show("char[][] root", new char[][]{{'a'}});
        show("List of char[][]", new ArrayList<>(Arrays.asList(new char[][]{{'a'}}, new byte[][]{{1}}, new Locale[]{Locale.US}, new UUID[]{new UUID(1,2)}, new Long[][]{{1L}}, new Object[][]{{1L}}, new float[]{1.5f, Float.NaN}, new double[]{Double.NaN}, new short[]{1})));
    CartList cl = new CartList(); cl.add(1L);
        show("CartList", cl); PriceMap pm = new PriceMap(); pm.put("a", 1L);
        show("PriceMap", pm);
    show("sb root", new StringBuilder("sb"));
        show("file root", new java.io.File("/tmp/a"));
        show("tz root", TimeZone.getTimeZone("UTC"));
        show("inet root", Fields.lo());
        show("inet list", new ArrayList<>(List.of(Fields.lo())));
        show("path", new ArrayList<>(List.of(java.nio.file.Path.of("/tmp/a"))));
        show("path root", java.nio.file.Path.of("/tmp/a"));
    Map<Object,Object> keys = new LinkedHashMap<>();
        keys.put(5L,1);
        keys.put(new Date(0),2);
        keys.put(Plain.A,3);
        keys.put(Fancy.X,4);
        keys.put(1.5,5);
        keys.put(1.5f,6);
        keys.put(true,7);
        keys.put('c',8);
        keys.put(new BigDecimal("1E+3"),9);
        keys.put(new BigInteger("7"),10);
        keys.put(String.class,11);
        keys.put(Locale.US, 12);
        keys.put(new UUID(1,2),13);
        keys.put(new byte[]{1,2},14);
        keys.put(URI.create("a:b"),15); Calendar cc = Fields.cal();
        keys.put(cc,16);
        keys.put(new java.sql.Timestamp(5),17);
        keys.put(Float.NaN, 18);
        keys.put(1e21, 19);
    show("keys", keys); keys = new HashMap<>(); keys.put(null, 1); show("null key", keys);
    show("atomic root", new AtomicLong(5));
        show("ar root", new AtomicReference<>(5L));
        show("bs", BitSet.valueOf(new long[]{5}));
    show("thread state", new ArrayList<>(List.of(Thread.State.NEW, java.util.concurrent.TimeUnit.DAYS)));
    show("empty es", EnumSet.noneOf(Plain.class)); show("empty em", new EnumMap<Plain,Object>(Plain.class));
    show("object", new Object());
        show("obj list", new ArrayList<>(Arrays.asList(new Object(), Optional.of(5L), OptionalInt.of(3))));
    show("surrogates", "\uD800x\uDC00\uD83D\uDE00"); show("key surrogate", new HashMap<>(Map.of("\uD83D\uDE00\uD800", 1)));
    com.fasterxml.jackson.databind.ObjectMapper om = new com.fasterxml.jackson.databind.ObjectMapper();
    show("node", om.readTree("{\"a\":[1,12345678901,1.5,true,null,{\"b\":1e400}],\"d\":1.50}"));
        show("arr node", om.readTree("[1,{\"b\":2}]"));
        show("num node", new ArrayList<>(List.of(om.readTree("5"), om.readTree("\"x\""), om.readTree("12345678901"), om.readTree("1.5"), com.fasterxml.jackson.databind.node.DecimalNode.valueOf(new BigDecimal("1.50")), om.readTree("null"), om.readTree("true"))));
    show("big keys", new TreeMap<>(Map.of(5, 1L)));
    show("entry", new ArrayList<>(List.of(Map.entry("a", 1L))));
  }
}
