// Package typed carries Go types straight between variables and the bytes of an object
// stream: java.io (package serialization) or River (package marshalling).
//
// A plan knows the usual forms of the usual types. Whatever else it meets, and every
// mistake, it answers with false: the payload or value then goes the way by values,
// from the start. So the plan can be simple, and results and errors come from one place.
//
// What both streams write in one form is here: beans with their primitive fields, maps,
// the objects of JDK classes. What differs is the [Reader], [Writer] and [Format] of
// the stream. Both are type parameters, so that what a format does most often, such as
// reading a string, is a plain function of its own reader.
//
//   - plan.go: the plan and what a stream gives it; compile.go: from the description of
//     a Go type (java.Node) to nodes
//   - primitive.go: numbers and booleans
//   - bean.go: structs with a Java class
//   - read.go, readjdk.go: from bytes to variables
//   - write.go: from variables to bytes
package typed

import (
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Cursor is a payload with a read position and what may still come.
type Cursor struct {
	In       []byte
	At       int
	Left     int // values
	Depth    int
	MaxDepth int
}

// Enter goes one level deeper, to n values; Leave follows where it reports true.
func (c *Cursor) Enter(n int) bool {
	if c.Depth >= c.MaxDepth || n > c.Left {
		return false
	}
	c.Left -= n
	c.Depth++
	return true
}

// Leave ends what Enter began.
func (c *Cursor) Leave() { c.Depth-- }

// Buffer is a payload that grows.
type Buffer struct {
	Out      []byte
	Depth    int
	MaxDepth int
}

// Enter goes one level deeper; Leave follows where it reports true.
func (o *Buffer) Enter() bool {
	if o.Depth >= o.MaxDepth {
		return false
	}
	o.Depth++
	return true
}

// Leave ends what Enter began.
func (o *Buffer) Leave() { o.Depth-- }

// Reader reads one payload. Methods that report false leave it to the way by values.
type Reader interface {
	Position() *Cursor
	// Open reads the class of an object, whose tag was read, gives the object an index
	// and takes its fields from what is left. The class is what Levels takes; desc is nil
	// where the object is for values.
	Open() (desc *serial.Desc, class memory.Place, index int)
	// Levels describes what the class and those above write, the most general first.
	Levels(class memory.Place) []Level
	// Reserve gives the next index to an object; Keep says what it is.
	Reserve() int
	Keep(index int, v any)
	// Back resolves a reference whose first byte was read to what Keep was given, or
	// to a text. It reports false where the byte begins something else, too.
	Back(lead byte) (v any, text string, ok bool)
	// IsBack reports whether a reference begins with lead.
	IsBack(lead byte) bool
	// Value reads an object by values; its first byte was read.
	Value(lead byte) (any, error)
	// SkipCustom passes over what a writeObject method wrote.
	SkipCustom() bool
	// Integer reads a BigInteger; nil for what is not usual.
	Integer() *big.Int
}

// Level is what one class of an instance writes.
type Level struct {
	Class  string
	Fields []LevelField
	Custom bool // custom data follow the fields
}

// LevelField is a field; Code is that of its primitive type, 'L' for objects.
type LevelField struct {
	Name string
	Code byte
}

// Writer writes one payload.
type Writer interface {
	Output() *Buffer
	// Object writes the beginning of an object of a class that the Format has prepared,
	// and gives it an index.
	Object(class any) bool
	// Again writes a reference where a variable was written before. Else it is the next
	// object.
	Again(v Variable) bool
	// Unwanted ends what Again began, where no object came.
	Unwanted()
	// Value writes by values. Where the value takes an index, it is that of the variable
	// of Again.
	Value(v any) bool
	// Text writes a string.
	Text(s string) bool
	// Integer writes a BigInteger.
	Integer(class any, n *big.Int) bool
}

// Variable is a Go variable that a pointer, slice or map leads to: one object wherever
// it occurs. Its node is part of it: a struct and its first field have one address.
type Variable struct {
	At   memory.Place
	Len  int // of a slice, else -1
	Node int
}

// Format is what a stream has in its own form.
type Format[R Reader, W Writer] struct {
	Null, Object byte // tags
	Block, End   byte // tag of a short block, before its length; end of custom data
	JavaNaN      bool // every NaN is written as Java's
	ScaleFirst   bool // of the fields of a BigDecimal; else its digits
	// SharesValues says that a pointer to a value, such as a BigDecimal, is one object.
	SharesValues bool
	// ApartClasses says that Writer.Object and Writer.Value do not know each other's
	// classes, so that no class may come to both.
	ApartClasses bool

	ReadText, ReadBox, ReadEnum, ReadBytes, ReadList func(r R, n *Node[R, W], p memory.Place, lead byte) bool

	WriteText, WriteBox, WriteEnum func(w W, n *Node[R, W], p memory.Place) bool
	WriteAny                       func(w W, n *Node[R, W], v any) bool
	// ListHead enters an ArrayList and writes what comes before its elements; ListEnd
	// says that End follows them.
	ListHead func(w W, n *Node[R, W], count int) bool
	ListEnd  bool
	// Class prepares a class for Writer.Object; nil where there are too many.
	Class func(*serial.Desc) any
	// Order returns the fields of a level as they are written.
	Order func(*java.Serial) []java.SerialField
}

// Node is the plan of one Go type in one declared type.
type Node[R Reader, W Writer] struct {
	Type   reflect.Type
	Elem   *Node[R, W]
	Key    *Node[R, W] // of maps; of any, the maps that it holds
	Enum   *java.Class
	Bean   *Bean[R, W]
	Class  any // prepared, of the values
	digits any // prepared, of the digits of a decimal

	format  *Format[R, W]
	kind    reflect.Kind
	size    uintptr
	id      int
	nils    bool       // null leaves nil
	shared  bool       // what the pointer points to is one object wherever it occurs
	pointer any        // a nil *Type
	values  *java.Plan // of box, for what is read by values
	box     reflect.Type

	// Read stores the object whose first byte was read.
	Read func(r R, n *Node[R, W], p memory.Place, lead byte) bool
	// Write writes the object; nil where only the way by values can.
	Write func(w W, n *Node[R, W], p memory.Place) bool
}

// Kind returns the kind of the type.
func (n *Node[R, W]) Kind() reflect.Kind { return n.kind }

// ReadValue reads one object into the variable at p.
func (n *Node[R, W]) ReadValue(r R, p memory.Place) bool {
	c := r.Position()
	return c.more() && n.Read(r, n, p, c.lead())
}

func (c *Cursor) more() bool { return c.At < len(c.In) }

// lead returns the next byte, of which there is one.
func (c *Cursor) lead() byte {
	c.At++
	return c.In[c.At-1]
}
