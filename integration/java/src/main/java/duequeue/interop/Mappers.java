package duequeue.interop;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.text.SimpleDateFormat;
import java.util.TimeZone;
import org.redisson.client.codec.Codec;

/**
 * TypedJsonJacksonCodec of Object with an ObjectMapper as services configure it, by text:
 *
 * <pre>
 * typing=NON_FINAL+as=PROPERTY    default typing, and where the class is named
 * typing=NON_FINAL+property=kind  in a property of this name
 * dateformat=yyyy/MM/dd           setDateFormat(new SimpleDateFormat(…))
 * timezone=Asia/Shanghai          setTimeZone
 * </pre>
 */
final class Mappers {
    private Mappers() {
    }

    static Codec of(String settings) throws ReflectiveOperationException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectMapper.DefaultTyping typing = null;
        JsonTypeInfo.As as = JsonTypeInfo.As.WRAPPER_ARRAY;
        String property = null;
        for (String setting : settings.split("\\+")) {
            String[] parts = setting.split("=", 2);
            switch (parts[0]) {
                case "typing" -> typing = ObjectMapper.DefaultTyping.valueOf(parts[1]);
                case "as" -> as = JsonTypeInfo.As.valueOf(parts[1]);
                case "property" -> property = parts[1];
                case "dateformat" -> mapper.setDateFormat(new SimpleDateFormat(parts[1]));
                case "timezone" -> mapper.setTimeZone(TimeZone.getTimeZone(parts[1]));
                default -> throw new IllegalArgumentException("no setting of a mapper: " + setting);
            }
        }
        if (typing != null) {
            // Reflection, because the Jackson of old releases has neither.
            Class<?> validator = Class.forName("com.fasterxml.jackson.databind.jsontype.PolymorphicTypeValidator");
            Object all = Class.forName("com.fasterxml.jackson.databind.jsontype.impl.LaissezFaireSubTypeValidator")
                .getField("instance").get(null);
            if (property != null) {
                ObjectMapper.class.getMethod("activateDefaultTypingAsProperty", validator, ObjectMapper.DefaultTyping.class, String.class)
                    .invoke(mapper, all, typing, property);
            } else {
                ObjectMapper.class.getMethod("activateDefaultTyping", validator, ObjectMapper.DefaultTyping.class, JsonTypeInfo.As.class)
                    .invoke(mapper, all, typing, as);
            }
        }
        return (Codec) Class.forName("org.redisson.codec.TypedJsonJacksonCodec")
            .getConstructor(Class.class, ObjectMapper.class).newInstance(Object.class, mapper);
    }
}
