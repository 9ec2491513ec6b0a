// Package smile reads and writes what Redisson's SmileJacksonCodec and
// SmileJackson3Codec carry: Smile, the binary twin of JSON.
//
// # SmileJacksonCodec
//
// It is Jackson 2 with the mapper of JsonJacksonCodec, so what package jackson says of
// class ids, declared types, dates, enums and releases holds here too.
//
//	config.setCodec(new SmileJacksonCodec());              // Java; jackson-dataformat-smile beside Redisson
//	registry.Codec(smile.Jackson(jackson.Since("4.7.0")))  // Go
//
// # SmileJackson3Codec
//
// Redisson 4.2.0 and later has it. It is a bare mapper of Jackson 3: no class is named,
// null fields stay, dates are ISO text. What it writes is read by Go types, by plain
// values, and by any other reader of Smile, but not by a SmileJacksonCodec.
//
//	config.setCodec(new SmileJackson3Codec());             // Java
//	registry.Codec(smile.Jackson3())                       // Go
//
// # What is read
//
// All of Smile's version 0, whatever the flags of the header say: shared names, shared
// strings, bytes as they are and in groups of seven bits. A payload without a header is
// read as Jackson does, with shared names. What is behind the value is not looked at
// with Jackson 2; Jackson 3 takes an end marker there, or another header. Numbers need
// not be in their shortest form.
//
// Stricter than Jackson, which makes something else of them: bytes above 7F in strings
// that are said to be ASCII, in numbers and in groups of seven bits; UTF-8 that is
// overlong or broken; bits that the number's type has no room for. Surrogates of three
// bytes are read as Jackson reads them. Numbers of more than 1,000 bytes are refused, as
// Jackson does since 2.15.
//
// # What is written
//
// The very bytes of Jackson's generator as Redisson sets it up, so that Java's remove
// and contains find what Go offered: a header with shared names only, names of any
// length shared (the table begins anew after 1,024, and numbers that end in FE or FF
// stay unused), strings of more than 64 bytes without their length. One thing differs
// between releases: the spare bits of a negative Float, which Jackson fills up to 2.18
// (Redisson 3.50; see jackson.Since). Java reads both. And one thing differs within Java:
// ASCII strings of 2,667 to 5,332 characters begin with E4 as here, but with E0 once the
// same thread has written CBOR, whose larger buffer it keeps.
//
// Three things are refused, since Java does not write them or not read them: strings
// with a lone surrogate, a BigDecimal with a scale outside -2^30 … 2^30-1, numbers of
// more than 1,000 bytes.
//
// Both codecs are immutable and safe for concurrent use.
package smile
