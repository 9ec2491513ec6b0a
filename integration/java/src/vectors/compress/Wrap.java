import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.Codec;

/** Runs the compressing codecs of one Redisson release; see README.md in codecs/compress/testdata. */
public class Wrap {
    static final String[] NAMES = {"LZ4Codec", "LZ4CodecV2", "SnappyCodec", "SnappyCodecV2", "ZStdCodec"};

    public static void main(String[] args) throws Exception {
        Path root = Paths.get(args[1]);
        for (String name : NAMES) {
            Codec codec;
            try {
                Class<?> type = Class.forName("org.redisson.codec." + name);
                codec = (Codec) type.getConstructor(Codec.class).newInstance(ByteArrayCodec.INSTANCE);
            } catch (ClassNotFoundException e) {
                System.out.println(args[2] + " " + name + " absent");
                continue;
            }
            if (args[0].equals("encode")) {
                encode(codec, name, root, args[2]);
            } else {
                decode(codec, name, root, args[2]);
            }
        }
    }

    static void encode(Codec codec, String name, Path root, String version) throws Exception {
        Path out = root.resolve("java-" + version).resolve(name);
        Files.createDirectories(out);
        StringBuilder bad = new StringBuilder();
        int same = 0;
        File[] files = root.resolve("in").toFile().listFiles();
        for (File f : files) {
            byte[] raw = Files.readAllBytes(f.toPath());
            try {
                ByteBuf b = codec.getValueEncoder().encode(raw);
                byte[] payload = new byte[b.readableBytes()];
                b.readBytes(payload);
                Files.write(out.resolve(f.getName()), payload);
                byte[] back = (byte[]) codec.getValueDecoder().decode(Unpooled.wrappedBuffer(payload), null);
                if (Arrays.equals(back, raw)) {
                    same++;
                } else {
                    bad.append(" ").append(f.getName()).append(":").append(back.length);
                }
            } catch (Throwable t) {
                bad.append(" ").append(f.getName()).append(":").append(t);
            }
        }
        System.out.println(version + " " + name + " reads back " + same + "/" + files.length + bad);
    }

    static void decode(Codec codec, String name, Path root, String version) throws Exception {
        for (File dir : root.resolve("go").toFile().listFiles()) {
            if (!dir.getName().split("@")[0].equals(name)) {
                continue;
            }
            StringBuilder bad = new StringBuilder();
            int same = 0;
            File[] files = dir.listFiles();
            for (File f : files) {
                byte[] raw = Files.readAllBytes(root.resolve("in").resolve(f.getName()));
                byte[] payload = Files.readAllBytes(f.toPath());
                ByteBuf b = ByteBufAllocator.DEFAULT.directBuffer(payload.length + 8).writeBytes(payload);
                try {
                    byte[] back = (byte[]) codec.getValueDecoder().decode(b, null);
                    if (Arrays.equals(back, raw)) {
                        same++;
                    } else {
                        bad.append(" ").append(f.getName()).append(":").append(back.length);
                    }
                } catch (Throwable t) {
                    bad.append(" ").append(f.getName()).append(":").append(t);
                }
                b.release();
            }
            System.out.println(version + " " + dir.getName() + " read " + same + "/" + files.length + bad);
        }
    }
}
