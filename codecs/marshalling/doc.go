// Package marshalling carries payloads of Redisson's MarshallingCodec: JBoss
// Marshalling with the River protocol. It was Redisson's default from 3.13.0 to
// 3.18.1 and is gone from 4.1.0; queues of those years hold such payloads, and
// a Java service that still runs one of those releases expects them.
//
// In Java nothing need be configured up to 3.18.1; later releases up to 4.0 say
//
//	config.setCodec(new MarshallingCodec()); // org.redisson.codec.MarshallingCodec
//
// In Go
//
//	registry.Define[Order]("ORDER_TIMEOUT", "unpaid: cancel", registry.Codec(marshalling.New()))
//
// # What is read
//
// Protocols 2, 3 and 4, as both generations of the library write them (2.0.9,
// and 2.0.10 and later): String, wrappers, arrays, enums, the JDK's lists, sets,
// maps, dates, numbers and java.time, beans of any Serializable class with
// superclasses and data of their own, Externalizable classes, exceptions,
// java.lang.Class. River describes each class in the payload, so [Codec.Decode]
// needs no declaration: what it does not know becomes a [java.Object] with all
// fields and all else that the class wrote. Shared objects come back as one Go
// pointer, and so do cycles. Payloads of the collection ids that the library
// wrote before 2014 are read too.
//
// Not read: dynamic proxies, and tables or externalizers that a program gave to
// the marshaller, which Redisson does not. Each is an error that says so.
//
// # Structs
//
// Go structs take beans and maps by field name. A class level is an embedded
// struct with a Java class; a struct without one takes fields of superclasses
// too, where their names are its own. Fields that only one side has are left out
// or stay zero, as in Java; [RefuseUnknownFields] and [RefuseMissingFields] make
// them errors. A payload of another class than the struct's, and of no subclass, is an
// error; in a field the class is not compared.
// A slice or map whose class is your own and extends one of the JDK's lists, sets
// or maps can be read; writing it is an error, as only payloads tell what such a
// class adds.
//
// # What is written
//
// The bytes that library 2.0.10 or later writes for the same object with the
// same sharing, so that Java's remove and contains find what Go offered; 2.0.9
// reads them too. A serialVersionUID is never checked in River: what the class
// declares is written, or 0. A superclass that is not declared, or declared
// "serial none", counts as not serializable, and Java gives its fields their
// defaults. A class declared "custom" writes itself in Java: it is read, and not
// written from Go types. Records cannot be written, in Java either.
//
// Exactness has limits, where Java itself gives different bytes for equal
// objects:
//
//   - One String object that occurs twice is a reference the second time, two
//     equal ones are not. A Go string counts as the same object as another one
//     when both are the same bytes in memory, see [ShareStrings]. Names of
//     classes and fields are interned in Java: a literal or constant that equals
//     one is a reference to it, which Go writes only under [Equal] or where a
//     decoded value had it.
//   - In the same way Date, BigDecimal, UUID and other values are one object in
//     Go only behind one pointer. BigIntegers of -16 to 16 inside a BigDecimal
//     are shared as Java's constants are.
//   - A Go map or struct without class is written as a new HashMap that was
//     filled in sorted key order. Java's may have another capacity or order. What
//     was decoded keeps both.
//   - Protocols 2 and 3 are read, and written as 4.
//   - Fields that Java declares unshared (by serialPersistentFields) are known from
//     payloads alone: a decoded [java.Object] is written with them as they were. A
//     Go struct is written with ordinary fields, which Java refuses where the class
//     declares them unshared; so is what a writeObject method wrote unshared.
//     Enum constants and most java.lang.Class values in such fields are an error,
//     as Java cannot read its own.
//   - Empty arrays of primitives are never one object.
//   - An EnumSet says no more than its enum; it comes back as RegularEnumSet.
//
// Decoded values encode to the bytes they had but for that.
package marshalling
