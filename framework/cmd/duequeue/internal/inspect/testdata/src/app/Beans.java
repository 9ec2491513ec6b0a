package app;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.impl.LaissezFaireSubTypeValidator;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.text.SimpleDateFormat;
import java.util.Locale;
import java.util.TimeZone;
import org.redisson.Redisson;
import org.redisson.api.RQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.LongCodec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.CompositeCodec;
import org.redisson.codec.JsonJacksonCodec;
import org.redisson.codec.Kryo5Codec;
import org.redisson.codec.LZ4Codec;
import org.redisson.codec.MarshallingCodec;
import org.redisson.codec.TypedJsonJacksonCodec;
import org.redisson.config.Config;

/** Codecs as beans of services set them. */
public class Beans {
    private ObjectMapper field;

    /** As redisson-plus-spring-boot-starter has it. */
    public RedissonClient starter() {
        ObjectMapper mapper = new ObjectMapper();
        mapper.registerModule(new JavaTimeModule());
        mapper.disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
        mapper.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
        mapper.setSerializationInclusion(JsonInclude.Include.NON_NULL);
        Config config = new Config();
        config.useSingleServer().setAddress("redis://localhost:6379");
        config.setCodec(new JsonJacksonCodec(mapper));
        return Redisson.create(config);
    }

    public void plain(Config config) {
        config.setCodec(JsonJacksonCodec.INSTANCE);
        config.setCodec(new Kryo5Codec());
        config.setCodec(new MarshallingCodec());
        config.setCodec(new StringCodec());
        config.setCodec(new LZ4Codec(new JsonJacksonCodec()));
        config.setCodec(new CompositeCodec(StringCodec.INSTANCE, new TypedJsonJacksonCodec(Object.class)));
        config.setCodec(new CompositeCodec(StringCodec.INSTANCE, new StringCodec(), new TypedJsonJacksonCodec(Object.class)));
    }

    public void formats(Config config) {
        SimpleModule longs = new SimpleModule();
        longs.addSerializer(Long.class, ToStringSerializer.instance).addSerializer(Long.TYPE, ToStringSerializer.instance);
        ObjectMapper mapper = new ObjectMapper()
            .setDateFormat(new SimpleDateFormat("yyyy-MM-dd HH:mm:ss", Locale.CHINA))
            .setTimeZone(TimeZone.getTimeZone("GMT+8"))
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .registerModules(longs, new Jdk8Module())
            .enable(SerializationFeature.WRITE_ENUMS_USING_INDEX);
        config.setCodec(new TypedJsonJacksonCodec(Object.class, mapper));
    }

    public void builder(Config config) {
        JsonMapper mapper = JsonMapper.builder().addModule(new JavaTimeModule())
            .configure(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS, false)
            .activateDefaultTyping(LaissezFaireSubTypeValidator.instance, ObjectMapper.DefaultTyping.NON_FINAL, JsonTypeInfo.As.PROPERTY)
            .build();
        config.setCodec(new TypedJsonJacksonCodec(Object.class, mapper));
    }

    public void machineZone(Config config) {
        ObjectMapper mapper = new ObjectMapper();
        mapper.setDateFormat(new SimpleDateFormat("yyyy/MM/dd"));
        config.setCodec(new JsonJacksonCodec(mapper));
    }

    public void otherTyping(Config config) {
        ObjectMapper mapper = new ObjectMapper();
        mapper.enableDefaultTyping(ObjectMapper.DefaultTyping.NON_CONCRETE_AND_ARRAYS);
        config.setCodec(new TypedJsonJacksonCodec(Object.class, mapper));
        config.setCodec(new JsonJacksonCodec(mapper)); // which replaces the typing
    }

    public void unread(Config config, Codec codec, boolean texts) {
        ObjectMapper mapper = new ObjectMapper();
        applyTo(mapper);
        mapper.findAndRegisterModules();
        mapper.enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING);
        if (texts) {
            mapper.disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
        }
        config.setCodec(new JsonJacksonCodec(mapper));
        config.setCodec(new JsonJacksonCodec(field));
        config.setCodec(new JsonJacksonCodec(made()));
        config.setCodec(codec);
        config.setCodec(texts ? new StringCodec() : new Kryo5Codec());
        switch (texts ? 1 : 2) {
            case 1: codec = new StringCodec(); break;
            case 2: codec = new Kryo5Codec(); break;
            default: throw new IllegalStateException();
        }
        config.setCodec(codec);
    }

    /** What the mapper is told after the codec took its copy counts for nothing; the copy's mapper is not read. */
    public void late(Config config, TimeZone zone) {
        ObjectMapper mapper = new ObjectMapper();
        mapper.setVisibility(mapper.getSerializationConfig().getDefaultVisibilityChecker());
        mapper.disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS).setTimeZone(TimeZone.getDefault());
        JsonJacksonCodec codec = new JsonJacksonCodec(mapper);
        mapper.enable(SerializationFeature.WRITE_ENUMS_USING_INDEX).setTimeZone(zone);
        codec.getObjectMapper().registerModule(new Jdk8Module());
        config.setCodec(codec);
    }

    public RQueue<Object> queue(RedissonClient client) {
        long unused = System.currentTimeMillis() + 5L;
        RQueue<Object> other = client.getDeque("OTHER" + unused, new JsonJacksonCodec());
        other.clear();
        return client.getBlockingQueue("NUMBERS", LongCodec.INSTANCE);
    }

    private static void applyTo(ObjectMapper mapper) {
        mapper.registerModule(new JavaTimeModule());
    }

    private ObjectMapper made() {
        return new ObjectMapper();
    }
}
