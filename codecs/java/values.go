package java

import (
	"math/big"
	"time"
)

// Map is a java.util.Map of any class with its entries in the order in which
// Java iterates them. Its value form is *Map. The zero value is an empty map
// without a class; codecs write it as java.util.HashMap in the given order.
// A Map is not safe for concurrent use while it is changed.
type Map struct {
	Class   string  // runtime class, for example "java.util.LinkedHashMap"
	Entries []Entry // in iteration order; keys may repeat in hostile payloads
	// Comparator orders a sorted map; nil means natural order, and none for all others.
	Comparator any
	// Of is the key type of a java.util.EnumMap; empty for all others.
	Of string
	// Form is what a serialization stream says beside the entries (an unusual
	// capacity, a wrapped map), so that writing gives the same bytes; nil where
	// there is nothing. It belongs to the codecs.
	Form any
}

// Entry is one key and its value.
type Entry struct {
	Key, Value any
}

// List is a java.util.List, Set or Queue of any class, or an array of objects
// (Class "[Ljava.lang.Object;"), with its elements in iteration order.
// Its value form is *List. The zero value is an empty list without a class;
// codecs write it as java.util.ArrayList.
type List struct {
	Class    string
	Elements []any
	// Comparator orders a sorted set or a priority queue; nil means natural order,
	// and none for all others.
	Comparator any
	// Of is the enum class of an EnumSet; empty for all others.
	Of string
	// Form is what a serialization stream says beside the elements, as in [Map].
	Form any
}

// Object is a bean: an instance of a class that is neither a container nor a
// known scalar, with its fields in the order of the payload.
// Its value form is *Object.
type Object struct {
	Class  string
	Fields []Field
	// Serial is what a serialization stream says of the class, which writing the
	// object again in that format needs. Nil for objects of other formats.
	Serial *Serial
	// Custom is what the writeObject methods of its classes wrote beside the
	// fields, in formats that carry it; nil where there is nothing.
	Custom []Custom
}

// Field is one field of an [Object].
type Field struct {
	Name  string
	Value any
	// Level is the class that declares the field, where the format tells it;
	// empty otherwise.
	Level string
}

// Custom is what one class's writeObject or writeExternal method wrote beside its
// fields: [Block] for bytes, and values, in order.
type Custom struct {
	Level string // the class
	Items []any
}

// Block is a run of bytes among the items of a [Custom]; a byte[] there is a
// separate value.
type Block []byte

// Serial is the description of a class in a serialization stream.
type Serial struct {
	Class  string
	UID    int64         // serialVersionUID
	Flags  byte          // java.io's SC_ flags
	Fields []SerialField // in the order of the stream
	Super  *Serial       // nil when the superclass is not serializable
}

// SerialField is one field of a [Serial].
type SerialField struct {
	Name      string
	Signature string // of the JVM: "I", "Ljava/lang/String;", "[B"
	// Unshared says that Java's serialPersistentFields declare the field so: its
	// value is written in full, and nothing may refer to it. Only River carries it.
	Unshared bool
}

// Enum is an enum constant. Formats carry either its name or its ordinal: the
// other is "" or -1.
type Enum struct {
	Class   string
	Name    string
	Ordinal int
	// Body is the constant's own class where it has one and the format carries
	// it, because it is declared with a body ("demo.Op$1"); empty for all others.
	Body string
}

// Char is a java.lang.Character: one UTF-16 code unit, possibly a surrogate.
type Char uint16

// BigDecimal is a java.math.BigDecimal: Unscaled × 10^-Scale. The scale counts:
// 1.0 and 1.00 are different values, as in Java. A nil Unscaled means 0.
type BigDecimal struct {
	Unscaled *big.Int
	Scale    int32
}

// Date is a java.util.Date or one of its relatives in java.sql (Date, Time,
// Timestamp): milliseconds since 1970 UTC. An empty Class means java.util.Date.
type Date struct {
	Class  string
	Millis int64
	// Nanos is the part of a java.sql.Timestamp below the millisecond,
	// 0…999,999; zero for all others, and in formats that do not carry it (Kryo).
	Nanos int32
}

// Time returns d as UTC time.
func (d Date) Time() time.Time { return time.UnixMilli(d.Millis).Add(time.Duration(d.Nanos)).UTC() }

// Instant is a java.time.Instant: seconds since 1970 UTC and 0…999,999,999
// nanoseconds.
type Instant struct {
	Seconds int64
	Nanos   int32
}

// Time returns i as UTC time.
func (i Instant) Time() time.Time { return time.Unix(i.Seconds, int64(i.Nanos)).UTC() }

// LocalDate is a java.time.LocalDate; months and days count from 1.
type LocalDate struct {
	Year       int32
	Month, Day uint8
}

// LocalTime is a java.time.LocalTime.
type LocalTime struct {
	Hour, Minute, Second uint8
	Nano                 int32
}

// LocalDateTime is a java.time.LocalDateTime: a wall clock without a zone.
type LocalDateTime struct {
	Date LocalDate
	Time LocalTime
}

// Duration is a java.time.Duration: seconds, possibly negative, plus
// 0…999,999,999 nanoseconds.
type Duration struct {
	Seconds int64
	Nanos   int32
}

// Names of the classes that Go values without a class of their own become.
const (
	ClassHashMap   = "java.util.HashMap"
	ClassArrayList = "java.util.ArrayList"
	ClassHashSet   = "java.util.HashSet"
	ClassDate      = "java.util.Date"

	objectClass = "java.lang.Object"
)
