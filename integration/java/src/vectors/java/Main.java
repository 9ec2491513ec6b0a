import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.io.PrintStream;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.redisson.client.codec.Codec;

/**
 * Prints the vectors of one codec as the release on the class path writes them:
 * label, tab, hex; or WRITEFAIL and the exception instead of the hex. The argument
 * is kryo5, kryo5+refs, marshalling, serialization or fst. It has no package, and
 * its name and those beside it are short, because the vectors carry them.
 */
public final class Main {
    private final Map<String, Callable<Object>> rows = new LinkedHashMap<>();

    private Main() {
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Main main = new Main();
        Codec codec;
        if (args[0].startsWith("kryo5")) {
            Class<?> type = Class.forName("org.redisson.codec.Kryo5Codec");
            boolean refs = args[0].endsWith("+refs");
            codec = (Codec) (refs ? type.getConstructor(Set.class, boolean.class).newInstance(Set.of(), true)
                : type.getConstructor().newInstance());
            kryoRows(main.rows);
        } else {
            String name = args[0].substring(0, 1).toUpperCase() + args[0].substring(1);
            codec = (Codec) Class.forName("org.redisson.codec." + name + "Codec").getConstructor().newInstance();
            LegacyRows.addTo(main.rows);
        }
        for (Map.Entry<String, Callable<Object>> row : main.rows.entrySet()) {
            out.println(row.getKey() + "\t" + hex(codec, row.getValue()));
        }
        // Some codecs start threads that would hold the program.
        System.exit(0);
    }

    /** The rows of Kryo know its annotations, so they are compiled only where Kryo is. */
    private static void kryoRows(Map<String, Callable<Object>> rows) throws ReflectiveOperationException {
        Class.forName("KryoRows").getDeclaredMethod("addTo", Map.class, Object.class).invoke(null, rows, anonymous());
    }

    /** Main$1 of the vectors. */
    private static Object anonymous() {
        return new Object() {
            @SuppressWarnings("unused")
            int v = 3;
        };
    }

    private static String hex(Codec codec, Callable<Object> row) {
        try {
            ByteBuf buf = codec.getValueEncoder().encode(row.call());
            String hex = HexFormat.of().formatHex(ByteBufUtil.getBytes(buf));
            buf.release();
            return hex;
        } catch (Throwable e) {
            return "WRITEFAIL " + String.valueOf(e).lines().findFirst().orElse("");
        }
    }
}
