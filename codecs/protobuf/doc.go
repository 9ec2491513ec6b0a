// Package protobuf reads and writes what Redisson's ProtobufCodec (3.23.4 and later)
// does: messages of protobuf, one per payload, without a length before them.
//
//	Java: new ProtobufCodec(OrderProto.Order.class)
//	Go:   codec := protobuf.New(), bound to *orderpb.Order
//
// Both sides generate their classes from one .proto file. Unset fields have no
// bytes, so a message of nothing else is an empty payload.
//
// # One class, one of three formats
//
// The class given to Java's constructor decides what is on the wire:
//
//   - Messages (subclasses of MessageLite) are protobuf. Here those are the generated
//     types (*orderpb.Order), and *dynamicpb.Message with the option [Descriptor].
//   - String, the boxed primitives, BigInteger, BigDecimal, Date, UUID, ArrayList,
//     HashSet, HashMap and a few more go to a second codec, JsonJackson unless the
//     constructor names another: ["java.lang.Long",5]. So do the Go types that
//     stand for them; [Fallback] sets the codec.
//   - Every other class is in the runtime format of protostuff, which has neither
//     names nor types of fields. Types that name such a class are refused by Bind. A
//     struct without a class is refused too: its Java twin would be such a class. Java
//     itself loses data there: the elements of a LinkedList or TreeMap are not written.
//
// Payloads do not say which it is. Decoding without a Go type therefore needs one of
// the options [Message], [Descriptor] and [Simple].
//
// # Bytes
//
// Fields are written in the order of their numbers, unknown ones, which are kept,
// behind them, as Java does: Java's remove and contains find what Go has offered.
// The one exception are map fields with several entries. They are written in the
// order of their keys, Java writes them in the order in which they were put: use a
// TreeMap's order there, or a list of pairs.
//
// A payload is checked before it is unmarshaled: few bytes may stand for many
// values. Strings that are not UTF-8 and proto2 messages without a required field
// are errors, as in Java.
package protobuf
