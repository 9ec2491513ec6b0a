package duequeue.interop;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.redisson.client.codec.BaseCodec;
import org.redisson.client.protocol.Decoder;
import org.redisson.client.protocol.Encoder;

/**
 * What a team has that sets StringCodec and turns its objects into JSON by itself,
 * with a mapper as it comes or with fastjson: the bytes are those of the text.
 */
final class JsonText extends BaseCodec {
    private final ObjectMapper mapper = new ObjectMapper();
    private final Class<?> library;
    private final Class<?> type;

    /** The library is json, fastjson or fastjson2, which not all releases come with. */
    JsonText(String library, Class<?> type) throws ClassNotFoundException {
        this.library = library.equals("json") ? null : Class.forName("com.alibaba." + library + ".JSON");
        this.type = type;
    }

    @Override
    public Decoder<Object> getValueDecoder() {
        return (buf, state) -> {
            String text = new String(ByteBufUtil.getBytes(buf), StandardCharsets.UTF_8);
            return library == null ? mapper.readValue(text, type) : call("parseObject", new Class<?>[] {String.class, Class.class}, text, type);
        };
    }

    @Override
    public Encoder getValueEncoder() {
        return value -> {
            Object text = library == null ? mapper.writeValueAsString(value) : call("toJSONString", new Class<?>[] {Object.class}, value);
            return Unpooled.copiedBuffer((String) text, StandardCharsets.UTF_8);
        };
    }

    private Object call(String method, Class<?>[] types, Object... arguments) throws IOException {
        try {
            return library.getMethod(method, types).invoke(null, arguments);
        } catch (ReflectiveOperationException e) {
            throw new IOException(e);
        }
    }
}
