import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.lang.reflect.InvocationTargetException;
import org.redisson.client.codec.Codec;
import org.redisson.codec.JsonJacksonCodec;

/** The codecs by name, as far as the release on the class path has them. */
final class Codecs {
    private Codecs() {
    }

    static final String[] NAMES = {
        "JsonJacksonCodec", "TypedJsonJacksonCodec", "JsonJackson3Codec", "TypedJsonJackson3Codec",
        "JsonJacksonCodec+JavaTime", "JsonJacksonCodec+DatesAsText",
        "TypedJsonJacksonCodec+JavaTime", "TypedJsonJacksonCodec+DatesAsText",
        "MsgPackJacksonCodec", "CborJacksonCodec", "CborJackson3Codec", "SmileJacksonCodec", "SmileJackson3Codec",
        "IonJacksonCodec", "IonJackson3Codec",
    };

    /** Returns the codec for values of a class, null where the release has none. */
    static Codec of(String name, Class<?> type) throws Exception {
        String[] parts = name.split("\\+");
        Class<?> codec;
        try {
            codec = Class.forName("org.redisson.codec." + parts[0]);
        } catch (ClassNotFoundException e) {
            return null;
        }
        try {
            if (parts.length == 2) {
                ObjectMapper mapper = mapper(parts[1].equals("JavaTime"));
                if (parts[0].startsWith("Typed")) {
                    return (Codec) codec.getConstructor(Class.class, ObjectMapper.class).newInstance(type, mapper);
                }
                return new JsonJacksonCodec(mapper);
            }
            return (Codec) (parts[0].startsWith("Typed") ? codec.getConstructor(Class.class).newInstance(type)
                : codec.getConstructor().newInstance());
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
        }
    }

    /** A mapper of the user's with JavaTimeModule. */
    static ObjectMapper mapper(boolean timestamps) {
        return new ObjectMapper().registerModule(new JavaTimeModule())
            .configure(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS, timestamps);
    }
}
