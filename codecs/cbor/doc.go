// Package cbor reads and writes what Redisson's CborJacksonCodec and
// CborJackson3Codec carry: CBOR (RFC 8949) as Jackson spells it.
//
// # CborJacksonCodec
//
// It is Jackson 2 with the mapper of JsonJacksonCodec, so what package jackson says of
// class ids, declared types, dates, enums and releases holds here too.
//
//	config.setCodec(new CborJacksonCodec());              // Java; jackson-dataformat-cbor beside Redisson
//	registry.Codec(cbor.Jackson(jackson.Since("4.7.0")))  // Go
//
// # CborJackson3Codec
//
// Redisson 4.2.0 and later has it. It is a bare mapper of Jackson 3: no class is named,
// null fields stay, dates are ISO text, a UUID is 16 bytes. What it writes is read by Go
// types, by plain values, and by any other reader of CBOR, but not by a CborJacksonCodec.
//
//	config.setCodec(new CborJackson3Codec());             // Java
//	registry.Codec(cbor.Jackson3())                       // Go
//
// # What is carried, and how releases differ
//
// The very bytes of Jackson's generator are written, so that Java's remove and contains
// find what Go offered: objects, and arrays right behind the name of their class, end by
// a break, other arrays have their length; texts of more than 3,996 chars come in chunks
// of so many; an integer of any type takes as few bytes as it needs; a Float has four
// bytes, a Double eight; the Integer and Long keys of a map are integers; a BigDecimal is
// tag 4, exponent and mantissa; a BigInteger is tag 2 or 3, however small it is. What
// [jackson.Since] changes:
//
//   - Up to 4.1 a UUID is 16 bytes, from 4.2.0 on it is text. Both are read.
//   - Up to 3.13.2 (Jackson 2.10) a number beyond an int takes nine bytes.
//   - Up to 3.11.5 (Jackson 2.9) the exponent of a BigDecimal has the wrong sign. Those
//     releases read what they wrote, and so does this package when it is told that one
//     of them is on the other side: their 12.30 is 1230E+2 to all others. It is never
//     guessed from the value.
//   - Up to 3.10.7 (Jackson 2.9.8) a text of 23 or 255 bytes has one byte more before it,
//     but not the name of a property; a constant of an enum with a name of that length
//     is the one thing that is written otherwise here.
//   - Jackson 2 writes and reads a negative BigInteger -n as tag 3 with n, Jackson 3 as
//     the standard has it, tag 3 with n-1.
//
// From 3.13.3 to 3.16.2 (Jackson 2.11 and 2.12.1) Java writes the long 4294967296 as 0:
// nothing here can bring it back.
//
// # What is read
//
// All that Jackson reads: containers and texts of both kinds, in chunks or not; half
// floats; tag 55799 at the beginning; undefined as null; tags it does not know, as if
// they were not there; integers in more bytes than they need; surrogates of three bytes,
// a pair of which becomes one character; keys that are integers, texts or bytes; and
// behind the value anything at all with Jackson 2, nothing with Jackson 3.
// Java ends wrappers with a break, so two strings in an array that has its length are
// none in fields that nobody described; everywhere else both forms are read.
//
// Stricter than Jackson, which makes something else of them: overlong and broken UTF-8,
// integer keys of more than 64 bits, the exponent that no int can negate. Refused, too,
// are references to strings (tags 25 and 256), which Redisson has switched off, with
// Jackson 3 simple values, which Java does not write back, and, as in Java, numbers of
// more than 1,000 bytes. Lone surrogates are read but not written, as in Java.
//
// Both codecs are immutable and safe for concurrent use.
package cbor
