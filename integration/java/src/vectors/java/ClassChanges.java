import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.redisson.client.codec.Codec;

/**
 * Tells what becomes of messages of an old class in a program that has the new one.
 *
 * <p>Arguments: the file with the changes, and a directory that gets the compiled classes:
 * CHANGE/old and CHANGE/new. Prints a line for each change and codec: both names, what happened
 * to the message that it went worst for, and what happened to each message.
 *
 * <p>With "write" behind these it prints the messages of the old classes instead: change, codec, the
 * number of the message and its bytes. With "read", a file of such lines and one of mappings it tells
 * what the new classes make of these bytes: change, codec, number and outcome.
 */
public final class ClassChanges {
    static final String[] CODECS = {"kryo5", "jsonjackson", "typedjsonjackson", "marshalling", "serialization",
        "cborjackson", "smilejackson", "ionjackson", "msgpackjackson", "typedjsonjackson+typing=NON_FINAL", "typedjsonjackson+typing=NON_FINAL+as=PROPERTY"};
    private static final Pattern LINE = Pattern.compile(
        "(old|new) (?:package (\\w+); )?(plain )?((?:(?:abstract|final) )?(class|record|enum|interface) (\\w+)[^{]*)(\\{.*)");
    private static final String IMPORTS = "import java.io.*; import java.math.*; import java.time.*; import java.util.*;\n";

    private ClassChanges() {
    }

    /** The classes of one side of a change. */
    static final class Side {
        String payload;
        final List<String> names = new ArrayList<>();
        final Map<Path, String> sources = new LinkedHashMap<>();
        ClassLoader loader;

        void add(Matcher line) {
            String pack = line.group(2) == null ? "change" : line.group(2);
            String head = line.group(4);
            String body = line.group(7);
            if (line.group(3) == null && line.group(5).equals("class")) {
                head += head.contains(" implements ") ? "" : " implements Serializable ";
                body = "{ private static final long serialVersionUID = 1L;" + body.substring(1);
            }
            String name = pack + "." + line.group(6);
            payload = payload == null ? name : payload;
            names.add(name);
            sources.put(Path.of(pack, line.group(6) + ".java"), "package " + pack + ";\n" + IMPORTS + "public " + head + body + "\n");
        }

        void compile(Path dir) throws IOException {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            Path source = Files.createTempDirectory("changes");
            List<String> arguments = new ArrayList<>(List.of("-nowarn", "-proc:none", "-g:none", "--release", "17", "-d", dir.toString()));
            for (Map.Entry<Path, String> e : sources.entrySet()) {
                Path file = source.resolve(e.getKey());
                Files.createDirectories(file.getParent());
                Files.writeString(file, e.getValue());
                arguments.add(file.toString());
            }
            Files.createDirectories(dir);
            loader = new URLClassLoader(new URL[] {dir.toUri().toURL()}, ClassChanges.class.getClassLoader());
            if (Files.exists(dir.resolve(payload.replace('.', '/') + ".class"))) {
                return; // by a run before
            }
            if (compiler.run(null, System.err, System.err, arguments.toArray(new String[0])) != 0) {
                throw new IllegalArgumentException("these classes do not compile: " + sources.values());
            }
        }

        Class<?> payload() throws ClassNotFoundException {
            return Class.forName(payload, false, loader);
        }
    }

