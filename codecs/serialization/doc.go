// Package serialization reads and writes what Redisson's SerializationCodec puts
// into Redis: streams of java.io.ObjectOutputStream. No Java class is needed for
// reading, none is ever loaded, and no object is ever made: hostile bytes can
// cost no more than the limits allow.
//
// # Configuration
//
// Java:
//
//	config.setCodec(new SerializationCodec());
//
// Go, for a whole queue:
//
//	var Timeouts = registry.Define[Order]("ORDER_TIMEOUT", "unpaid for 30 minutes", registry.Codec(serialization.New()))
//
// Every bean must be Serializable in Java. Its Go twin names the class with its
// serialVersionUID, since Java refuses a payload that has another one:
//
//	type Order struct {
//		OrderID string          `java:"orderId"`
//		Total   java.BigDecimal `java:"total"`
//	}
//
//	func (Order) JavaClass() string { return "demo.Order serial 42" }
//
// Where the Java class declares no serialVersionUID, duequeue javadesc computes it
// from the .class file, as the JVM does. A bean without one is an error at Bind.
// Records need none. A superclass that is not Serializable says so ("demo.Base
// serial none") and is no part of the payload; a class that writes itself in Java
// ("custom demo.Writer serial 42") is read, and not written from Go types.
//
// # Values
//
// Decode gives the values of package codecs/java, and Encode writes them again
// byte for byte. Beside what that package says:
//
//   - Fields go by name. Bind ignores those that the struct has not, and leaves
//     those zero that the payload has not, as Java does; [RefuseUnknownFields]
//     and [RefuseMissingFields] make that an error.
//   - A class of which nothing is known (exceptions, classes with their own
//     writeObject or writeExternal) is a *java.Object with all it wrote: Serial is
//     its descriptor, Custom the bytes and values beside its fields.
//   - A class that extends one of the JDK's lists, sets or maps is a *java.List or
//     *java.Map with its own class name; the fields it adds are kept for writing.
//     A Go slice or map with such a class can be read, and not be written.
//   - List.of, Set.of and Map.of have the names of java.util.ImmutableCollections,
//     as in other codecs. An EnumSet is a list of class java.util.RegularEnumSet.
//   - A class object is a java.ClassRef where its name suffices to write it again,
//     which is so for the JDK's classes; else a *java.Object of class
//     java.lang.Class. URL, TimeZone, Calendar and InetAddress are *java.Object,
//     because the stream holds more of them than their text.
//   - Dynamic proxies, and objects externalized as before Java 1.2, are errors.
//
// # Sharing
//
// In a stream one object is written once, and then referred to. Values keep that:
// what was one object is one pointer, one slice, one string or one interface value,
// also where the graph has cycles, and Encode looks at just that. So two strings
// of a Go program share one place in the stream exactly when they are one string in
// memory, as in Java (and Go keeps equal constants of the source once); small numbers, "" and enum constants always do, as Java keeps
// one of each. Go types share what is one pointer, map or slice.
//
// # Bytes
//
// A bean, list or scalar is written as Java writes an equal one, so that Java's
// remove and contains find it. Where Java itself knows several forms, this is
// chosen:
//
//   - a Go map is a new HashMap() to which the keys were added in sorted order,
//     see java.HashOrder; so is its capacity;
//   - lists have the capacity that adding one by one gives (Vector), a
//     StringBuilder that of new StringBuilder(text);
//   - Go slices are ArrayList, their strings and numbers objects of their own,
//     except for the constants above.
//
// Decoded values keep other capacities. What they do not keep: spare room in a
// StringBuilder, the element of nCopies(0, e), whether several empty strings or
// empty arrays of primitives were one, whether equal numbers
// below 256 were one, and whether a BigDecimal of few digits shares its digits
// with another one, as most do.
//
// # Limits
//
// [Limits] bounds bytes, elements, depth and texts. Further bounds are fixed: 64
// serializable superclasses, 64 KiB for one BigInteger. A class whose writeObject
// writes no fields although it declares some must be named by [NoFields].
//
// Islands of Java serialization inside other formats are read and written by
// [Stream].
package serialization
