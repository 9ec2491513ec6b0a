// Package msgpack reads and writes what Redisson's MsgPackJacksonCodec carries:
// MessagePack as jackson-dataformat-msgpack spells it.
//
// # MsgPackJacksonCodec
//
// It is Jackson 2 with the mapper of JsonJacksonCodec, so what package jackson says of
// class ids, declared types, dates, enums and releases holds here too. There is none for
// Jackson 3.
//
//	config.setCodec(new MsgPackJacksonCodec());              // Java; jackson-dataformat-msgpack beside Redisson
//	registry.Codec(msgpack.Jackson(jackson.Since("4.7.0")))  // Go
//
// # What is carried
//
// The very bytes of Java's generator are written, so that Java's remove and contains find
// what Go offered; they are the same in all releases of jackson-dataformat-msgpack that
// Redisson has named, 0.8.16 to 0.9.12. Integers of any type take as few bytes as they
// need, positive ones unsigned; a Float has four bytes, a Double eight; texts are str,
// byte[] is bin; the keys of a map are texts, whatever they are in Java; a UUID is text in
// all releases, named by its class from 4.2.0 on ([jackson.Since]). A root Float comes
// back to Java as a Double.
//
// MessagePack has no numbers of more than 64 bits and no decimals. Java writes a
// BigInteger of up to 64 bits as an integer and refuses more. It writes a BigDecimal as
// an integer if it is one of up to 64 bits, else as the double that shows the same
// digits, and refuses what no double shows: 12.30 arrives as 12.3, 1E+3 as 1000, and
// 0.1234567890123456789 cannot be sent. This package does the same; carry amounts as a
// String, or as a long of cents. Which digits a double shows is a matter of the JDK: the
// shortest ones, as here, since JDK 19, and for a few doubles more before.
//
// # Timestamps and extension types
//
// Redisson registers no module for any, so Java writes none: a Date is
// ["java.util.Date",1700000000123]. To Java's parser a value of an extension type, the
// timestamp (type -1) among them, is an opaque MessagePackExtensionType, which it cannot
// write back. It is read as an opaque value here too, is no value of any Go type, and is
// never written. Other producers of the queue must switch timestamp extensions off.
//
// # What is read
//
// All that Java reads: integers, strings and containers with heads of any width, keys
// that are numbers or booleans (Java makes text of them) or binary, "@class" at any place
// of its map, and anything behind the value. Strings that are no UTF-8 are read as Java
// reads them, each broken part as U+FFFD. Refused are keys that are nil, containers or
// extension types. A lone surrogate is not written: Java would send '?' in its place.
//
// The codec is immutable and safe for concurrent use.
package msgpack
