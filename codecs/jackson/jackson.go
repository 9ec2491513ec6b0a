package jackson

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/java"
)

// Name is the canonical name of [JsonJackson].
const Name = "jsonjackson"

// JsonJackson returns the codec of Redisson's JsonJacksonCodec, canonical name
// "jsonjackson".
//
// Without a Go type, arrays and objects that name no class come back as *java.List of
// class [ClassNone] and *java.Object without a class. Plain Go values are written as
// package java lowers them: map[string]any as java.util.HashMap, []any as
// java.util.ArrayList, int64 as java.lang.Long.
func JsonJackson(opts ...Option) codecs.Codec {
	return databind.New(format(Name), databind.Rules{Jackson: 2, Types: true}, opts...)
}

func format(name string) databind.Format {
	return databind.Format{Name: name, Tokenize: tokenize, Generator: newGenerator}
}

// ClassNone is the Class of a [java.List] that represents a JSON array whose
// class is not named: a field of type int[] in a bean, or the root that Java
// wrote for an int[] or a List.of. It is written without a class again.
const ClassNone = databind.ClassNone

// Scalar returns the value of a Java class that package java has no Go value for and
// that JSON shows as a string, number or boolean: a UUID, a URI, an AtomicLong.
// It is an object with one field without a name, and written as it was read:
// ["java.util.UUID","…"].
//
// Decoding into a Go type yields the bare value instead, so that a UUID can be
// read into a string.
func Scalar(class string, value any) *java.Object { return databind.Scalar(class, value) }

// ScalarValue returns the value that [Scalar] was given, and whether o is one.
func ScalarValue(o *java.Object) (any, bool) { return databind.ScalarValue(o) }
