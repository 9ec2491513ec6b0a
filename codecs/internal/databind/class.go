package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// typeID reports whether s is a class name as Jackson writes it as a type id:
// a dotted binary name, possibly with <…>, or an array descriptor. In doubt
// (a host name has dots too) it asks for a class part beginning with a capital.
func typeID(s string) bool {
	if strings.HasPrefix(s, "[") {
		return descriptor(s)
	}
	name, generics, generic := strings.Cut(s, "<")
	if generic && !strings.HasSuffix(generics, ">") {
		return false
	}
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || dot == len(name)-1 {
		return false
	}
	for i := range len(name) {
		if !identifierByte(name[i]) && name[i] != '.' {
			return false
		}
	}
	c := name[dot+1]
	return c >= 'A' && c <= 'Z' || c >= 0x80 || strings.HasPrefix(name, "java.")
}

func identifierByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// descriptor reports whether s is an array descriptor: [I, [[J, [Lx.Y;.
func descriptor(s string) bool {
	elem := strings.TrimLeft(s, "[")
	switch {
	case len(elem) == len(s) || len(s)-len(elem) > 255:
		return false
	case len(elem) == 1:
		return strings.Contains("BCDFIJSZ", elem)
	}
	return len(elem) > 2 && elem[0] == 'L' && elem[len(elem)-1] == ';'
}

// component returns the class of the elements of array class s: "[I" for
// "[[I", "java.lang.Long" for "[Ljava.lang.Long;", "int" is "I".
func component(s string) string {
	if len(s) < 2 || s[0] != '[' {
		return ""
	}
	elem := s[1:]
	if len(elem) > 2 && elem[0] == 'L' {
		return elem[1 : len(elem)-1]
	}
	return elem
}

// mapClass reports whether an object of this class is a map, so that its
// members are entries. Only those of the JDK are known; another map is read as
// a bean, which is written back the same way.
func mapClass(class string) bool {
	name, _, _ := strings.Cut(class, "<")
	if !strings.HasPrefix(name, "java.util.") {
		return false
	}
	return strings.HasSuffix(name, "Map") || strings.HasSuffix(name, "$Map1") || strings.HasSuffix(name, "$MapN") ||
		name == "java.util.Hashtable" || name == "java.util.Properties"
}

// listClass reports whether values of this class are JSON arrays: the lists,
// sets and queues of the JDK.
func listClass(class string) bool {
	name, _, _ := strings.Cut(class, "<")
	if !strings.HasPrefix(name, "java.util.") || name == "java.util.BitSet" {
		return false
	}
	for _, end := range [...]string{"List", "Set", "Queue", "Deque", "Vector", "Stack", "Collection"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return finalList(class) && !mapClass(class)
}

// objectSlots reports whether the elements of a container of this class are
// declared as Object, so that Jackson names the class of each.
func objectSlots(class string) bool {
	if class == "[Ljava.lang.Object;" {
		return true
	}
	return strings.HasPrefix(class, "java.util.") && !strings.Contains(class, "<")
}

// finalList reports whether a collection or map of this class is written bare
// at the root: its class is final, so that Jackson sees no need to name it, and
// cannot read it back.
func finalList(class string) bool {
	name, ok := strings.CutPrefix(class, "java.util.ImmutableCollections$")
	return ok && (strings.HasSuffix(name, "12") || strings.HasSuffix(name, "N") || name == "Map1")
}

// finalScalar reports whether Jackson writes values of this class bare where
// the class is declared. Long is final too, but Redisson asks for its class.
func finalScalar(class string) bool {
	switch class {
	case "java.lang.String", "java.lang.Integer", "java.lang.Short", "java.lang.Byte", "java.lang.Boolean",
		"java.lang.Double", "java.lang.Float", "java.lang.Character":
		return true
	}
	return false
}

// classFacts are what the name of a class tells.
type classFacts struct {
	list, mapped, tree, time bool
	array                    bool   // an array of Java
	slots                    bool   // what it holds is declared as Object
	set, keys                string // the enum of an EnumSet or EnumMap
}

// usualFacts are those of the classes that most payloads name.
var usualFacts = func() map[string]classFacts {
	m := map[string]classFacts{}
	for class := range token.Usual {
		m[class] = readFacts(class)
	}
	return m
}()

func factsOf(class string) classFacts {
	if f, ok := usualFacts[class]; ok {
		return f
	}
	return readFacts(class)
}

func readFacts(class string) classFacts {
	f := classFacts{
		list: listClass(class), mapped: mapClass(class), tree: strings.HasPrefix(class, nodePackage), time: timeClass(class),
		array: descriptor(class), slots: objectSlots(class),
	}
	f.set, _ = enumSetOf(class)
	f.keys, _ = enumMapOf(class)
	return f
}

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
