package payload

import (
	"slices"

	"github.com/duequeue/duequeue/codecs"
)

// Kind says what a value is.
type Kind string

// The kinds.
const (
	KindNull    Kind = "null"
	KindText    Kind = "text"
	KindNumber  Kind = "number"
	KindBoolean Kind = "boolean"
	KindTime    Kind = "time"
	KindEnum    Kind = "enum"
	KindBytes   Kind = "bytes"
	KindOther   Kind = "other" // any other value without parts
	KindMap     Kind = "map"
	KindList    Kind = "list"   // sets, queues and arrays of objects too
	KindObject  Kind = "object" // a bean
	KindSee     Kind = "see"    // what stands at another place too, see [Node.Number]
	KindCut     Kind = "cut"    // what lies deeper than is shown
)

// Node is one value of a payload. What is hidden is in no field of it.
type Node struct {
	Name   string // of the field, or of the entry of a map; empty for elements, and for keys that are no names
	Path   string // names from the outermost value on, with dots; empty for that itself
	Kind   Kind
	Class  string // Java's; empty where the payload names none
	Text   string // of a value without parts
	Hidden bool   // there is a value, which may not be shown

	// Number is that of a value that stands at several places, from 1 on, and of a KindSee
	// that of the value that is meant. 0 for all others.
	Number int

	Parts []*Node // as many as are shown
	Of    int     // how many there are

	Key    *Node   // of an entry of a map
	Beside []*Node // what the writeObject methods of its classes wrote beside the fields: a list for each class

	value any // what Text shows; nil where it is hidden
	long  int // bytes of the text where Text is its beginning alone
}

// Left returns how many parts are not shown.
func (n *Node) Left() int { return n.Of - len(n.Parts) }

// Container reports whether the value has parts, or could have.
func (n *Node) Container() bool {
	return n.Kind == KindMap || n.Kind == KindList || n.Kind == KindObject
}

// HidesAny reports whether anything within is hidden.
func (n *Node) HidesAny() bool {
	if n.Hidden || n.Key != nil && n.Key.Hidden {
		return true
	}
	return slices.ContainsFunc(n.Parts, (*Node).HidesAny) || slices.ContainsFunc(n.Beside, (*Node).HidesAny)
}

// maxName bounds names and classes, in bytes.
const maxName = 128

func printable(name string) string { return codecs.Printable(name, maxName) }
