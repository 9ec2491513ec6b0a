// Package fst reads what Redisson's FstCodec wrote: the default codec of Redisson
// 2.15 and 3.10 to 3.12, on the library fast-serialization (FST). It writes
// nothing.
//
// Java side, for reference: FstCodec, no options. Go side:
//
//	registry.Define[Order]("ORDERS", "orders", registry.Codec(codecs.AnyOf(kryo5.New(), fst.New())))
//
// # What it can read
//
//   - null, strings, all boxed numbers, Boolean, Character, BigInteger, BigDecimal,
//     Date and java.sql's, UUID, Locale, Currency, URI, URL, Pattern, File, time
//     zones and calendars, BitSet, StringBuilder, Class, everything in java.time,
//     Atomic*, arrays of every kind.
//   - The collections and maps of java.util and java.util.concurrent, also immutable,
//     unmodifiable, synchronized, empty and singleton ones.
//   - Enums: the payload has the number of the constant, a descriptor gives its name.
//   - Beans, exceptions and subclasses of collections, with descriptors (below).
//   - Shared and cyclic objects: one object of the payload is one pointer.
//
// Values come as package codecs/java has them, in the same forms as from the
// other codecs. A collection class of your own with fields is a
// [java.List] or [java.Map] whose Form is a [java.Object] with these fields.
//
// # What needs a descriptor
//
// FST writes neither the names nor the types of fields: a bean without the
// description of its class cannot even be skipped. [Classes] gives descriptors from
// .class files (package codecs/java/classfile) or Go types; a Go struct that a
// queue is bound to gives its own. They must name every field that is neither
// static nor transient, with its declared type, of the class and of all its
// superclasses, also those that are not Serializable; of an inner class (one that
// is not static) this$0 too, which descriptors from class files leave out.
// FST orders fields itself; the descriptor need not.
//
// A wrong descriptor shows in most cases (an end mark that is missing, a String
// where a number is declared, bytes left over), and the error says where. Two
// numbers of one type that changed places do not show.
//
// # What it cannot read
//
//   - Classes with a writeObject or writeExternal method of their own, unless
//     [Hooks], [ReadObject] or [ReadExternal] say what those write.
//   - Fields with FST's annotations Version, OneOf, Conditional and Predict.
//   - java.text.SimpleDateFormat, dynamic proxies, and whatever else in the JDK has
//     hooks and is not named above.
//   - Configurations of FST other than the default one, except for registered
//     classes ([Registered]), unshared references ([SharedReferences]) and the
//     releases that [Version] knows.
//
// All of these are [codecs.DecodeError] values that name class and byte, with
// [ErrNoDescriptor] within them where a descriptor is missing; what was read
// before comes back beside the error.
//
// # Versions
//
//	Redisson           FST            this codec
//	2.15, 3.10-3.12    2.56, 2.57     New()
//	3.13-4.0, chosen   2.57           New()
//	any, forced        3.0.x          New(Version("3.0.3"))
//	any, forced        2.31-2.44      New(Version("2.44"))
//	any, forced        up to 2.30     refused: other class numbers
//
// Proved on what 2.56 and 2.57 wrote on JDK 11 and 17, which is the same. JDK 8
// differs in Collections.nCopies and in stack traces only, as its sources say;
// both forms are read.
package fst
