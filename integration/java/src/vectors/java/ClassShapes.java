import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes messages of classes by each codec, and tells whether Java reads what Go made of them.
 *
 * <p>Arguments: the file with the classes, as {@link ClassChanges} takes them, a directory that gets the compiled
 * ones, and, to judge, a file with lines of class, codec, number of the message and payload. Without it, prints
 * such lines, of the messages that Java itself reads again.
 */
public final class ClassShapes {
    private ClassShapes() {
    }

    public static void main(String[] args) throws Exception {
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("UTC"));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        Map<String, ClassChanges.Side[]> shapes = ClassChanges.read(args[0]);
        for (Map.Entry<String, ClassChanges.Side[]> shape : shapes.entrySet()) {
            shape.getValue()[1].compile(Path.of(args[1], shape.getKey()));
        }
        if (args.length > 2) {
            for (String line : Files.readAllLines(Path.of(args[2]))) {
                String[] f = line.split("\t");
                out.print(f[0] + "\t" + f[1] + "\t" + f[2] + "\t" + judge(f[1], shapes.get(f[0])[1], Integer.parseInt(f[2]), f[3]) + "\n");
            }
            out.flush();
            return;
        }
        for (Map.Entry<String, ClassChanges.Side[]> shape : shapes.entrySet()) {
            ClassChanges.Side side = shape.getValue()[1];
            for (String codec : ClassChanges.CODECS) {
                for (int i = 0; i < ClassMessages.COUNT && ClassChanges.codec(codec, side) != null; i++) {
                    String hex = write(codec, side, i);
                    if (hex != null && judge(codec, side, i, hex).verdict().equals("same")) {
                        out.print(shape.getKey() + "\t" + codec + "\t" + i + "\t" + hex + "\n");
                    }
                }
            }
        }
        out.flush();
    }

    private static Object message(ClassChanges.Side side, int kind) throws ReflectiveOperationException {
        Thread.currentThread().setContextClassLoader(side.loader);
        return new ClassMessages(side.loader, side.names).varied().of(side.payload(), kind);
    }

    private static String write(String codec, ClassChanges.Side side, int kind) throws ReflectiveOperationException {
        Object message = message(side, kind);
        try {
            ByteBuf bytes = ClassChanges.codec(codec, side).getValueEncoder().encode(message);
            String hex = ByteBufUtil.hexDump(bytes);
            bytes.release();
            return hex;
        } catch (Exception | LinkageError e) {
            return null;
        }
    }

    private static Outcome judge(String codec, ClassChanges.Side side, int kind, String hex) throws ReflectiveOperationException {
        Object message = message(side, kind);
        try {
            ByteBuf bytes = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
            Object got = ClassChanges.codec(codec, side).getValueDecoder().decode(bytes, null);
            return new ClassComparison(side.loader).messages(message, got, side.payload());
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            return Outcome.fails(e);
        }
    }
}
