package java

// ClassKind says what kind of class a [Class] describes.
type ClassKind int

// The kinds of classes.
const (
	KindBean   ClassKind = iota // an ordinary class, also an abstract one
	KindRecord                  // a record: final, its fields are its components
	KindEnum                    // an enum
)

// Class describes one Java class: what its .class file says as far as a payload
// depends on it. Codecs that carry no names (kryo5, fst) cannot read a class
// without one; those that do (marshalling, serialization) use it for writing.
//
// Get one from a declaration with [ParseClass], from a Go type with package
// codecs/java/gotypes, or from .class files with package codecs/java/classfile.
// A Class must not be changed once a codec has it.
type Class struct {
	Name   string       // binary name, for example "demo.Order$Item"
	Kind   ClassKind    // zero: an ordinary class
	Final  bool         // nothing can extend it; always true for records
	Params []TypeParam  // type parameters, in order
	Super  TypeExpr     // superclass with its type arguments; zero: java.lang.Object
	Fields []ClassField // fields the class declares itself, in order of declaration; no static and no transient ones
	// Constants are those of an enum, in order.
	Constants []Constant
	// Interfaces are the names of all interfaces, its superclasses' included,
	// where they are known: a class file tells, a Go type does not.
	Interfaces []string
	// Serial is the serialVersionUID, declared or computed; nil where unknown.
	Serial *int64
	// NotSerializable says that Java's class does not implement
	// java.io.Serializable ("serial none"). As a superclass it is then no part of
	// java.io's and River's payloads, and reading leaves its fields zero; these
	// codecs write no instance of it. Others ignore it. Zero: Serializable, or
	// unknown.
	NotSerializable bool
	// Custom says that Java's class writes itself in java.io and River: by
	// writeObject, writeExternal or writeReplace, or as serialPersistentFields
	// say. Its fields do not tell those bytes, so that these codecs read it into a
	// Go type, as far as they can, but do not write it from one. Others ignore it.
	Custom bool
	// Order are the properties that Jackson writes before all others (@JsonPropertyOrder), by their
	// names in JSON or in Java. Jackson's codecs follow it, all others ignore it.
	Order []string
	// JSON is how objects name their class where @JsonTypeInfo says so. Jackson's codecs follow
	// it, all others ignore it.
	JSON TypeFormat
}

// TypeFormat is what @JsonTypeInfo and @JsonSubTypes or @JsonTypeName say of a class.
type TypeFormat struct {
	Form     TypeForm
	Property string // the member that names the class, with TypeProperty and TypeExisting
	ID       string // the name of the class; empty where only subclasses have objects
}

// TypeForm is where @JsonTypeInfo has the name of a class.
type TypeForm uint8

// The forms.
const (
	TypeUsual    TypeForm = iota // no annotation: as the codec does it
	TypeProperty                 // a member of its own: {"type":"card",…}
	TypeExisting                 // a field of the class, which is there anyway
	TypeObject                   // the key of an object around it: {"card":{…}}
	TypeArray                    // the first element of an array around it: ["card",{…}]
)

// String returns the format as declarations have it: "type=card", "existing type=card", "{card}"
// or "[card]".
func (f TypeFormat) String() string {
	switch f.Form {
	case TypeProperty:
		return f.Property + "=" + f.ID
	case TypeExisting:
		return "existing " + f.Property + "=" + f.ID
	case TypeObject:
		return "{" + f.ID + "}"
	case TypeArray:
		return "[" + f.ID + "]"
	default:
		return ""
	}
}

// TypeParam is one type parameter of a class, for example T extends Number.
type TypeParam struct {
	Name  string
	Bound TypeExpr // zero: java.lang.Object
}

// ClassField is one field of a [Class].
type ClassField struct {
	Name string
	Type TypeExpr // declared type; a type variable has its name as Class
	// Format is what Jackson's annotations say of it.
	Format FieldFormat
}

// Constant is one constant of an enum.
type Constant struct {
	Name string
	// Body is the name of the constant's own class where it has one
	// ("demo.Op$1"), because it is declared with a body; empty for all others.
	Body string
	// JSON is what it is in JSON, as there, where that is not its name: "\"paid\"" or "20".
	JSON string
}
