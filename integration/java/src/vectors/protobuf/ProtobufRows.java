import com.google.protobuf.*;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.netty.buffer.ByteBufUtil;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import org.redisson.codec.ProtobufCodec;

/**
 * Prints the rows of VERSION.tsv: what ProtobufCodec writes of the messages that protobuf brings and of
 * simple values, and what protobuf itself writes of random messages of order.proto, whose descriptor is
 * the file order.descriptor.hex.
 */
public class ProtobufRows {
    static final Random random = new Random(11);

    static void row(Class<?> type, String name, Object value) throws Exception {
        String hex;
        try {
            hex = ByteBufUtil.hexDump(new ProtobufCodec(type).getValueEncoder().encode(value));
        } catch (Throwable t) {
            hex = "WRITEFAIL " + t.getClass().getSimpleName();
        }
        System.out.println(type.getName() + "\t" + name + "\t" + hex);
    }

    static String text() {
        StringBuilder s = new StringBuilder();
        for (int n = random.nextInt(12); n > 0; n--) {
            s.appendCodePoint(switch (random.nextInt(6)) {
                case 0 -> 0xE9;
                case 1 -> 0x4E2D;
                case 2 -> 0x1F600;
                default -> 'a' + random.nextInt(26);
            });
        }
        return s.toString();
    }

    static Object value(FieldDescriptor f, int depth) {
        return switch (f.getJavaType()) {
            case INT -> random.nextInt() >> random.nextInt(32);
            case LONG -> random.nextLong() >> random.nextInt(64);
            case DOUBLE -> random.nextGaussian();
            case FLOAT -> (float) random.nextGaussian();
            case BOOLEAN -> random.nextBoolean();
            case STRING -> text();
            case BYTE_STRING -> ByteString.copyFromUtf8(text());
            case ENUM -> f.getEnumType().getValues().get(random.nextInt(3));
            case MESSAGE -> message(f.getMessageType(), depth - 1);
        };
    }

    static DynamicMessage message(Descriptors.Descriptor type, int depth) {
        DynamicMessage.Builder b = DynamicMessage.newBuilder(type);
        for (FieldDescriptor f : type.getFields()) {
            boolean entry = type.getOptions().getMapEntry();
            if (!entry && random.nextInt(3) == 0 || depth == 0 && f.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                continue;
            }
            if (f.isMapField()) { // in ascending order of the keys, as a TreeMap would be written
                TreeMap<String, DynamicMessage> entries = new TreeMap<>();
                for (int n = random.nextInt(4); n > 0; n--) {
                    DynamicMessage e = message(f.getMessageType(), depth);
                    entries.put((String) e.getField(f.getMessageType().findFieldByNumber(1)), e);
                }
                entries.values().forEach(e -> b.addRepeatedField(f, e));
            } else if (f.isRepeated()) {
                for (int n = random.nextInt(4); n > 0; n--) b.addRepeatedField(f, value(f, depth));
            } else {
                b.setField(f, value(f, depth));
            }
        }
        return b.build();
    }

    public static void main(String[] args) throws Exception {
        row(StringValue.class, "text", StringValue.of("其他 \uD83D\uDE00"));
        row(StringValue.class, "empty", StringValue.of(""));
        row(Int64Value.class, "number", Int64Value.of(-1L << 40));
        row(BoolValue.class, "bool", BoolValue.of(true));
        row(DoubleValue.class, "double", DoubleValue.of(-0.0));
        row(BytesValue.class, "bytes", BytesValue.of(ByteString.copyFrom(new byte[] {1, 2, 3})));
        row(Timestamp.class, "time", Timestamp.newBuilder().setSeconds(1_700_000_000L).setNanos(123_000_000).build());
        row(Duration.class, "duration", Duration.newBuilder().setSeconds(-5).setNanos(-1).build());
        row(Struct.class, "struct", Struct.newBuilder()
            .putFields("a", Value.newBuilder().setStringValue("x").build())
            .putFields("b", Value.newBuilder().setListValue(ListValue.newBuilder()
                .addValues(Value.newBuilder().setNumberValue(1.5)).addValues(Value.newBuilder().setNullValueValue(0))).build())
            .putFields("c", Value.newBuilder().setStructValue(Struct.newBuilder().putFields("d", Value.newBuilder().setBoolValue(true).build())).build())
            .build());
        row(Any.class, "any", Any.pack(StringValue.of("in")));
        row(FieldMask.class, "mask", FieldMask.newBuilder().addPaths("a.b").addPaths("c").build());

        row(String.class, "text", "其他 \uD83D\uDE00");
        row(Integer.class, "int", 42);
        row(Long.class, "long", 1L << 40);
        row(Boolean.class, "bool", true);
        row(Double.class, "double", 1.5);
        row(BigDecimal.class, "decimal", new BigDecimal("12.30"));
        row(BigInteger.class, "big", new BigInteger("123456789012345678901234567890"));
        row(Date.class, "date", new Date(1_700_000_000_123L));
        row(ArrayList.class, "list", new ArrayList<>(List.of("a", 1L)));
        row(HashSet.class, "set", new HashSet<>(List.of("a")));
        row(HashMap.class, "map", new HashMap<>(Map.of("a", 1L)));
        row(LinkedList.class, "linked list", new LinkedList<>(List.of("a")));
        row(byte[].class, "bytes", new byte[] {1});

        byte[] raw = HexFormat.of().parseHex(Files.readString(Path.of(args[0])).trim());
        Descriptors.FileDescriptor file = Descriptors.FileDescriptor.buildFrom(
            DescriptorProtos.FileDescriptorProto.parseFrom(raw), new Descriptors.FileDescriptor[] {TimestampProto.getDescriptor()});
        for (int i = 0; i < 100; i++) {
            DynamicMessage m = message(file.findMessageTypeByName("Order"), 4);
            System.out.println("duequeue.test.Order\trandom " + i + "\t" + ByteBufUtil.hexDump(m.toByteArray()));
        }
    }
}
