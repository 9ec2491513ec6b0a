// Package ion reads and writes what Redisson's IonJacksonCodec and IonJackson3Codec
// carry: Amazon Ion in its text form.
//
// # IonJacksonCodec
//
// It is Jackson 2 with the mapper of JsonJacksonCodec, so what package jackson says of
// declared types, dates, enums and releases holds here too. Classes are named by
// annotations, for beans and scalars alike:
//
//	'java.util.HashMap'::{id:'java.lang.Long'::5,n:1,price:2.5e0}
//	'java.util.ArrayList'::["a",{{AQID}}]
//
//	config.setCodec(new IonJacksonCodec());              // Java; jackson-dataformat-ion beside Redisson
//	registry.Codec(ion.Jackson(jackson.Since("4.7.0")))  // Go
//
// Java reads the annotation of a container, and that of a scalar where the field is
// declared as its class. Anywhere else, at the root and inside maps and lists, it
// drops that of a scalar: the Long above comes back as an Integer, a Date as a
// Long. That is so among Java services too, and nothing in the bytes can help it; a
// wrapper array, ["java.lang.Long",5], would be read, but Java's remove and contains
// would not find it. Here such values keep their class.
//
// What Java writes it cannot always read. Jackson 2.18.2 (Redisson 3.45) fails on most
// longs of 19 digits; 2.14 and 2.21 read them. Jackson before 2.12 (Redisson before
// 3.16.0) fails on its own annotated containers, but reads classes as JSON names them,
// those of scalars included. So with jackson.Since of such a release that is what is
// written:
//
//	{'@class':"java.util.HashMap",id:["java.lang.Long",5],n:1,price:2.5e0}
//	["java.util.ArrayList",["a",{{AQID}}]]
//
// Java gets the values, but its remove and contains do not find them by their bytes.
// Both forms are read, whatever the release.
//
// # IonJackson3Codec
//
// Redisson 4.2.0 and later has it. It is a bare mapper of Jackson 3: no class is named,
// null fields stay, and Java reads a bean back as a LinkedHashMap. Dates are timestamps,
// enums symbols, a UUID is 16 bytes:
//
//	{created:2023-11-14T22:13:20.123Z,status:new,tags:null}
//
//	config.setCodec(new IonJackson3Codec());             // Java; tools.jackson.dataformat:jackson-dataformat-ion
//	registry.Codec(ion.Jackson3())                       // Go
//
// # What is written
//
// The very bytes of ion-java's writer under Jackson's generator: ASCII without blanks,
// names and annotations in quotes unless they are identifiers, other characters as
// \xe9, \u4e2d and \U0001f600, doubles as 1e0 and 0.001e0, decimals with their scale as
// 12.30, 12. and 1d3, bytes as {{base64}}. A lone surrogate cannot be written, in
// Java neither. What [jackson.Since] changes beside the rules of package jackson:
//
//   - Before 4.4.0 large and small doubles are 1.0E21, from there on 1.0e21. That
//     came with ion-java 1.11.11, which jackson-dataformat-ion 2.19.4, 2.20.1 and later
//     have: a service that takes other versions than Redisson's POM names (4.3.0: 2.20.0,
//     4.7.0: 2.21.3) decides by its own. Java reads both.
//   - Up to 4.1 a UUID is 16 bytes, from 4.2.0 on it is text. Both are read.
//
// # What is read
//
// All of Ion text that Jackson's parser reads: annotations, of several the first
// counts; names as symbols, strings and long strings; numbers of every form; typed
// nulls; lists, and expressions in parentheses, which are lists too; blobs and
// clobs; comments; version markers; JSON, whose "@class" and wrapper arrays name
// classes as well. With Jackson 2 what follows the first value is ignored, with
// Jackson 3 it is an error. A number without e is exact: 1.5 is a BigDecimal.
// A timestamp is text with Jackson 2 (Java makes an object of the Ion library of it),
// a date with Jackson 3.
//
// Refused, though Java reads them, are binary Ion, gzip and symbol tables, none of which
// Redisson writes, base64 with more behind its padding, and numbers of more than
// 10,000 digits.
package ion
