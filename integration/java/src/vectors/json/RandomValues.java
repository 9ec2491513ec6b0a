// Random values as Redisson's JsonJacksonCodec writes them: whether it reads them back
// itself, and hex. With "check" it reads hex from its input and says what it would write
// in another way.
//
//     java -Dn=10000 -Dseed=7 [-Dbeans=true] [-Dtexts=true] -cp "out:lib/*" demo.RandomValues
//     java -cp "out:lib/*" demo.RandomValues check < payloads.hex
package demo;
import java.util.*;
    import java.math.*;
    import java.net.*;
    import java.util.concurrent.*;
    import java.util.concurrent.atomic.*;
    import java.nio.charset.StandardCharsets;
import org.redisson.codec.JsonJacksonCodec; import io.netty.buffer.*;
public class RandomValues {
  static final Random r = new Random(Long.getLong("seed", 7));
  static String text() { int n = r.nextInt(6); StringBuilder b = new StringBuilder(); for (int i = 0; i < n; i++) switch (r.nextInt(9)) { case 0: b.append((char) r.nextInt(32)); break;
      case 1: b.appendCodePoint(0x1F600 + r.nextInt(40)); break;
      case 2: b.append((char) (0x4E00 + r.nextInt(500))); break;
      case 3: b.append("\"\\/<>&'\u2028\u007f@class".charAt(r.nextInt(17))); break;
      case 4: b.append((char) (0xD800 + r.nextInt(0x800))); break;
      default: b.append((char) ('a' + r.nextInt(26))); } return b.toString(); }
  static String key() { String s = text(); return r.nextInt(40) == 0 ? "@class" : s.chars().anyMatch(c -> c >= 0xD800 && c < 0xE000) ? "k" + r.nextInt(100) : s; }
  static BigInteger big() { return new BigInteger(r.nextInt(200), r).multiply(r.nextBoolean() ? BigInteger.ONE : BigInteger.ONE.negate()); }
  static BigDecimal dec() { return new BigDecimal(big(), r.nextInt(60) - 20); }
  static double dbl() { switch (r.nextInt(8)) { case 0: return Double.NaN;
      case 1: return Double.NEGATIVE_INFINITY;
      case 2: return r.nextInt(2000) - 1000;
      case 3: return r.nextInt(100000) / 100.0;
      case 4: return -0.0;
      case 5: { double[] x = {1e21, 1.5e300, 1e-5, 1e7, 123456.75e9, 9.5e-4}; return x[r.nextInt(x.length)]; }
      default: return r.nextInt(1 << 20) / 1024.0; } }
  static Object scalar() {
    switch (r.nextInt(34)) {
      case 0: return null;
          case 1: return text();
          case 2: return r.nextBoolean();
          case 3: return r.nextInt();
          case 4: return r.nextLong();
          case 5: return (long) r.nextInt(100);
          case 6: return (short) r.nextInt();
          case 7: return (byte) r.nextInt();
      case 8: return dbl();
          case 9: return (float) (r.nextInt(1 << 12) / 64.0);
          case 10: return r.nextInt(20) == 0 ? Float.NaN : 1e10f * r.nextInt(2);
          case 11: return (char) r.nextInt(0x10000);
          case 12: return big();
          case 13: return dec();
      case 14: return new Date(r.nextLong() >> 16);
          case 15: return new java.sql.Timestamp(r.nextInt());
          case 16: return new java.sql.Date(r.nextInt());
          case 17: { GregorianCalendar c = new GregorianCalendar(TimeZone.getTimeZone("Asia/Tokyo")); c.setTimeInMillis(r.nextInt()); return c; }
      case 18: return new UUID(r.nextLong(), r.nextLong());
          case 19: return URI.create("http://x/" + r.nextInt());
          case 20: try { return new URL("http://h/" + r.nextInt()); } catch (Exception e) { throw new RuntimeException(e); }
      case 21: { Locale[] l = {Locale.US, Locale.GERMAN, Locale.ROOT, new Locale("no", "NO", "NY"), Locale.forLanguageTag("zh-Hant-TW"), Locale.forLanguageTag("th-TH-u-nu-thai"), new Locale("", "DE")}; return l[r.nextInt(l.length)]; }
      case 22: return Currency.getInstance("JPY");
          case 23: return r.nextBoolean() ? String.class : int[].class;
          case 24: return java.util.regex.Pattern.compile("a+" + r.nextInt(9));
          case 25: return new java.io.File("/tmp/" + r.nextInt(9));
          case 26: return TimeZone.getTimeZone(r.nextBoolean() ? "UTC" : "Asia/Tokyo");
      case 27: try { return InetAddress.getByAddress(r.nextBoolean() ? new byte[]{10, 0, 0, (byte) r.nextInt()} : new byte[]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,(byte) r.nextInt()}); } catch (Exception e) { throw new RuntimeException(e); }
      case 28: return r.nextBoolean() ? new AtomicLong(r.nextLong()) : new AtomicInteger(r.nextInt());
          case 29: return new AtomicBoolean(r.nextBoolean());
          case 30: return new AtomicReference<>(r.nextInt(3) == 0 ? scalar() : text());
          case 31: return new StringBuilder(text());
      case 32: return r.nextBoolean() ? Kinds.Plain.values()[r.nextInt(2)] : Kinds.Fancy.values()[r.nextInt(2)];
          default: return r.nextBoolean() ? TimeUnit.DAYS : Thread.State.NEW;
    } }
  static Object array() {
    int n = r.nextInt(4);
    switch (r.nextInt(22)) {
      case 0: { int[] a = new int[n]; for (int i = 0; i < n; i++) a[i] = r.nextInt(); return a; }
          case 1: { long[] a = new long[n]; for (int i = 0; i < n; i++) a[i] = r.nextLong(); return a; }
          case 2: { byte[] a = new byte[n]; r.nextBytes(a); return a; }
          case 3: { short[] a = new short[n]; for (int i = 0; i < n; i++) a[i] = (short) r.nextInt(); return a; }
      case 4: { char[] a = new char[n]; for (int i = 0; i < n; i++) a[i] = (char) r.nextInt(0x10000); return a; }
          case 5: { double[] a = new double[n]; for (int i = 0; i < n; i++) a[i] = dbl(); return a; }
          case 6: { float[] a = new float[n]; for (int i = 0; i < n; i++) a[i] = r.nextInt(99) / 4f; return a; }
          case 7: { boolean[] a = new boolean[n]; for (int i = 0; i < n; i++) a[i] = r.nextBoolean(); return a; }
      case 8: { String[] a = new String[n]; for (int i = 0; i < n; i++) a[i] = r.nextInt(4) == 0 ? null : text(); return a; }
          case 9: { Long[] a = new Long[n]; for (int i = 0; i < n; i++) a[i] = r.nextInt(4) == 0 ? null : r.nextLong(); return a; }
          case 10: { Object[] a = new Object[n]; for (int i = 0; i < n; i++) a[i] = value(2); return a; }
      case 11: { int[][] a = new int[n][]; for (int i = 0; i < n; i++) a[i] = new int[]{r.nextInt()}; return a; }
          case 12: { Long[][] a = new Long[n][]; for (int i = 0; i < n; i++) a[i] = new Long[]{r.nextLong(), null}; return a; }
          case 13: { byte[][] a = new byte[n][]; for (int i = 0; i < n; i++) a[i] = new byte[]{(byte) r.nextInt()}; return a; }
          case 14: { char[][] a = new char[n][]; for (int i = 0; i < n; i++) a[i] = new char[]{'x', 'y'}; return a; }
      case 15: { UUID[] a = new UUID[n]; for (int i = 0; i < n; i++) a[i] = new UUID(i, 2); return a; }
          case 16: { Kinds.Plain[] a = new Kinds.Plain[n]; for (int i = 0; i < n; i++) a[i] = Kinds.Plain.B; return a; }
          case 17: { Kinds.Fancy[] a = new Kinds.Fancy[n]; for (int i = 0; i < n; i++) a[i] = Kinds.Fancy.Y; return a; }
          case 18: { BigDecimal[] a = new BigDecimal[n]; for (int i = 0; i < n; i++) a[i] = dec(); return a; }
      case 19: { Float[] a = new Float[n]; for (int i = 0; i < n; i++) a[i] = i == 1 ? null : 1.5f * i; return a; }
          case 20: { Locale[] a = new Locale[n]; for (int i = 0; i < n; i++) a[i] = Locale.US; return a; }
          default: { Date[] a = new Date[n]; for (int i = 0; i < n; i++) a[i] = new Date(i); return a; }
    } }
  static Object k() { if (Boolean.getBoolean("texts")) return key(); switch (r.nextInt(14)) { case 0: return r.nextInt();
      case 1: return r.nextLong();
      case 2: return new Date(r.nextInt());
      case 3: return Kinds.Plain.A;
      case 4: return new UUID(1, r.nextLong());
      case 5: return (double) r.nextInt(9) / 4;
      case 6: return r.nextBoolean();
      case 7: return Locale.US;
      default: return key(); } }
  static Object value(int depth) {
    int p = r.nextInt(10);
    if (depth <= 0 || p < 4) return scalar();
    if (p < 5) return array();
    if (p < 7) { Collection<Object> c; switch (r.nextInt(12)) { case 0: c = new LinkedList<>(); break;
        case 1: c = new LinkedHashSet<>(); break;
        case 2: c = new HashSet<>(); break;
        case 3: c = new ArrayDeque<>(); break;
        case 4: c = new Vector<>(); break;
        case 5: c = new CopyOnWriteArrayList<>(); break;
        case 6: c = new Kinds.CartList(); break;
        case 7: c = new ConcurrentLinkedQueue<>(); break;
        default: c = new ArrayList<>(); }
      int n = r.nextInt(5); for (int i = 0; i < n; i++) { Object v = value(depth - 1);
          if (v == null && !(c instanceof ArrayList) && !(c instanceof LinkedList)) v = 1; c.add(v); }
      switch (r.nextInt(12)) { case 0: return Arrays.asList(c.toArray());
          case 1: return Collections.unmodifiableList(new ArrayList<>(c));
          case 2: return Collections.singletonList(1L);
          case 3: return EnumSet.of(Kinds.Plain.A);
          case 4: return EnumSet.allOf(Kinds.Fancy.class);
          case 5: return c.contains(null) ? c : List.copyOf(c);
          case 6: return Collections.synchronizedList(new ArrayList<>(c));
          default: return c; } }
    if (p < 9) { Map<Object,Object> m; switch (r.nextInt(8)) { case 0: m = new LinkedHashMap<>(); break;
        case 1: m = (Map) new TreeMap<String,Object>(); break;
        case 2: m = new ConcurrentHashMap<>(); break;
        case 3: m = new Hashtable<>(); break;
        case 4: m = (Map) new Kinds.PriceMap(); break;
        default: m = new HashMap<>(); }
      int n = r.nextInt(5); for (int i = 0; i < n; i++) { Object v = value(depth - 1);
          if (v == null && (m instanceof ConcurrentMap || m instanceof Hashtable)) v = 2; m.put(m instanceof TreeMap ? key() : k(), v); }
      switch (r.nextInt(10)) { case 0: { EnumMap<Kinds.Plain,Object> e = new EnumMap<>(Kinds.Plain.class); e.put(Kinds.Plain.B, value(depth - 1)); return e; }
          case 1: return Collections.unmodifiableMap(m);
          case 2: return Map.of("a", 1L);
          case 3: return Map.of("a", new Date(3), "b", "x");
          default: return m; } }
    return bean(depth - 1); }
  public static class Node { public Object any;
      public List<Object> list;
      public Node next;
      public long id;
      public Long boxed;
      public Kinds.Plain plain;
      public Kinds.Fancy fancy;
      public UUID uuid;
      public List<UUID> uuids;
      public Map<String,Long> counts;
      public double d;
      public float f;
      public Sealed sealed;
      public List<Sealed> seals;
      public Sealed[] sealArray;
      public byte[] blob;
      public char[] chars;
      public long[] la;
      public Long[] bla;
      public BigDecimal dec;
      public Date date;
      public Number num;
      public EnumSet<Kinds.Plain> es;
      public Map<Kinds.Plain,Long> em;
      public boolean isOpen() { return id > 0; } }
  public static final class Sealed { public int n; public String s; public Long l; public Sealed inner; }
  static Sealed sealed(int depth) { Sealed s = new Sealed(); s.n = r.nextInt(); s.s = r.nextBoolean() ? text() : null; s.l = r.nextBoolean() ? r.nextLong() : null; s.inner = depth > 0 && r.nextInt(3) == 0 ? sealed(depth - 1) : null; return s; }
  static Node bean(int depth) { Node n = new Node(); n.any = r.nextBoolean() ? value(depth) : null; n.id = r.nextLong() >> r.nextInt(60); n.d = dbl(); n.f = r.nextInt(999) / 8f;
      if (r.nextBoolean()) n.boxed = r.nextLong();
      if (r.nextBoolean()) n.plain = Kinds.Plain.A;
      if (r.nextBoolean()) n.fancy = Kinds.Fancy.X;
      if (r.nextBoolean()) n.uuid = new UUID(1, r.nextLong());
      if (r.nextInt(3) == 0) n.uuids = new ArrayList<>(List.of(new UUID(1, 2)));
      if (r.nextInt(3) == 0) n.counts = new TreeMap<>(Map.of("a", r.nextLong(), "b", 1L));
    if (r.nextInt(3) == 0) n.sealed = sealed(2);
        if (r.nextInt(3) == 0) n.seals = new ArrayList<>(List.of(sealed(1), sealed(0)));
        if (r.nextInt(3) == 0) n.sealArray = new Sealed[]{sealed(0)};
        if (r.nextInt(3) == 0) n.blob = new byte[]{1, (byte) r.nextInt()};
        if (r.nextInt(3) == 0) n.chars = new char[]{'a', (char) (0x4e00 + r.nextInt(9))};
        if (r.nextInt(3) == 0) n.la = new long[]{r.nextLong(), 1};
        if (r.nextInt(3) == 0) n.bla = new Long[]{r.nextLong(), null};
        if (r.nextInt(3) == 0) n.dec = dec();
        if (r.nextInt(3) == 0) n.date = new Date(r.nextInt());
        if (r.nextInt(3) == 0) n.num = r.nextBoolean() ? (Number) r.nextLong() : (Number) r.nextInt();
        if (r.nextInt(3) == 0) n.es = EnumSet.of(Kinds.Plain.B);
        if (r.nextInt(3) == 0) n.em = new EnumMap<>(Map.of(Kinds.Plain.A, 6L));
    if (depth > 0 && r.nextInt(3) == 0) n.next = bean(depth - 1);
        if (depth > 0 && r.nextInt(3) == 0) { n.list = new ArrayList<>(); n.list.add(value(depth - 1)); n.list.add(value(0)); } return n; }
  public static void main(String[] a) throws Exception {
    JsonJacksonCodec c = new JsonJacksonCodec();
    if (a.length > 0 && a[0].equals("check")) { // lines of hex on stdin: decode, encode, compare
      Scanner in = new Scanner(System.in); int n = 0, bad = 0;
      while (in.hasNextLine()) { String line = in.nextLine(); byte[] b = new byte[line.length() / 2]; for (int i = 0; i < b.length; i++) b[i] = (byte) Integer.parseInt(line.substring(2 * i, 2 * i + 2), 16); n++;
        try { Object v = c.getValueDecoder().decode(Unpooled.wrappedBuffer(b), null); ByteBuf o = c.getValueEncoder().encode(v); byte[] back = new byte[o.readableBytes()]; o.readBytes(back); o.release();
          if (!Arrays.equals(b, back)) { bad++;
              if (bad < 40) System.out.println("DIFF\n  go   " + new String(b, "UTF-8") + "\n  java " + new String(back, "UTF-8")); } }
        catch (Throwable e) { bad++;
            if (bad < 40) System.out.println("FAIL " + new String(b, "UTF-8") + "\n  " + e.toString().split("\n")[0]); } }
      System.out.println(n + " read, " + bad + " bad"); return; }
    int n = Integer.getInteger("n", 10000); boolean beans = Boolean.getBoolean("beans"); int fails = 0; StringBuilder out = new StringBuilder();
    for (int i = 0; i < n; ) { Object v; try { v = beans ? bean(3) : value(4); } catch (RuntimeException e) { continue; }
      byte[] b;
          try { ByteBuf o = c.getValueEncoder().encode(v); b = new byte[o.readableBytes()]; o.readBytes(b); o.release(); } catch (Throwable e) { if (fails++ < 3) System.err.println(e.toString().split("\n")[0]);
          if (fails > n) break; continue; }
      boolean reads;
          try { c.getValueDecoder().decode(Unpooled.wrappedBuffer(b), null); reads = true; } catch (Throwable e) { reads = false; }
      out.setLength(0); for (byte x : b) out.append(Character.forDigit((x >> 4) & 15, 16)).append(Character.forDigit(x & 15, 16)); System.out.println((reads ? "ok\t" : "no\t") + out); i++; }
  }
}
