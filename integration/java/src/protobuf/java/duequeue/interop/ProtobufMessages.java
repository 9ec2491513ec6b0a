package duequeue.interop;

import com.google.protobuf.EnumValue;
import com.google.protobuf.Field;
import com.google.protobuf.Int64Value;
import com.google.protobuf.ListValue;
import com.google.protobuf.SourceContext;
import com.google.protobuf.StringValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Syntax;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Type;
import com.google.protobuf.Value;
import java.util.function.Function;

/** Messages of the types that protobuf itself brings, for releases that have ProtobufCodec. */
final class ProtobufMessages implements Function<String, Object> {
    @Override
    public Object apply(String name) {
        return switch (name) {
            case "text" -> StringValue.of("其他 \uD83D\uDE00");
            case "empty" -> StringValue.of("");
            case "number" -> Int64Value.of(-1L << 40);
            case "time" -> Timestamp.newBuilder().setSeconds(1_700_000_000L).setNanos(123_000_000).build();
            case "struct" -> struct();
            case "type" -> type();
            default -> throw new IllegalArgumentException("no message called " + name);
        };
    }

    /** A map, a list, a union of everything. */
    private static Struct struct() {
        ListValue list = ListValue.newBuilder()
            .addValues(Value.newBuilder().setStringValue("a"))
            .addValues(Value.newBuilder().setBoolValue(true))
            .addValues(Value.newBuilder().setNullValueValue(0))
            .build();
        return Struct.newBuilder()
            .putFields("items", Value.newBuilder().setListValue(list).build())
            .putFields("price", Value.newBuilder().setNumberValue(12.5).build())
            .build();
    }

    /** Repeated messages, enums, numbers, texts. */
    private static Type type() {
        Field first = Field.newBuilder().setName("first").setNumber(1).setKind(Field.Kind.TYPE_INT64)
            .setCardinality(Field.Cardinality.CARDINALITY_REPEATED).setPacked(true).setTypeUrl("其他").build();
        Field second = Field.newBuilder().setName("second").setNumber(-2).setOneofIndex(3).build();
        return Type.newBuilder().setName("Order").addFields(first).addFields(second).addOneofs("a").addOneofs("b")
            .setSourceContext(SourceContext.newBuilder().setFileName(EnumValue.getDescriptor().getName()))
            .setSyntax(Syntax.SYNTAX_PROTO3).build();
    }
}
