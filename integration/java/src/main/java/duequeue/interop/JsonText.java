package duequeue.interop;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.redisson.client.codec.BaseCodec;
import org.redisson.client.protocol.Decoder;
import org.redisson.client.protocol.Encoder;

/**
 * What a team has that sets StringCodec and turns its objects into JSON by itself,
 * with a mapper as it comes: the bytes are those of the text.
 */
final class JsonText extends BaseCodec {
    private final ObjectMapper mapper = new ObjectMapper();
    private final Class<?> type;

    JsonText(Class<?> type) {
        this.type = type;
    }

    @Override
    public Decoder<Object> getValueDecoder() {
        return (buf, state) -> mapper.readValue(new String(ByteBufUtil.getBytes(buf), StandardCharsets.UTF_8), type);
    }

    @Override
    public Encoder getValueEncoder() {
        return value -> Unpooled.copiedBuffer(mapper.writeValueAsString(value), StandardCharsets.UTF_8);
    }
}
