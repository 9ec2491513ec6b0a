package duequeue.interop;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.reflect.Method;
import org.redisson.client.codec.BaseCodec;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.client.protocol.Decoder;
import org.redisson.client.protocol.Encoder;

/** What a team has that turns its objects into JSON by itself, and offers the text by another codec. */
final class JsonText extends BaseCodec {
    private final Codec outer;
    private final Text text;

    private JsonText(Codec outer, Text text) {
        this.outer = outer;
        this.text = text;
    }

    /** JSON and back. */
    private interface Text {
        String write(Object value) throws IOException, ReflectiveOperationException;

        Object read(String text) throws IOException, ReflectiveOperationException;
    }

    /** StringCodec and an ObjectMapper as it comes. */
    static JsonText ofJackson(Class<?> type) {
        ObjectMapper mapper = new ObjectMapper();
        return new JsonText(StringCodec.INSTANCE, new Text() {
            @Override
            public String write(Object value) throws IOException {
                return mapper.writeValueAsString(value);
            }

            @Override
            public Object read(String text) throws IOException {
                return mapper.readValue(text, type);
            }
        });
    }

    /** A library that Services knows, which not all releases have: see build.sh. */
    static JsonText of(Codec outer, String library, Class<?> type) throws ReflectiveOperationException {
        Class<?> services = Class.forName("duequeue.services.Services");
        Method write = services.getMethod("write", String.class, Object.class);
        Method read = services.getMethod("read", String.class, String.class, Class.class);
        return new JsonText(outer, new Text() {
            @Override
            public String write(Object value) throws ReflectiveOperationException {
                return (String) write.invoke(null, library, value);
            }

            @Override
            public Object read(String text) throws ReflectiveOperationException {
                return read.invoke(null, library, text, type);
            }
        });
    }

    @Override
    public Decoder<Object> getValueDecoder() {
        return (buf, state) -> {
            try {
                return text.read((String) outer.getValueDecoder().decode(buf, state));
            } catch (ReflectiveOperationException e) {
                throw new IOException(e);
            }
        };
    }

    @Override
    public Encoder getValueEncoder() {
        return value -> {
            try {
                return outer.getValueEncoder().encode(text.write(value));
            } catch (ReflectiveOperationException e) {
                throw new IOException(e);
            }
        };
    }
}
