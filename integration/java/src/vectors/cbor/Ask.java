import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.redisson.client.codec.Codec;

/**
 * Asks the codecs of a released Redisson what they make of payloads, and how they write decimals:
 *
 *   javac -cp "$JARS/*" -d . Ask.java
 *   java -cp ".:$JARS/*" Ask read < asks.txt > accepts-VERSION.tsv
 *   java -cp ".:$JARS/*" Ask decimals MsgPackJacksonCodec > decimals.tsv
 *
 * JARS holds the jars of the release and what its POM names for the codec. A line of asks.txt is a codec, the payload
 * in hex and a remark; a row of the answer is codec, payload, OK or FAIL, what was read or the exception, remark.
 */
public class Ask {
    static final Map<String, Codec> CODECS = new HashMap<>();

    static Codec codec(String name) throws Exception {
        Codec c = CODECS.get(name);
        if (c == null) {
            c = (Codec) Class.forName("org.redisson.codec." + name).getDeclaredConstructor().newInstance();
            CODECS.put(name, c);
        }
        return c;
    }

    static String show(Object o) {
        if (o == null) {
            return "null";
        }
        String name = o.getClass().getName();
        if (o instanceof byte[]) {
            return "bytes " + ByteBufUtil.hexDump((byte[]) o);
        }
        if (o instanceof String) {
            StringBuilder s = new StringBuilder("\"");
            for (char c : ((String) o).toCharArray()) {
                s.append(c < 32 || c > 126 || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : "" + c);
            }
            return s + "\"";
        }
        if (o instanceof Map) {
            StringBuilder s = new StringBuilder(name + "{");
            for (Map.Entry<?, ?> e : ((Map<?, ?>) o).entrySet()) {
                s.append(show(e.getKey())).append("=").append(show(e.getValue())).append(";");
            }
            return s + "}";
        }
        if (o instanceof Collection) {
            StringBuilder s = new StringBuilder(name + "[");
            for (Object e : (Collection<?>) o) {
                s.append(show(e)).append(";");
            }
            return s + "]";
        }
        return name + " " + o.toString().replaceAll("@[0-9a-f]+$", "");
    }

    static void read() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] f = line.split("\t", -1);
            String said;
            try {
                said = "OK\t" + show(codec(f[0]).getValueDecoder().decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(f[1])), null));
            } catch (Throwable t) {
                said = "FAIL\t" + t.getClass().getSimpleName();
            }
            System.out.println(f[0] + "\t" + f[1] + "\t" + said + "\t" + f[2]);
        }
    }

    static void decimals(String name) throws Exception {
        Random r = new Random(1);
        String[] fixed = {"0", "0.00", "0E+5", "-0.0", "1", "-1", "12.30", "1E+3", "1E+19", "1E+20", "1E+30", "-1E+30", "1.5E+300", "1E+308", "1E+309",
            "18446744073709551615", "18446744073709551616", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1E-5", "1E-10", "1E-323",
            "4.9E-324", "5E-324", "1E-324", "0.1", "0.10", "0.3333333333333333", "0.33333333333333333", "1.7976931348623157E+308", "123456789.123456789",
            "1180591620717411303424", "1.1805916207174113E+21", "100000000000000000000000", "2E+19", "0.5000000000000000000000000000", "1E-100000", "1E+2147483647"};
        for (int i = 0; i < 400; i++) {
            BigDecimal d;
            if (i < fixed.length) {
                d = new BigDecimal(fixed[i]);
            } else if (i % 3 == 0) {
                d = new BigDecimal(BigInteger.valueOf(r.nextInt(1000000) - 500000), r.nextInt(40) - 20);
            } else if (i % 3 == 1) {
                d = new BigDecimal(new BigInteger(r.nextInt(80), r), r.nextInt(30) - 10);
            } else {
                d = BigDecimal.valueOf(r.nextGaussian() * Math.pow(10, r.nextInt(30) - 15));
            }
            if (d.scale() < -1000000) {
                continue; // Java would write out its zeros
            }
            String said;
            try {
                said = ByteBufUtil.hexDump(codec(name).getValueEncoder().encode(d));
            } catch (Throwable t) {
                said = "WRITEFAIL";
            }
            System.out.println(d.unscaledValue() + "\t" + d.scale() + "\t" + said);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("read")) {
            read();
        } else {
            decimals(args[1]);
        }
    }
}
