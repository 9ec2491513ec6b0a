// Package jackson reads and writes the JSON of Redisson's JsonJacksonCodec, the
// default codec up to Redisson 3.9 and a common choice since.
//
// # What is on the wire
//
// Jackson names the class of every value whose declared type does not fix it.
// A JSON object carries it as its property "@class"; anything else stands in a
// wrapper array of two elements, ["java.lang.Long",5]. Strings, booleans,
// Integers and finite Doubles are bare. The root is declared as its own class:
// a Short is bare there and wrapped inside a map or list.
//
//	HashMap     {"@class":"java.util.HashMap","id":["java.lang.Long",5],"n":1}
//	ArrayList   ["java.util.ArrayList",["a",1]]
//
// # What is carried
//
// Null, strings, booleans, all numbers, byte[], and maps, lists, sets and
// arrays of those at any depth, byte for byte as Redisson 3.8.1 to 4.7.0 writes
// them. Values of other classes (beans, enums, UUID …) are read, and written
// again unchanged, as [*java.Object], java.Enum and [Scalar].
//
// # Beans
//
// A struct that names its Java class is that bean, in both directions:
//
//	type Order struct {
//		ID    int64  `java:"id"`                // long: 5
//		Owner *int64 `java:"owner"`             // java.lang.Long: ["java.lang.Long",5]
//		Kind  State  `java:"kind"`              // an enum: "NEW"
//	}
//	func (Order) JavaClass() string { return "demo.Order" }
//
// The declared types decide the bytes, and Java rejects the other form; they are
// inferred from the Go types as package java describes, or stand in the tags. Fields
// come in the order of their names, records' in that of their components, null
// fields vanish. Final classes and records are written without their class where
// they are declared. UUID fields need the [Dialect] of the Java side.
//
// # As Java reads it
//
// These rules are Jackson's own and were run against the jars: a leading byte
// order mark and what follows the first value are ignored; "@class" may stand
// anywhere in its object; of repeated keys the last one counts, in the place of
// the first; 12345678901 without a wrapper is a Long, 1e400 an infinite Double.
// Stricter than Java are: text is UTF-8 (Java also detects UTF-16 and UTF-32), a
// number has at most 1,000 characters (Java from Jackson 2.15 on), and a
// fraction is no Long. A map key with a lone surrogate is read and written, though
// Jackson from 2.21 on refuses to read one. More lenient is: an array or object without its class is
// read at the root and inside beans, where Java writes such values but cannot
// always read them.
package jackson