    public static void main(String[] args) throws Exception {
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("UTC")); // of dates in the table
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (Map.Entry<String, Side[]> change : read(args[0]).entrySet()) {
            Side old = change.getValue()[0];
            Side now = change.getValue()[1];
            old.compile(Path.of(args[1], change.getKey(), "old"));
            now.compile(Path.of(args[1], change.getKey(), "new"));
            for (String codec : CODECS) {
                if (codec(codec, old) != null && args.length > 2) {
                    payloads(args, change.getKey(), codec, old, now, out);
                } else if (codec(codec, old) != null) {
                    out.print(change.getKey() + "\t" + codec + "\t" + judge(codec, old, now) + "\n");
                }
            }
        }
    }

    /** Reads changes: the old and the new classes of each. */
    static Map<String, Side[]> read(String file) throws IOException {
        Map<String, Side[]> changes = new LinkedHashMap<>();
        Side[] sides = null;
        for (String line : Files.readAllLines(Path.of(file))) {
            if (line.startsWith("# ")) {
                sides = new Side[] {new Side(), new Side()};
                changes.put(line.substring(2), sides);
            } else if (sides != null && !line.isBlank()) {
                Matcher m = LINE.matcher(line);
                if (!m.matches()) {
                    throw new IllegalArgumentException(line);
                }
                sides[m.group(1).equals("old") ? 0 : 1].add(m);
            }
        }
        return changes;
    }

    private static void payloads(String[] args, String change, String codec, Side old, Side now, PrintStream out) throws Exception {
        List<String> given = args[2].equals("read") ? Files.readAllLines(Path.of(args[3])) : List.of();
        ClassComparison.facts(args.length > 4 ? Files.readAllLines(Path.of(args[4])) : List.of(), change);
        ClassMessages messages = new ClassMessages(old.loader, old.names);
        for (int i = 0; i < ClassMessages.COUNT; i++) {
            String line = change + "\t" + codec + "\t" + i + "\t";
            Object message = messages.of(old.payload(), i);
            if (args[2].equals("write")) {
                ByteBuf bytes = written(codec, old, message);
                out.print(bytes == null ? "" : line + ByteBufUtil.hexDump(bytes) + "\n");
                continue;
            }
            for (String payload : given) {
                if (payload.startsWith(line)) {
                    ByteBuf bytes = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(payload.substring(line.length())));
                    out.print(line + read(codec, now, message, bytes) + "\n");
                }
            }
        }
    }

    private static ByteBuf written(String codec, Side old, Object message) throws Exception {
        Thread.currentThread().setContextClassLoader(old.loader);
        try {
            return codec(codec, old).getValueEncoder().encode(message);
        } catch (Exception | LinkageError e) {
            return null;
        }
    }

    private static String judge(String codec, Side old, Side now) throws Exception {
        ClassMessages messages = new ClassMessages(old.loader, old.names);
        Outcome worst = null;
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < ClassMessages.COUNT; i++) {
            Outcome o = judge(codec, old, now, messages.of(old.payload(), i));
            worst = i == 0 ? o : o.worse(worst);
            all.append(i == 0 ? "" : "; ").append(ClassMessages.NAMES[i]).append(": ").append(o);
        }
        return worst.verdict() + "\t" + all;
    }

    private static Outcome judge(String codec, Side old, Side now, Object message) throws Exception {
        Thread.currentThread().setContextClassLoader(old.loader);
        ByteBuf bytes;
        try {
            bytes = codec(codec, old).getValueEncoder().encode(message);
        } catch (Exception | LinkageError e) {
            return Outcome.notWritten(e);
        }
        return read(codec, now, message, bytes);
    }

    private static Outcome read(String codec, Side now, Object message, ByteBuf bytes) throws Exception {
        Thread.currentThread().setContextClassLoader(now.loader);
        Object got;
        try {
            got = codec(codec, now).getValueDecoder().decode(bytes, null);
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            return Outcome.fails(e);
        } finally {
            bytes.release();
        }
        return new ClassComparison(now.loader).messages(message, got, now.payload());
    }

    /** Returns a codec of the release with the classes of a side, null where the release has none. */
    static Codec codec(String name, Side side) throws ReflectiveOperationException {
        String type = switch (name) {
            case "kryo5" -> "Kryo5Codec";
            case "jsonjackson" -> "JsonJacksonCodec";
            case "typedjsonjackson" -> "TypedJsonJacksonCodec";
            case "marshalling" -> "MarshallingCodec";
            case "cborjackson" -> "CborJacksonCodec";
            case "smilejackson" -> "SmileJacksonCodec";
            case "ionjackson" -> "IonJacksonCodec";
            case "msgpackjackson" -> "MsgPackJacksonCodec";
            case "typedjsonjackson+typing=NON_FINAL", "typedjsonjackson+typing=NON_FINAL+as=PROPERTY" -> "TypedJsonJacksonCodec";
            default -> "SerializationCodec";
        };
        try {
            Class<?> codec = Class.forName("org.redisson.codec." + type);
            if (name.equals("typedjsonjackson")) {
                return (Codec) codec.getConstructor(Class.class).newInstance(side.payload());
            }
            if (name.startsWith("typedjsonjackson")) {
                ObjectMapper mapper = new ObjectMapper();
                mapper.enableDefaultTyping(ObjectMapper.DefaultTyping.NON_FINAL, // which the Jackson of every release has
                    name.endsWith("as=PROPERTY") ? JsonTypeInfo.As.PROPERTY : JsonTypeInfo.As.WRAPPER_ARRAY);
                return (Codec) codec.getConstructor(Class.class, ObjectMapper.class).newInstance(Object.class, mapper);
            }
            return (Codec) codec.getConstructor(ClassLoader.class).newInstance(side.loader);
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            return null;
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(name, e.getCause());
        }
    }
}
