package bridge

import (
	"reflect"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
)

// Node describes a Go type in a place of a compiled type, as [Plan.Described] gives it:
// what the type is, and the class that its values are written as. Codecs make their own
// way between bytes and variables of it.
type Node struct {
	Kind NodeKind
	Go   reflect.Type
	// Declared is what the place declares beside the Go type; zero for nothing, and for
	// beans and type variables, where the Go type alone decides.
	Declared java.TypeExpr
	Zone     *time.Location // of a time.Time that is a java.time.LocalDateTime
	// Class is the class of the values, "[I" for int[], as [Plan.Lower] makes them; empty
	// where it is not one class, or the place does not take the usual one.
	Class  string
	Of     string      // the enum of an EnumSet or EnumMap
	Elem   *Node       // of what pointers, lists, maps and holders hold
	Key    *Node       // of maps
	Fields []NodeField // of structs, in the order of declaration
	// Absent says that the zero value of a struct is null: a generic class holds it by value, and
	// has no pointer that could be nil.
	Absent bool

	of   *node // which carries the values, see [Plan.AssignTo]
	mark byte  // how Java orders what it holds, see [keyorder.Marks]
}

// NodeField is a field of a struct.
type NodeField struct {
	Name, Level string // as in [gotypes.FieldDesc]
	Type        java.TypeExpr
	Format      java.FieldFormat
	Index       []int
	Offset      uintptr // in the struct of the Node
	*Node
}

// NodeKind says what a Go type is for Java.
type NodeKind uint8

// Kinds of nodes.
const (
	NodeOther    NodeKind = iota // an interface with methods, a decimal library's type, a LocalDateTime as time.Time
	NodeAny                      // the empty interface
	NodeScalar                   // a boolean, number or string of Go
	NodeValue                    // a type of package java, or *big.Int
	NodeTime                     // time.Time
	NodeDuration                 // time.Duration
	NodeEnum
	NodePointer
	NodeHolder // the Go type of its Elem, inside an Optional or Atomic class
	NodeBytes  // a slice of bytes
	NodeSlice  // a list, set or array
	NodeMap
	NodeBean   // a struct with a Java class
	NodeStruct // a struct without one, carried as a map
)

// Described returns what the plan knows of its type. The caller must not change it.
func (p *Plan) Described() *Node { return &p.root.Node }

// Ordered reports whether the class of a list says in which order its elements are, as
// those of sets do.
func (n *Node) Ordered() bool { return n.mark != 0 }

// Order returns the places of the elements of a list, set or queue of the class in the
// order in which Java writes them. The elements are Java values; those that have no order
// of their own may be any value without a hash code. The error is an [*codecs.EncodeError].
func (n *Node) Order(elements []any) ([]int, error) {
	at, err := keyorder.Elements(elements, n.mark)
	if err != nil {
		return nil, &codecs.EncodeError{Type: n.Go, Reason: "its elements have no definite order as a set", Err: err}
	}
	return at, nil
}

// OrderKeys returns the places of the keys of a map of the class in the order in which
// Java writes its entries. The error is an [*codecs.EncodeError].
func (n *Node) OrderKeys(keys []any) ([]int, error) {
	at, err := keyorder.Keys(keys, n.mark)
	if err != nil {
		return nil, &codecs.EncodeError{Type: n.Go, Path: "[key]", Reason: "its keys have no definite order", Err: err}
	}
	return at, nil
}

// OrderNames returns the places of the names of a struct's fields in the order of the
// class that it is carried as.
func (n *Node) OrderNames(names []string) []int {
	keys := make([]any, len(names))
	for i, name := range names {
		keys[i] = name
	}
	at, err := keyorder.Elements(keys, n.mark)
	if err != nil { // names are Strings, which no order refuses
		at, _ = keyorder.Elements(keys, 0)
	}
	return at
}

// usual returns class where the place takes it as it is, else "".
func usual(class string, declared java.TypeExpr) string {
	switch at := boxed(declared); {
	case at == "", at == class, at == "java.lang.Number" && strings.HasPrefix(class, "java.math."):
		return class
	default:
		return ""
	}
}

// described returns the fields for a [Node].
func (s *structPlan) described() []NodeField {
	fields := make([]NodeField, len(s.fields))
	for i, f := range s.fields {
		fields[i] = NodeField{
			Name: f.Name, Level: f.Level, Type: f.Type, Format: f.Format,
			Index: f.Index, Offset: offsetOf(s.typ, f.Index), Node: &f.node.Node,
		}
	}
	return fields
}

// offsetOf returns the offset of a field of t or of a struct embedded in it.
func offsetOf(t reflect.Type, index []int) (offset uintptr) {
	for _, i := range index {
		f := t.Field(i)
		offset += f.Offset
		t = f.Type
	}
	return offset
}
