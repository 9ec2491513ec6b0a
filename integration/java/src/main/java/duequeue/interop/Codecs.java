package duequeue.interop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Map;
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

    /** Returns a new codec; "default" is answered with null, which Redisson takes as "the configured one". */
    static Codec of(String name) throws ReflectiveOperationException {
        if (name.equals("default")) {
            return null;
        }
        String type = CLASSES.getOrDefault(name, name);
        return (Codec) Class.forName(type).getDeclaredConstructor().newInstance();
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
