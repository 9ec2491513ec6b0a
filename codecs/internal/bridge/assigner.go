package bridge

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memo"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// maxAssignDepth bounds the nesting of what is assigned. Decoded values nest less
// deeply, but references in them can make chains of any length.
const maxAssignDepth = 10_000

// assigner carries one value into Go variables. One object, list or map of the
// values becomes one Go pointer, slice or map for each Go type that takes it, so
// that sharing and cycles are kept and shared values do not unfold.
type assigner struct {
	known memo.Table[assignKey, reflect.Value]
	plain *java.Plainer // what went into empty interfaces; nil at first
	depth int
	text  int // bytes of digits that were made of big numbers
}

// maxAssignText bounds the digits that are made of big numbers: payloads can share
// one number among many slots.
const maxAssignText = 16 << 20

// digits counts the text made of a number of that many bits.
func (s *assigner) digits(bits int, dst reflect.Value) error {
	if s.text += bits / 3; s.text > maxAssignText {
		return Misfit("", dst.Type(), "too many digits come of its big numbers")
	}
	return nil
}

// assignKey is a value together with the Go type it became.
type assignKey struct {
	from any // *Object, *List or *Map, or the address of an array of primitives
	to   reflect.Type
}

// made returns what v became for type t before.
func (s *assigner) made(v any, t reflect.Type) (reflect.Value, bool) {
	key := assignKey{identity(v), t}
	if key.from == nil {
		return reflect.Value{}, false
	}
	return s.known.Made(key)
}

// keep notes what v became.
func (s *assigner) keep(v any, out reflect.Value) {
	if key := (assignKey{identity(v), out.Type()}); key.from != nil {
		s.known.Keep(key, out)
	}
}

// arrayIdentity tells arrays of primitives apart.
type arrayIdentity struct {
	at memory.Place
	n  int
}

// identity returns what makes v one object in Java, nil for values that count by
// their contents.
func identity(v any) any {
	switch v := v.(type) {
	case *java.Object, *java.List, *java.Map:
		return v
	case []byte, []int32, []int64, []float64, []bool, []int16, []float32, []java.Char:
		a := reflect.ValueOf(v)
		if a.Len() > 0 {
			return arrayIdentity{memory.To(a), a.Len()}
		}
	}
	return nil
}

// assign stores v in dst as node n says.
func (s *assigner) assign(n *node, v any, dst reflect.Value) error {
	if !n.raw {
		v = held(v)
	}
	return n.assign(s, v, dst)
}

// enter begins a container or a pointer. The depth needs no reset after an error.
func (s *assigner) enter(v any, t reflect.Type) error {
	if s.depth++; s.depth > maxAssignDepth {
		return Misfit(java.ClassOf(v), t, "references make it nest too deeply")
	}
	return nil
}

func (s *assigner) leave() { s.depth-- }
