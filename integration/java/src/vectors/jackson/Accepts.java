import demo.Times;
import demo.Types;
import io.netty.buffer.Unpooled;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.redisson.client.codec.Codec;

/**
 * Prints which JSON a codec of the release on the class path takes for a field of each declared
 * type: codec, declared type, JSON, OK and what it became, or FAIL and the exception.
 * Usage: Accepts CODEC
 */
public final class Accepts {
    private static final String[] FORMS = {
        "null", "true", "5", "12345678901", "1.5", "1.50", "\"5\"", "\"x\"", "\"\"",
        "[\"java.lang.Long\",5]", "[\"java.lang.Integer\",5]", "[\"java.lang.Short\",5]", "[\"java.lang.Byte\",5]", "[\"java.lang.Double\",1.5]",
        "[\"java.lang.Float\",1.5]", "[\"java.lang.Character\",\"c\"]", "[\"java.lang.String\",\"x\"]",
        "[\"java.math.BigDecimal\",1.50]", "[\"java.math.BigInteger\",5]",
        "[\"java.util.Date\",1700000000123]", "[\"java.util.Date\",\"2023-11-14T22:13:20.123Z\"]", "1700000000123",
        "\"2023-11-14T22:13:20.123Z\"", "\"2023-11-14T22:13:20.123+00:00\"",
        "\"00000000-0000-0001-0000-000000000002\"", "[\"java.util.UUID\",\"00000000-0000-0001-0000-000000000002\"]",
        "\"NEW\"", "1", "[\"demo.Types$Status\",\"NEW\"]", "\"HIGH\"", "\"high grade\"", "[\"demo.Types$Grade\",\"HIGH\"]",
        "[\"demo.Types$Grade\",\"high grade\"]", "\"en-US\"", "\"en_US\"",
        "\"AQID\"", "[\"[B\",\"AQID\"]", "[1]", "[1,2]", "[[\"java.lang.Long\",1]]", "[\"a\"]",
        "[\"[Ljava.lang.Long;\",[1]]", "[\"[Ljava.lang.Long;\",[[\"java.lang.Long\",1]]]", "[\"[Ljava.lang.Object;\",[1]]",
        "[\"[Ljava.lang.String;\",[\"a\"]]",
        "[\"java.util.ArrayList\",[]]", "[\"java.util.ArrayList\",[1]]", "[\"java.util.ArrayList\",[1,2]]", "[\"java.util.ArrayList\",[\"a\"]]",
        "[\"java.util.ArrayList\",[[\"java.lang.Long\",1]]]", "[\"java.util.List\",[]]", "[\"java.util.HashSet\",[]]",
        "{}", "{\"k\":1}", "{\"5\":1}", "{\"@class\":\"java.util.HashMap\",\"5\":1}", "{\"@class\":\"java.util.HashMap\",\"5\":[\"java.lang.Long\",1]}",
        "{\"n\":2}", "{\"@class\":\"demo.Types$Item\",\"n\":2}", "{\"@class\":\"demo.Types$Special\",\"n\":2}", "{\"@class\":\"demo.Types$Leaf\",\"v\":\"q\"}",
        "[\"java.util.ArrayList\",[{\"@class\":\"demo.Types$Item\",\"n\":2}]]", "[\"java.util.ArrayList\",[{\"n\":2}]]",
        "\"2024-01-02\"", "[2024,1,2]", "[\"java.time.LocalDate\",\"2024-01-02\"]", "[\"java.time.LocalDate\",[2024,1,2]]",
        "\"2024-01-02T03:04:05\"", "[2024,1,2,3,4,5]", "[\"java.time.LocalDateTime\",\"2024-01-02T03:04:05\"]", "\"03:04\"", "\"03:04:00\"", "[3,4]", "[2024,2]", "5.000000000",
        "\"PT5S\"", "[\"java.time.Instant\",\"2023-11-14T22:13:20.123Z\"]", "[\"java.time.Instant\",1700000000.123000000]", "1700000000.123000000",
        "\"P1Y2M3D\"", "\"2024-01-02T03:04:05+01:00[Europe/Berlin]\"", "\"2024-01-02T03:04:05+02:00\"", "2024", "\"2024\"", "\"2024-02\"", "\"--02-29\"",
        "\"MONDAY\"", "\"Europe/Berlin\"", "\"+02:00\"",
    };

    private static final String[] ROOTS = {
        "", "{}", "{\"a\":1}", "[]", "[1,2]", "5", "12345678901", "123456789012345678901234567890", "1.5", "1e400", "\"x\"", "null", "true",
        "[\"java.lang.Long\",5]", "[\"java.util.List\",[1]]", "{\"@class\":\"java.util.HashMap\",\"a\":1} trailing", "{\"@class\":\"java.util.HashMap\",\"a\":1}\n",
        "{\"@class\":\"java.util.HashMap\",\"a\":1}{}", "{\"a\":1,\"@class\":\"java.util.HashMap\"}", "\ufeff\"x\"", "NaN", "'x'", "{\"@class\":\"no.such.Clazz\"}",
        "{\"@class\":\"demo.Types$Rec\",\"a\":5,\"b\":\"q\"}", "{\"@class\":\"demo.Types$Item\",\"zzz\":1}", "{\"@class\":\"java.util.HashMap\",\"a\":1,\"a\":2}",
        "[\"[B\",\"AQID\"]", "[\"java.time.LocalDate\",\"2024-01-02\"]", "[\"java.util.Optional\",\"x\"]", "[\"demo.Types$Status\",\"NEW\"]",
    };

    private Accepts() {
    }

    public static void main(String[] args) throws Exception {
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("UTC"));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        boolean classes = !args[0].startsWith("Typed");
        for (String json : ROOTS) {
            out.println(args[0] + "\troot\t" + json.replace("\n", "\\n") + "\t" + read(args[0], Object.class, json, null));
        }
        for (Class<?> bean : new Class<?>[] {Types.Order.class, Types.Dates.class, Times.class}) {
            TreeSet<String> seen = new TreeSet<>();
            for (Field field : bean.getFields()) {
                String type = field.getGenericType().getTypeName();
                if (Modifier.isTransient(field.getModifiers()) || !seen.add(type)) {
                    continue;
                }
                for (String form : FORMS) {
                    String json = "{" + (classes ? "\"@class\":\"" + bean.getName() + "\"," : "") + "\"" + field.getName() + "\":" + form + "}";
                    out.println(args[0] + "\t" + type + "\t" + form + "\t" + read(args[0], bean, json, field));
                }
            }
        }
        out.flush();
        System.exit(0);
    }

    private static String read(String name, Class<?> type, String json, Field field) {
        try {
            Codec codec = Codecs.of(name, type);
            Object v = codec.getValueDecoder().decode(Unpooled.copiedBuffer(json, StandardCharsets.UTF_8), null);
            return "OK\t" + text(field == null ? v : field.get(v));
        } catch (Throwable e) {
            return "FAIL\t" + e.getClass().getSimpleName();
        }
    }

    private static String text(Object v) {
        if (v == null) {
            return "null";
        }
        String text = String.valueOf(v).replaceAll("@[0-9a-f]+", "");
        if (v.getClass().isArray()) {
            List<Object> list = new ArrayList<>();
            for (int i = 0; i < Array.getLength(v); i++) {
                list.add(Array.get(v, i));
            }
            text = list.toString();
        }
        return v.getClass().getName() + " " + text;
    }
}
