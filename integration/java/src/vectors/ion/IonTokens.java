import com.amazon.ion.Timestamp;
import com.fasterxml.jackson.core.*;
import com.fasterxml.jackson.dataformat.ion.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.HexFormat;

/**
 * Prints what Jackson's Ion parser makes of the first value of each line of texts.txt, as hex of the text
 * and the tokens. In the lines ⏎ is an end of line, and hex: begins bytes.
 */
public class IonTokens {
    static String show(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) b.append(c > ' ' && c < 127 && c != '"' ? "" + c : String.format("\\u%04x", (int) c));
        return b.append('"').toString();
    }

    static void value(IonParser p, StringBuilder out) throws Exception {
        Object type = p.getTypeId();
        if (type != null && p.currentToken() != JsonToken.VALUE_NULL) out.append(show((String) type)).append("::");
        switch (p.currentToken()) {
            case VALUE_NULL -> out.append("null");
            case VALUE_TRUE -> out.append("true");
            case VALUE_FALSE -> out.append("false");
            case VALUE_STRING -> out.append(show(p.getText()));
            case VALUE_NUMBER_INT -> out.append(p.getBigIntegerValue());
            case VALUE_NUMBER_FLOAT -> {
                Number n = p.getNumberValue();
                if (n instanceof BigDecimal d) out.append("decimal(").append(d.unscaledValue()).append(",").append(d.scale()).append(")");
                else out.append("double(").append(Long.toHexString(Double.doubleToLongBits(n.doubleValue()))).append(")");
            }
            case VALUE_EMBEDDED_OBJECT -> {
                Object o = p.getEmbeddedObject();
                if (o instanceof Timestamp t) out.append("timestamp(").append(t).append(")");
                else out.append("bytes(").append(HexFormat.of().formatHex((byte[]) o)).append(")");
            }
            case START_ARRAY -> {
                out.append("[ ");
                while (p.nextToken() != JsonToken.END_ARRAY) {
                    value(p, out);
                    out.append(' ');
                }
                out.append("]");
            }
            case START_OBJECT -> {
                out.append("{ ");
                while (p.nextToken() != JsonToken.END_OBJECT) {
                    out.append(show(p.currentName())).append('=');
                    p.nextToken();
                    value(p, out);
                    out.append(' ');
                }
                out.append("}");
            }
            default -> throw new IllegalStateException(p.currentToken().toString());
        }
    }

    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            byte[] text = line.startsWith("hex:") ? HexFormat.of().parseHex(line.substring(4))
                : line.replace("⏎", "\n").getBytes(StandardCharsets.UTF_8);
            StringBuilder out = new StringBuilder();
            try (IonParser p = (IonParser) new IonFactory().createParser(text)) {
                if (p.nextToken() == null) throw new IllegalStateException("no value");
                value(p, out);
            } catch (Exception e) {
                out = new StringBuilder("error");
            }
            System.out.println(HexFormat.of().formatHex(text) + "\t" + out);
        }
    }
}
