// Package serial knows what JDK classes put into a serialization stream, apart
// from any bytes: it turns the levels of fields and custom items of an instance
// into the values of package codecs/java, and back. Package serialization
// (java.io) and package marshalling (River) read and write the bytes around it.
//
// # Reading
//
// A reader makes one [Desc] per class descriptor with [NewDesc]. For an instance
// it calls [Begin], enters the result into its table of back references, reads
// what each level wrote into an [Instance], and calls [Instance.End]:
//
//	value := serial.Begin(desc)           // nil: not known before the end
//	handles = append(handles, value)
//	in := &serial.Instance{Desc: desc, Levels: …, Flavor: …}
//	value, err = in.End(value)
//	handles[h] = value
//
// Classes that this package does not know become a *java.Object with all they
// wrote. Wrappers of lists that were not complete are finished by
// [Finish], once, at the end of the payload.
//
// # Writing
//
// [Describer.Describe] gives the levels of a value. What has its own form
// in the stream is left to the writer: null, String, enums, classes and arrays,
// see [Kind]. [Identity] and [Constant] say which values are one object for Java.
//
// # Files
//
//   - desc.go, classes.go: class descriptors, of the JDK (jdk.txt) and of Go types
//   - shape.go: which classes become a value of their own kind; instance.go: their
//     levels, while they are read; describe.go, object.go, unwritable.go: while they are written
//   - a file for each family of classes: numbers.go, text.go, texts.go, dates.go,
//     javatime.go, lists.go, maps.go, immutables.go, wrappers.go, derived.go;
//     hashbuckets.go: the size of a HashMap
//   - identity.go: what is one object for Java; seen.go: where it was written
//   - refusals.go: fields that a codec refuses; streams_test.go and its kin: the tests of both streams
package serial
