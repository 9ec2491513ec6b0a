import com.fasterxml.jackson.dataformat.smile.SmileFactory;
import com.fasterxml.jackson.dataformat.smile.SmileGenerator;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.MessageDigest;

/** Writes each program of a file as Jackson's SmileGenerator does. */
public class Programs {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split(" ");
            String result;
            try {
                result = hex(run(words));
            } catch (Exception e) {
                result = "WRITEFAIL " + e.getClass().getSimpleName();
            }
            out.println(line + "\t" + result);
        }
    }

    static byte[] run(String[] words) throws Exception {
        SmileFactory f = new SmileFactory();
        f.configure(SmileGenerator.Feature.CHECK_SHARED_NAMES, words[0].contains("n"));
        f.configure(SmileGenerator.Feature.CHECK_SHARED_STRING_VALUES, words[0].contains("v"));
        f.configure(SmileGenerator.Feature.ENCODE_BINARY_AS_7BIT, !words[0].contains("r"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SmileGenerator g = f.createGenerator(bytes);
        for (int i = 1; i < words.length; i++) {
            step(g, words[i].substring(0, 1), words[i].substring(1));
        }
        g.close();
        return bytes.toByteArray();
    }

    static void step(SmileGenerator g, String op, String arg) throws Exception {
        switch (op) {
            case "[": g.writeStartArray(); break;
            case "]": g.writeEndArray(); break;
            case "{": g.writeStartObject(); break;
            case "}": g.writeEndObject(); break;
            case "0": g.writeNull(); break;
            case "t": g.writeBoolean(true); break;
            case "u": g.writeBoolean(false); break;
            case "i": g.writeNumber(Long.parseLong(arg)); break;
            case "f": g.writeNumber(Float.intBitsToFloat((int) Long.parseLong(arg, 16))); break;
            case "d": g.writeNumber(Double.longBitsToDouble(Long.parseUnsignedLong(arg, 16))); break;
            case "n": g.writeNumber(new BigInteger(arg, 16)); break;
            case "D": {
                String[] parts = arg.split(",");
                g.writeNumber(new BigDecimal(new BigInteger(parts[0], 16), Integer.parseInt(parts[1])));
                break;
            }
            case "b": {
                byte[] b = new byte[Integer.parseInt(arg)];
                for (int i = 0; i < b.length; i++) {
                    b[i] = (byte) (i * 37 + 0x81);
                }
                g.writeBinary(b);
                break;
            }
            case "s": g.writeString(text(arg)); break;
            case "k": g.writeFieldName(text(arg)); break;
            case "S": // strings s0, s1, ...
                for (int i = 0; i < Integer.parseInt(arg); i++) {
                    g.writeString("s" + i);
                }
                break;
            case "K": // members k0, k1, ..., each true
                for (int i = 0; i < Integer.parseInt(arg); i++) {
                    g.writeFieldName("k" + i);
                    g.writeBoolean(true);
                }
                break;
            default: throw new IllegalStateException(op);
        }
    }

    /** 61*65,e9*1 is 65 times a, then é. */
    static String text(String arg) {
        StringBuilder s = new StringBuilder();
        for (String part : arg.isEmpty() ? new String[0] : arg.split(",")) {
            String[] c = part.split("\\*");
            for (int i = Integer.parseInt(c[1]); i > 0; i--) {
                s.appendCodePoint(Integer.parseInt(c[0], 16));
            }
        }
        return s.toString();
    }

    /** The bytes, of many their number and a digest. */
    static String hex(byte[] b) throws Exception {
        boolean many = b.length > 400;
        StringBuilder s = new StringBuilder(many ? b.length + ":" : "");
        for (byte x : many ? MessageDigest.getInstance("SHA-256").digest(b) : b) {
            s.append(String.format("%02x", x));
        }
        return s.toString();
    }
}
