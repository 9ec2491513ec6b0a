import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.redisson.client.codec.Codec;

/**
 * Writes long texts by the Smile codecs: of many lengths, in many places, behind so many
 * bytes that the generator's buffer of 8,000 is nearly full. Each row has the codec, the
 * kind of the text, its place, the number of payloads and their SHA-256, each payload behind
 * its length. With "each" it prints a row per payload.
 * Usage: SmileSweep [each], with the class path that rows.sh describes.
 */
public final class SmileSweep {
    private SmileSweep() {
    }

    static final String[] KINDS = {"x", "\u00e9", "\u4e2d", "xxxxxx\u00e9", "\u4e2dx", "\ud83d\ude00"};
    static final String[] PLACES = {"root", "element", "value", "key"};

    static List<Integer> lengths() {
        List<Integer> out = new ArrayList<>();
        for (int[] range : new int[][] {
            {31, 34}, {54, 72}, {253, 258}, {664, 668}, {995, 1005}, {1331, 1335}, {1997, 2003}, {2664, 2668}, {3994, 4002}, {7988, 8004}, {12000, 12001}}) {
            for (int n = range[0]; n <= range[1]; n++) {
                out.add(n);
            }
        }
        return out;
    }

    static List<Integer> before() {
        return List.of(0, 1000, 3990, 7852, 7930, 7982);
    }

    static String text(String kind, int length) {
        StringBuilder b = new StringBuilder();
        while (b.length() < length) {
            b.append(kind);
        }
        if (!Character.isSurrogate(kind.charAt(0))) {
            b.setLength(length);
        }
        return b.toString();
    }

    static Object value(String place, String text, int before) {
        String first = "y".repeat(before);
        switch (place) {
            case "root":
                return text;
            case "element":
                return new ArrayList<>(List.of(first, text, "z"));
            default:
                Map<String, Object> m = new LinkedHashMap<>();
                m.put("p", first);
                m.put(place.equals("key") ? text : "k", place.equals("key") ? "v" : text);
                m.put("q", "z");
                return m;
        }
    }

    public static void main(String[] args) throws Exception {
        boolean each = args.length > 0;
        for (String name : new String[] {"SmileJacksonCodec", "SmileJackson3Codec"}) {
            Codec codec = Codecs.of(name, Object.class);
            for (int kind = 0; codec != null && kind < KINDS.length; kind++) {
                for (String place : PLACES) {
                    MessageDigest all = MessageDigest.getInstance("SHA-256");
                    int payloads = 0;
                    for (int length : lengths()) {
                        for (int before : place.equals("root") ? List.of(0) : before()) {
                            ByteBuf buf = codec.getValueEncoder().encode(value(place, text(KINDS[kind], length), before));
                            byte[] payload = ByteBufUtil.getBytes(buf);
                            buf.release();
                            all.update(ByteBuffer.allocate(4).putInt(payload.length).array());
                            all.update(payload);
                            payloads++;
                            if (each) {
                                byte[] one = MessageDigest.getInstance("SHA-256").digest(payload);
                                System.out.println(name + "\t" + kind + "\t" + place + "\t" + length + "\t" + before + "\t" + payload.length + "\t"
                                    + HexFormat.of().formatHex(one, 0, 8));
                            }
                        }
                    }
                    if (!each) {
                        System.out.println(name + "\t" + kind + "\t" + place + "\t" + payloads + "\t" + HexFormat.of().formatHex(all.digest()));
                    }
                }
            }
        }
        System.exit(0); // Some codecs start threads that would hold the program.
    }
}
