// Writes the rows of hashmaps-VERSION.tsv, and reads what Go wrote, with the
// JsonJacksonCodec of a released Redisson. With the jars of that release (and,
// from 4.7.0 on, of jackson-databind) in lib/:
//
//   java -cp 'lib/*' Capture.java write 150 > hashmaps-4.7.0.tsv
//   java -cp 'lib/*' Capture.java read < hex-lines     (class, text and hex again)
import io.netty.buffer.*;
import java.io.*;
import java.math.*;
import java.util.*;
import org.redisson.client.codec.Codec;

public class Capture {
  static final Codec CODEC = new org.redisson.codec.JsonJacksonCodec();
  static final HexFormat HEX = HexFormat.of();
  static final Random R = new Random(20261121);

  public static void main(String[] args) throws Exception {
    if (args[0].equals("write")) {
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        Object v = i % 3 == 2 ? list(4) : map(4, i % 30 == 0 ? 200 : 12);
        System.out.println("JsonJacksonCodec\t" + v.getClass().getName() + "\t" + encode(v));
      }
      return;
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null;) {
      try {
        Object v = CODEC.getValueDecoder().decode(Unpooled.wrappedBuffer(HEX.parseHex(line)), null);
        System.out.println((v == null ? "null" : v.getClass().getName()) + "\t" + encode(v));
      } catch (Exception e) {
        System.out.println("FAIL\t" + e.toString().replaceAll("\\s+", " "));
      }
    }
  }

  static String encode(Object v) throws Exception {
    ByteBuf b = CODEC.getValueEncoder().encode(v);
    byte[] out = new byte[b.readableBytes()];
    b.readBytes(out);
    return HEX.formatHex(out);
  }

  static Object map(int depth, int most) {
    TreeMap<String, Object> sorted = new TreeMap<>();
    for (int n = R.nextInt(most + 1); n > 0; n--) sorted.put(text(), value(depth - 1));
    Map<String, Object> m = new HashMap<>();
    for (Map.Entry<String, Object> e : sorted.entrySet()) m.put(e.getKey(), e.getValue());
    return m;
  }

  static Object list(int depth) {
    List<Object> l = new ArrayList<>();
    for (int n = R.nextInt(8); n > 0; n--) l.add(value(depth - 1));
    return l;
  }

  static String text() {
    String pool = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-.$@ \"\\/\n\t\u0001\u001f\u007f\u00e9\u4e2d\u2028\uffff<>&'";
    StringBuilder b = new StringBuilder();
    for (int n = R.nextInt(12); n > 0; n--) {
      if (R.nextInt(20) == 0) b.appendCodePoint(0x1F600 + R.nextInt(50));
      else b.append(pool.charAt(R.nextInt(R.nextBoolean() ? 26 : pool.length())));
    }
    return b.toString();
  }

  static Object value(int depth) {
    switch (R.nextInt(depth > 0 ? 16 : 13)) {
      case 0: return null;
      case 1: return R.nextBoolean();
      case 2: return R.nextInt();
      case 3: return R.nextInt(100);
      case 4: return R.nextLong();
      case 5: return (long) R.nextInt(1000);
      case 6: return R.nextInt(1000000) / 100.0;
      case 7: return (short) R.nextInt();
      case 8: return (byte) R.nextInt();
      case 9: return R.nextInt(100000) / 100f;
      case 10: return text();
      case 11: { byte[] b = new byte[R.nextInt(5)]; R.nextBytes(b); return b; }
      case 12: return new Object[] {(char) (32 + R.nextInt(90)), new BigInteger(90, R).negate(),
          new BigDecimal(new BigInteger(40, R), R.nextInt(9) - 2), Double.NaN}[R.nextInt(4)];
      case 13: return list(depth);
      default: return map(depth, 6);
    }
  }
}
