package duequeue.interop;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategy;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.text.SimpleDateFormat;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.TimeZone;
import org.redisson.client.codec.Codec;

/**
 * Codecs with an ObjectMapper as services configure it, by text:
 *
 * <pre>
 * typing=NON_FINAL+as=PROPERTY    default typing, and where the class is named
 * typing=NON_FINAL+property=kind  in a property of this name
 * dateformat=yyyy/MM/dd           setDateFormat(new SimpleDateFormat(…))
 * timezone=Asia/Shanghai          setTimeZone
 * dates=TEXT                      JavaTimeModule, and WRITE_DATES_AS_TIMESTAMPS or not
 * longastext=TRUE                 ToStringSerializer for Long and long
 * naming=SNAKE_CASE               setPropertyNamingStrategy
 * enums=ORDINAL                   WRITE_ENUMS_USING_INDEX
 * optionals=TRUE                  Jdk8Module
 * singles=BARE                    ACCEPT_SINGLE_VALUE_AS_ARRAY and WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED
 * include=NON_EMPTY               setSerializationInclusion
 * localdatetime=HH:mm~dd.MM.yyyy  LocalDateTimeSerializer and its reverse, by a pattern
 * class=&#64;guard.bean.0            the class of TypedJsonJacksonCodec, or that of a sample; else Object
 * </pre>
 *
 * A tilde stands for a blank.
 */
final class Mappers {
    private Mappers() {
    }

    /** TypedJsonJacksonCodec. */
    static Codec typed(String settings) throws ReflectiveOperationException {
        Class<?> type = Object.class;
        for (String setting : settings.split("\\+")) {
            if (setting.startsWith("class=")) {
                type = Codecs.argument(setting.substring("class=".length()));
            }
        }
        return (Codec) Class.forName("org.redisson.codec.TypedJsonJacksonCodec")
            .getConstructor(Class.class, ObjectMapper.class).newInstance(type, of(settings));
    }

    /** JsonJacksonCodec. */
    static Codec named(String settings) throws ReflectiveOperationException {
        return (Codec) Class.forName("org.redisson.codec.JsonJacksonCodec")
            .getConstructor(ObjectMapper.class).newInstance(of(settings));
    }

    private static Module module(String name) throws ReflectiveOperationException {
        return (Module) Class.forName(name).getConstructor().newInstance();
    }

    private static ObjectMapper of(String settings) throws ReflectiveOperationException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectMapper.DefaultTyping typing = null;
        JsonTypeInfo.As as = JsonTypeInfo.As.WRAPPER_ARRAY;
        String property = null;
        for (String setting : settings.replace('~', ' ').split("\\+")) {
            String[] parts = setting.split("=", 2);
            switch (parts[0]) {
                case "typing" -> typing = ObjectMapper.DefaultTyping.valueOf(parts[1]);
                case "as" -> as = JsonTypeInfo.As.valueOf(parts[1]);
                case "property" -> property = parts[1];
                case "class" -> { }
                case "dateformat" -> mapper.setDateFormat(new SimpleDateFormat(parts[1]));
                case "timezone" -> mapper.setTimeZone(TimeZone.getTimeZone(parts[1]));
                case "dates" -> {
                    mapper.registerModule(module("com.fasterxml.jackson.datatype.jsr310.JavaTimeModule"));
                    mapper.configure(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS, parts[1].equals("TIMESTAMPS"));
                }
                case "localdatetime" -> mapper.registerModule(localDateTime(DateTimeFormatter.ofPattern(parts[1])));
                case "longastext" -> mapper.registerModule(new SimpleModule()
                    .addSerializer(Long.class, ToStringSerializer.instance).addSerializer(Long.TYPE, ToStringSerializer.instance));
                case "naming" -> mapper.setPropertyNamingStrategy((PropertyNamingStrategy)
                    Class.forName("com.fasterxml.jackson.databind.PropertyNamingStrategies").getField(parts[1]).get(null));
                case "enums" -> mapper.enable(SerializationFeature.WRITE_ENUMS_USING_INDEX);
                case "singles" -> mapper.enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
                    .configure(SerializationFeature.WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED, parts[1].equals("BARE"));
                case "optionals" -> mapper.registerModule(module("com.fasterxml.jackson.datatype.jdk8.Jdk8Module"));
                case "include" -> mapper.setSerializationInclusion(JsonInclude.Include.valueOf(parts[1]));
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
        return mapper;
    }

    /** Reflection, because not all releases have the library. */
    @SuppressWarnings("unchecked")
    private static Module localDateTime(DateTimeFormatter format) throws ReflectiveOperationException {
        String in = "com.fasterxml.jackson.datatype.jsr310.";
        return new SimpleModule("localdatetime")
            .addSerializer(LocalDateTime.class, (JsonSerializer<LocalDateTime>) Class.forName(in + "ser.LocalDateTimeSerializer")
                .getConstructor(DateTimeFormatter.class).newInstance(format))
            .addDeserializer(LocalDateTime.class, (JsonDeserializer<LocalDateTime>) Class.forName(in + "deser.LocalDateTimeDeserializer")
                .getConstructor(DateTimeFormatter.class).newInstance(format));
    }
}
