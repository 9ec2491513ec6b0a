package jackson

import "github.com/duequeue/duequeue/codecs/java"

// ClassNone is the Class of a [java.List] that stands for a JSON array whose
// class is not named: a field of type int[] in a bean, or the root that Java
// wrote for an int[] or a List.of. It is written without a class again.
const ClassNone = "[]"

// classLong marks a bare number that only a long holds, where Java's class of
// it is not known (a field of type long, or java.lang.Number). A java.lang.Long
// is an int64 and written in its wrapper.
const classLong = "long"

// Scalar returns the value of a Java class that package java has no Go value for and
// that JSON shows as a string, number or boolean: a UUID, a URI, an AtomicLong.
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
