package duequeue.interop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.redisson.client.codec.Codec;

/** Redisson's codecs by the short name the Go side uses; no Redis is needed for them. */
final class Codecs {
    /** Reflection, because no release has all of them. */
    private static final Map<String, String> CLASSES = Map.of(
        "jsonjackson", "org.redisson.codec.JsonJacksonCodec",
        "kryo5", "org.redisson.codec.Kryo5Codec",
        "marshalling", "org.redisson.codec.MarshallingCodec",
        "fst", "org.redisson.codec.FstCodec",
        "serialization", "org.redisson.codec.SerializationCodec",
        "string", "org.redisson.client.codec.StringCodec",
        "long", "org.redisson.client.codec.LongCodec",
        "integer", "org.redisson.client.codec.IntegerCodec",
        "double", "org.redisson.client.codec.DoubleCodec",
        "bytearray", "org.redisson.client.codec.ByteArrayCodec");

    private Codecs() {
    }

    /**
     * Returns a new codec; "default" is answered with null, which Redisson takes as "the
     * configured one". Kryo 5 takes options: "kryo5+refs" keeps references, and
     * "kryo5+allowed=java.util.Date,demo.Order" allows these classes, in this order.
     */
    static Codec of(String name) throws ReflectiveOperationException {
        if (name.equals("default")) {
            return null;
        }
        String[] parts = name.split("\\+");
        Class<?> type = Class.forName(CLASSES.getOrDefault(parts[0], parts[0]));
        if (parts.length == 1) {
            return (Codec) type.getDeclaredConstructor().newInstance();
        }
        boolean refs = false;
        Set<String> allowed = new LinkedHashSet<>();
        for (String option : Arrays.copyOfRange(parts, 1, parts.length)) {
            if (option.equals("refs")) {
                refs = true;
            } else if (option.startsWith("allowed=")) {
                allowed.addAll(Arrays.asList(option.substring("allowed=".length()).split(",")));
            } else {
                throw new IllegalArgumentException("no codec option " + option);
            }
        }
        return (Codec) type.getConstructor(Set.class, boolean.class).newInstance(allowed, refs);
    }

    static String encode(Codec codec, Object value) throws IOException {
        ByteBuf buf = codec.getValueEncoder().encode(value);
        try {
            return HexFormat.of().formatHex(ByteBufUtil.getBytes(buf));
        } finally {
            buf.release();
        }
    }

    static Object decode(Codec codec, String hex) throws IOException {
        ByteBuf buf = Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
        try {
            return codec.getValueDecoder().decode(buf, null);
        } finally {
            buf.release();
        }
    }
}
