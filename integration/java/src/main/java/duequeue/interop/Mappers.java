package duequeue.interop;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.jsontype.impl.LaissezFaireSubTypeValidator;
import org.redisson.client.codec.Codec;

/**
 * TypedJsonJacksonCodec of Object with an ObjectMapper as services configure it, by text:
 *
 * <pre>
 * typing=NON_FINAL;as=WRAPPER_ARRAY   default typing, and where the class stands
 * visibility=ANY                      of fields and getters
 * </pre>
 */
final class Mappers {
    private Mappers() {
    }

    static Codec of(String settings) throws ReflectiveOperationException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectMapper.DefaultTyping typing = null;
        JsonTypeInfo.As as = JsonTypeInfo.As.WRAPPER_ARRAY;
        for (String setting : settings.split(";")) {
            String[] parts = setting.split("=", 2);
            switch (parts[0]) {
                case "typing" -> typing = ObjectMapper.DefaultTyping.valueOf(parts[1]);
                case "as" -> as = JsonTypeInfo.As.valueOf(parts[1]);
                case "visibility" ->
                    mapper.setVisibility(PropertyAccessor.ALL, JsonAutoDetect.Visibility.valueOf(parts[1]));
                default -> throw new IllegalArgumentException("no setting of a mapper: " + setting);
            }
        }
        if (typing != null) {
            mapper.activateDefaultTyping(LaissezFaireSubTypeValidator.instance, typing, as);
        }
        return (Codec) Class.forName("org.redisson.codec.TypedJsonJacksonCodec")
            .getConstructor(Class.class, ObjectMapper.class).newInstance(Object.class, mapper);
    }
}
