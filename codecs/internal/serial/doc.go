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
// [Describer.Describe] gives the levels of a value. What has a form of its own
// in the stream is left to the writer: null, String, enums, classes and arrays,
// see [Kind]. [Identity] and [Constant] say which values are one object for Java.
package serial
