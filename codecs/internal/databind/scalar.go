package databind

import "github.com/duequeue/duequeue/codecs/java"

// ClassNone is the Class of a [java.List] that represents an array whose
// class is not named: a field of type int[] in a bean, or the root that Java
// wrote for an int[] or a List.of. It is written without a class again.
const ClassNone = "[]"

// These mark bare values whose slot is not known and that an Object slot would
// wrap: a number that only a long holds, a float, a double that is not finite, bytes.
// A java.lang.Long is an int64 and written in its wrapper.
const (
	classLong   = "long"
	classFloat  = "float"
	classDouble = "double"
	classBytes  = "byte[]"
	// With JavaTimeModule, seconds with more digits than a double has.
	classDecimal = "decimal"
)

// classOpaque is what Java makes of an extension type of MessagePack.
const classOpaque = "org.msgpack.jackson.dataformat.MessagePackExtensionType"

// Scalar returns the value of a Java class that package java has no Go value for and
// that the format shows as a string, number or boolean: a UUID, a URI, an AtomicLong.
// It is an object with one field without a name, and written as it was read:
// ["java.util.UUID","…"].
//
// Decoding into a Go type yields the bare value instead, so that a UUID can be
// read into a string.
func Scalar(class string, value any) *java.Object {
	return &java.Object{Class: class, Fields: []java.Field{{Value: value}}}
}

// ScalarValue returns the value that [Scalar] was given, and whether o is one.
func ScalarValue(o *java.Object) (any, bool) {
	if o == nil || o.Class == "" || len(o.Fields) != 1 || o.Fields[0].Name != "" {
		return nil, false
	}
	return o.Fields[0].Value, true
}

// maxNumber bounds the characters of one number, as Jackson does since 2.15:
// reading n digits takes more than linear time.
const maxNumber = 1000

// prefix of all nodes of Jackson's own tree model, inside which no class is named.
const nodePackage = "com.fasterxml.jackson.databind.node."
