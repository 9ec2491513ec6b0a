import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.redisson.client.codec.Codec;

/**
 * Writes what each Jackson codec of the release on the class path writes for each sample:
 * DIRECTORY/CODEC.tsv with rows of codec, "root" or "nested" (in an ArrayList), sample, hex;
 * or WRITEFAIL and the exception instead of the hex.
 * Usage: Rows DIRECTORY [CODEC...]
 */
public final class Rows {
    private Rows() {
    }

    public static void main(String[] args) throws Exception {
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("UTC"));
        java.util.Locale.setDefault(java.util.Locale.ROOT);
        Map<String, Callable<Object>> samples = new LinkedHashMap<>();
        Values.addTo(samples);
        Containers.addTo(samples);
        Beans.addTo(samples);
        List<String> names = args.length > 1 ? List.of(args).subList(1, args.length) : List.of(Codecs.NAMES);
        for (String name : names) {
            if (Codecs.of(name, Object.class) == null) {
                continue;
            }
            Path file = Path.of(args[0], name + ".tsv");
            try (PrintStream out = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8)) {
                for (Map.Entry<String, Callable<Object>> row : samples.entrySet()) {
                    out.println(name + "\troot\t" + row.getKey() + "\t" + hex(name, row.getValue(), false));
                    if (!row.getKey().contains("*")) { // long ones once
                        out.println(name + "\tnested\t" + row.getKey() + "\t" + hex(name, row.getValue(), true));
                    }
                }
            }
        }
        System.exit(0); // Some codecs start threads that would hold the program.
    }

    private static String hex(String name, Callable<Object> sample, boolean nested) {
        try {
            Object value = sample.call();
            if (nested) {
                List<Object> list = new ArrayList<>();
                list.add(value);
                value = list;
            }
            Codec codec = Codecs.of(name, value == null ? Object.class : value.getClass());
            ByteBuf buf = codec.getValueEncoder().encode(value);
            String hex = HexFormat.of().formatHex(ByteBufUtil.getBytes(buf));
            buf.release();
            return hex;
        } catch (Throwable e) {
            return "WRITEFAIL " + first(e);
        }
    }

    static String first(Throwable e) {
        String text = e.getClass().getSimpleName() + ": " + e.getMessage();
        text = text.split("\n")[0];
        return text.substring(0, Math.min(text.length(), 80)).replace('\t', ' ');
    }
}
