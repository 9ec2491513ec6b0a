package duequeue.interop;

import duequeue.anyof.AnyOfCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.CompositeCodec;

/**
 * Redisson's codecs by the short name the Go side uses; no Redis is needed for them.
 *
 * <pre>
 * kryo5, default                     "default" is null, which Redisson takes as "the configured one"
 * kryo5+refs                         keeps references
 * kryo5+allowed=java.util.Date,a.B   allows these classes, in this order
 * lz4(kryo5), composite(kryo5)       around another codec
 * typedjsonjackson(duequeue.beans.Ledger), protobuf(&#64;proto.type)   of a class, or that of a sample
 * avrojackson(duequeue.beans.Reading,7b22…)   of a class and a schema, in hex
 * anyof(jsonjackson,kryo5)           reads what either wrote, and writes as the first
 * mapper(typing=NON_FINAL)           an ObjectMapper of the service, see {@link Mappers}
 * jsonmapper(longastext=TRUE)        the same in JsonJacksonCodec
 * json(duequeue.beans.Ledger)        StringCodec with JSON inside, see {@link JsonText}; also fastjson and fastjson2
 * text(kryo5,gson,&#64;service.close)    JSON by a library, in a String of another codec
 * </pre>
 */
final class Codecs {
    /** Reflection, because no release has all of them. */
    private static final Map<String, String> CLASSES = Map.ofEntries(
        Map.entry("jsonjackson", "org.redisson.codec.JsonJacksonCodec"),
        Map.entry("jsonjackson3", "org.redisson.codec.JsonJackson3Codec"),
        Map.entry("typedjsonjackson", "org.redisson.codec.TypedJsonJacksonCodec"),
        Map.entry("typedjsonjackson3", "org.redisson.codec.TypedJsonJackson3Codec"),
        Map.entry("msgpackjackson", "org.redisson.codec.MsgPackJacksonCodec"),
        Map.entry("cborjackson", "org.redisson.codec.CborJacksonCodec"),
        Map.entry("cborjackson3", "org.redisson.codec.CborJackson3Codec"),
        Map.entry("smilejackson", "org.redisson.codec.SmileJacksonCodec"),
        Map.entry("smilejackson3", "org.redisson.codec.SmileJackson3Codec"),
        Map.entry("ionjackson", "org.redisson.codec.IonJacksonCodec"),
        Map.entry("ionjackson3", "org.redisson.codec.IonJackson3Codec"),
        Map.entry("avrojackson", "org.redisson.codec.AvroJacksonCodec"),
        Map.entry("avrojackson3", "org.redisson.codec.AvroJackson3Codec"),
        Map.entry("protobuf", "org.redisson.codec.ProtobufCodec"),
        Map.entry("kryo5", "org.redisson.codec.Kryo5Codec"),
        Map.entry("marshalling", "org.redisson.codec.MarshallingCodec"),
        Map.entry("fst", "org.redisson.codec.FstCodec"),
        Map.entry("serialization", "org.redisson.codec.SerializationCodec"),
        Map.entry("lz4", "org.redisson.codec.LZ4Codec"),
        Map.entry("lz4v2", "org.redisson.codec.LZ4CodecV2"),
        Map.entry("snappy", "org.redisson.codec.SnappyCodec"),
        Map.entry("snappyv2", "org.redisson.codec.SnappyCodecV2"),
        Map.entry("zstd", "org.redisson.codec.ZStdCodec"),
        Map.entry("string", "org.redisson.client.codec.StringCodec"),
        Map.entry("long", "org.redisson.client.codec.LongCodec"),
        Map.entry("integer", "org.redisson.client.codec.IntegerCodec"),
        Map.entry("double", "org.redisson.client.codec.DoubleCodec"),
        Map.entry("bytearray", "org.redisson.client.codec.ByteArrayCodec"));

    private Codecs() {
    }

    /** Returns a new codec. */
    static Codec of(String name) throws ReflectiveOperationException {
        if (name.equals("default")) {
            return null;
        }
        int open = name.indexOf('(');
        if (open > 0 && name.endsWith(")")) {
            return around(name.substring(0, open), name.substring(open + 1, name.length() - 1));
        }
        String[] parts = name.split("\\+");
        Class<?> type = type(parts[0]);
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

    /** Returns a codec that has arguments: another codec, or a class. */
    private static Codec around(String name, String arguments) throws ReflectiveOperationException {
        switch (name) {
            case "lz4", "lz4v2", "snappy", "snappyv2", "zstd":
                return (Codec) type(name).getConstructor(Codec.class).newInstance(of(arguments));
            case "composite":
                return new CompositeCodec(StringCodec.INSTANCE, StringCodec.INSTANCE, of(arguments));
            case "anyof":
                return anyOf(arguments.split(","));
            case "mapper":
                return Mappers.typed(arguments);
            case "jsonmapper":
                return Mappers.named(arguments);
            case "json":
                return JsonText.ofJackson(argument(arguments));
            case "fastjson":
            case "fastjson2":
                return JsonText.of(StringCodec.INSTANCE, name, argument(arguments));
            case "text":
                String[] of = arguments.split(",");
                return JsonText.of(of(of[0]), of[1], argument(of[2]));
            case "avrojackson":
                return avro(type(name), "com.fasterxml.jackson.dataformat.avro.AvroSchema", arguments.split(","));
            case "avrojackson3":
                return avro(type(name), "tools.jackson.dataformat.avro.AvroSchema", arguments.split(","));
            default:
                return (Codec) type(name).getConstructor(Class.class).newInstance(argument(arguments));
        }
    }

    private static Codec anyOf(String[] names) throws ReflectiveOperationException {
        Codec[] all = new Codec[names.length];
        for (int i = 0; i < names.length; i++) {
            all[i] = of(names[i]);
        }
        return new AnyOfCodec(all);
    }

    private static Codec avro(Class<?> codec, String jacksons, String[] arguments) throws ReflectiveOperationException {
        String text = new String(HexFormat.of().parseHex(arguments[1]), StandardCharsets.UTF_8);
        Class<?> parser = Class.forName("org.apache.avro.Schema$Parser");
        Object schema = parser.getMethod("parse", String.class).invoke(parser.getConstructor().newInstance(), text);
        Class<?> type = Class.forName(jacksons);
        Object wrapped = type.getConstructor(Class.forName("org.apache.avro.Schema")).newInstance(schema);
        return (Codec) codec.getConstructor(Class.class, type).newInstance(argument(arguments[0]), wrapped);
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(CLASSES.getOrDefault(name, name));
    }

    static Class<?> argument(String name) throws ReflectiveOperationException {
        if (!name.startsWith("@")) {
            return Class.forName(name);
        }
        Object sample = Samples.of(name.substring(1));
        return sample instanceof Enum<?> constant ? constant.getDeclaringClass() : sample.getClass();
    }

    /** Returns those of the given codecs that this release has, with all they need. */
    static List<String> present(String[] names) {
        List<String> out = new ArrayList<>();
        for (String name : names) {
            try {
                of(name);
                out.add(name);
            } catch (ReflectiveOperationException | LinkageError e) {
                System.err.println(name + ": " + e);
            }
        }
        return out;
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
