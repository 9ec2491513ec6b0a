package duequeue.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.redisson.client.codec.Codec;

/**
 * The values that benchmarks carry. Run it to write them as one release's codec
 * does, one line of hex per file:
 *
 * <pre>
 * java @target/4.7.0/java.args duequeue.bench.Payloads org.redisson.codec.Kryo5Codec ../../codecs/kryo5/testdata/bench order map strings100 nested5
 * </pre>
 */
public final class Payloads {
    private Payloads() {
    }

    /** Arguments: the codec's class, a directory, and the names of the values. */
    public static void main(String[] args) throws Exception {
        Codec codec = (Codec) Class.forName(args[0]).getDeclaredConstructor().newInstance();
        Path dir = Files.createDirectories(Path.of(args[1]));
        for (String name : Arrays.copyOfRange(args, 2, args.length)) {
            ByteBuf buf = codec.getValueEncoder().encode(of(name));
            String hex = HexFormat.of().formatHex(ByteBufUtil.getBytes(buf));
            buf.release();
            Files.writeString(dir.resolve(name + ".hex"), hex + "\n");
        }
    }

    /** Returns the value called {@code name}. */
    public static Object of(String name) {
        return switch (name) {
            case "order" -> order();
            case "map" -> map();
            case "strings100" -> strings(100);
            case "nested5" -> nested(5);
            default -> throw new IllegalArgumentException("no payload called " + name);
        };
    }

    private static Order order() {
        Order o = new Order();
        o.orderId = "A-2024-000123";
        o.customer = "张三";
        o.remark = "leave at the door";
        o.amountCents = 129900;
        o.quantity = 3;
        o.discount = 15;
        o.paid = true;
        o.createdAt = new Date(1700000000123L);
        o.total = new BigDecimal("1299.00");
        o.tags = new ArrayList<>(List.of("vip", "express"));
        return o;
    }

    private static Map<String, Object> map() {
        Map<String, Object> map = new HashMap<>();
        map.put("orderId", "A-2024-000123");
        map.put("remark", "leave at the door");
        return map;
    }

    private static List<String> strings(int n) {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            out.add("string-" + i);
        }
        return out;
    }

    /** A HashMap of a name, a number and, down to the last level, the next map as "child". */
    private static Map<String, Object> nested(int levels) {
        Map<String, Object> map = new HashMap<>();
        if (levels > 1) {
            map.put("child", nested(levels - 1));
        }
        map.put("level", levels);
        map.put("name", "level-" + levels);
        return map;
    }
}
