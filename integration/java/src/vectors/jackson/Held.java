import demo.Holders;
import demo.Types;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.redisson.client.codec.Codec;

/**
 * Writes what the JSON codecs write for beans that hold an Optional, an AtomicReference or
 * a Throwable: rows of codec, sample and JSON, without those that the codec refuses.
 * Usage: Held >held-VERSION.tsv, with the class path that rows.sh describes.
 */
public final class Held {
    private Held() {
    }

    public static void main(String[] args) throws Exception {
        Map<String, Object> samples = new LinkedHashMap<>();
        samples.put("maybe full", Holders.Maybe.full());
        samples.put("maybe empty", Holders.Maybe.empty());
        samples.put("maybe null", new Holders.Maybe());
        samples.put("faults", Holders.Faults.of());
        samples.put("faults null", new Holders.Faults());
        samples.put("refused", Holders.refused());
        samples.put("leaves", new Holders.Leaves());
        samples.put("refs", Holders.Refs.of());
        samples.put("refs null", new Holders.Refs());
        samples.put("getters", new Types.Getters());
        for (Map.Entry<String, Object> row : new ArrayList<>(samples.entrySet())) {
            samples.put("list of " + row.getKey(), new ArrayList<>(Arrays.asList(row.getValue())));
        }
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String name : new String[] {"JsonJacksonCodec", "JsonJackson3Codec", "TypedJsonJackson3Codec"}) {
            for (Map.Entry<String, Object> row : samples.entrySet()) {
                String json = json(name, row.getValue());
                if (json != null) {
                    out.println(name + "\t" + row.getKey() + "\t" + json);
                }
            }
        }
        System.exit(0); // Some codecs start threads that would hold the program.
    }

    private static String json(String name, Object value) {
        try {
            Codec codec = Codecs.of(name, value.getClass());
            ByteBuf buf = codec.getValueEncoder().encode(value);
            String text = new String(ByteBufUtil.getBytes(buf), StandardCharsets.UTF_8);
            buf.release();
            return text;
        } catch (Throwable e) {
            return null;
        }
    }
}
