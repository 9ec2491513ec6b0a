// Package serial is what the two object streams have in common: package serialization
// (java.io) and package marshalling (River) read and write the bytes, and this package knows
// what JDK classes put into them. It turns the levels of fields and custom items of an
// instance into the values of package codecs/java, and back.
//
// # Reading
//
// A [Reader] is the payload and its limits. It has one [Desc] per class descriptor, from
// [Descs]. An object is what [Reader.Open] begins, which the stream enters into its table of
// back references, and [Reader.Close] ends when the levels of the [Instance] are read. Classes
// that this package does not know become a *java.Object with all they wrote.
//
// # Writing
//
// [Describer.Describe] gives the levels of a value. What has its own form
// in the stream is left to the writer: null, String, enums, classes and arrays,
// see [Kind]. [Identity] and [Constant] say which values are one object for Java.
//
// # Files
//
//   - codec.go: what both codecs are; reader.go, primitive.go, text.go: what they read and write
//   - desc.go, classes.go: class descriptors, of the JDK (jdk.txt) and of Go types;
//     refusals.go: fields that a codec refuses
//   - shape.go: which classes become a value of their own kind; instance.go: their
//     levels, while they are read; describe.go, object.go: while they are written
//   - a file for each family of classes; identity.go: what is one object for Java
package serial
