// Package avro reads and writes what Redisson's AvroJacksonCodec and
// AvroJackson3Codec (4.2.0 and later) carry: one value of one schema as Avro's binary
// encoding, without a header, a fingerprint or a class.
//
//	AvroSchema schema = new AvroMapper().schemaFor(Order.class);       // Java
//	config.setCodec(new AvroJacksonCodec(Order.class, schema));
//	System.out.println(schema.getAvroSchema());                        // the JSON for Go
//
//	registry.Codec(avro.Jackson(schemaJSON))                           // Go
//
// Both sides must have the same schema. Nothing in a payload tells which one that
// was: with another one it is rubbish, or one of the errors that this package
// looks for: bytes left over, a boolean that is neither 0 nor 1, a branch or constant
// that does not exist, text that is not UTF-8.
//
// With AvroJackson3Codec Java can offer to a queue, but not take from it: Redisson
// copies a codec for its queues, and the copy of this one has no schema (seen with
// 4.7.0, a StreamReadException). What Go offers, Go must handle.
//
// # Go types
//
// One struct serves all codecs, with the java tags of package java; there are no
// others. Fields are matched by name, the order is that of the schema. Bind holds the
// whole type against the schema and reports all mistakes together:
//
//	record             struct, map[string]any, *java.Map, *java.Object
//	["null", T]        a pointer to what takes T, or what takes T: null is its zero value then
//	other unions       an interface
//	array              a slice; *java.List
//	map                a map with string keys; *java.Map
//	enum               string, a Go enum, java.Enum
//	string             string; java.BigDecimal, *big.Int, java.UUID; time.Time (Jackson 3)
//	bytes, fixed       []byte; java.UUID (16 bytes); java.BigDecimal (logical type decimal)
//	int                int8, int16, int32, int, uint8, uint16, java.Char
//	long               int64, uint32, uint64; time.Time and java.Date, as milliseconds
//	float, double      float32; float64
//	boolean            bool
//
// A field of the schema that the struct does not have must be able to be null: it is
// skipped when reading and null when written. A field of the struct that the schema
// does not have is a mistake, as in Java.
//
// # As Jackson maps Java
//
// Jackson's schemas name Java classes in "java-class". A Date or Calendar is a long,
// milliseconds whatever logical type it has; with Jackson 3 a Date is a string,
// 2024-01-02T03:04:05.678Z. BigDecimal and BigInteger are strings, or bytes of logical
// type decimal where the schema says so: then the scale is the schema's, and a value
// that would be rounded is refused. A UUID is a fixed of 16 bytes, a char an int.
// Without a Go type, values come back as what these classes are, records as
// *java.Object of the schema's full name.
//
// The bytes are those of Java: arrays and maps in one block, maps in the order of the
// HashMap that Jackson fills, entries that are null left out. The same schema
// gives the same bytes with Redisson 3.18, 3.45 and 4.7.
//
// When Java's codec fails to encode a value, what it has written of it so far stays in a buffer
// and begins a later payload of that thread, which then cannot be read. Values
// that the schema refuses must not be offered there, such as null in a list of ints.
//
// The schema is parsed by github.com/twmb/avro; payloads are read and written here,
// within [Limits], since a declared count of items or bytes must not cost more than
// the payload is long.
package avro
