// Package kryo5 reads and writes what Redisson's Kryo5Codec does (the default
// codec from Redisson 3.19.0 on), byte for byte. It needs no Java and no
// Go type: [Codec.Decode] reads what an RMap or a queue holds.
//
// # Values
//
// [Codec.Decode] gives the values of package codecs/java, and [Codec.Encode] takes
// them. What Java wrote comes back from both with the same bytes, save for what
// Java itself could not read back (SubList, keySet(), old EnumMaps): that is
// refused.
//
//	Java                                          Go                         and back
//	String, wrappers, null                        string, int32 …, nil       the same; int becomes Integer
//	BigInteger, BigDecimal                        *big.Int, java.BigDecimal  the same
//	java.util.Date, java.sql.*                    java.Date                  the same; time.Time becomes java.util.Date
//	java.time.*                                   java.Instant, LocalDate …  the same
//	UUID, Locale, Pattern, BitSet, Calendar       java.UUID, Locale …        the same
//	Class                                         java.ClassRef              the same
//	StringBuilder, Currency, URL, URI, TimeZone,
//	ZoneId, Charset                               java.Text                  the same
//	byte[], int[], …                              []byte, []int32, …         the same
//	arrays of objects, lists, sets, queues        *java.List                 the same; []any becomes ArrayList
//	maps                                          *java.Map                  the same; map[string]any becomes HashMap
//	Optional*, Atomic*                            *java.Object, field value  the same
//	enums, EnumSet                                java.Enum, *java.List      the same
//	beans, records                                *java.Object               the same
//	exceptions, EnumMap, unmodifiable and
//	synchronized wrappers, InetAddress            by Java serialization: *java.Object, *java.Map, *java.List
//
// Timestamps lose what is below the millisecond, locales their script and zoned
// times their offset: Kryo does not write them.
//
// # Classes of the user
//
// Kryo writes no names of fields or constants, so beans, records and enums need a
// description of their class: [Classes] takes those of package codecs/java, which
// come from declarations, Go types or .class files. A bound Go type (see
// [Codec.Bind]) describes its own. A class without a description is an error that
// names it, with what was decoded before it; nothing behind it can be read, since
// a bean has no length. Where a list, a map, a Date, Calendar, BigDecimal or BigInteger is
// declared, a class without a description is one of these, as Kryo writes subclasses: it is
// read, and what the Go type keeps of it is written again.
//
// A wrong description may fit by chance. What can be noticed is an error: bytes
// left over, numbers and flags no Java writes, values that do not go into the
// declared type of their field.
//
// # Go types
//
// A bound Go type takes what it has room for, and writes what it says. Reading
// into it and writing it again is therefore not the same as passing a payload on:
// a field of a struct type takes an object of a subclass and keeps the fields it
// knows; a slice declared as java.util.List is written as ArrayList whatever list
// was read; containers inside any become plain Go ones, see java.Plain. Where the
// class matters, use *java.Object, *java.List and *java.Map, or Decode.
//
// # Settings of the Java side
//
// The bytes depend on useReferences ([References]) and allowedClasses
// ([AllowedClasses]), which cannot be seen in them, and in few classes on the
// release ([Since]).
//
// # Bytes of strangers
//
// Decoding takes time and memory in proportion to the bytes, and [Limits] bound
// it: nothing is allocated from a count that a payload declares, nothing of it is
// opened, looked up, compiled or run.
//
// # Files
//
//	codec, options, check                     the codec, bound types, and what is wrong with them
//	plan, compile, node                       what a Go type is compiled to; one place of it, an interface
//	decode, input, encode, strings            payloads and their primitives
//	world, catalog, class, names              which classes there are, and what may be where
//	number, times, calendars, texts, enum, holder
//	                                          classes of single values, and their Go types
//	list, array, containers, map, mapwrite    lists, sets and maps, Java's and Go's
//	bean, struct                              beans and records: Java's, and Go's structs
//	reference, stream                         references; Java serialization within Kryo
//
// Read for facts: the sources of Kryo 5.3 to 5.6 and Redisson 3.19 to 4.7.
package kryo5
