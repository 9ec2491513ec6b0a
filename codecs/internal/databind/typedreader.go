package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// typedReader reads one payload straight into Go variables. Its methods answer
// false for whatever is not usual: damage, but also classes, nulls and numbers that
// the way by values can place. The payload is then read again by it, which finds the
// value or the words for what is wrong; so only one of the two has to know how to
// say it.
type typedReader struct {
	values reader // the way by values, for parts of the payload; it has the tape
	plan   *typedPlan
	tape   *token.Tape
	toks   []token.Token
	depth  int    // containers that may still be opened
	chunk  []byte // memory that short strings share
	boxes  []string
	boxed  int
	digits []byte // scratch
}

// start puts payload on the tape; false where it is not usual.
func (r *typedReader) start(payload []byte) bool {
	c := r.plan.codec
	if err := c.format.Tokenize(&r.values.builder, r.tape, payload, c.structure, &c.rules); err != nil {
		return false
	}
	r.toks, r.depth = r.tape.Tokens, c.limits.Depth
	// Each element is a token at least, so that they need not be counted.
	return len(r.toks) > 0 && len(r.toks) <= c.limits.Elements
}

// release lets go of the payload and of what came of it.
func (r *typedReader) release() {
	r.tape.Reset(nil)
	r.values.numbered = nil
	r.toks, r.chunk = nil, nil
	r.boxes, r.boxed = nil, 0
}

// value reads token i by values, in a slot of a declared type, or in slot s where
// nothing is declared.
func (r *typedReader) value(i int, d *declared, s slot) (any, bool) {
	by := &r.values
	by.left, by.depth = by.codec.limits.Elements, r.depth
	var v any
	var err error
	if d == nil {
		v, err = by.value(i, s)
	} else {
		v, err = by.declaredValue(i, d)
	}
	return v, err == nil
}

// enter begins a container.
func (r *typedReader) enter() bool {
	r.depth--
	return r.depth >= 0
}

func (r *typedReader) leave() { r.depth++ }

// is reports whether the text of k is s.
func (r *typedReader) is(k *token.Token, s string) bool {
	return int(k.Len) == len(s) && string(r.tape.Text(k)) == s
}

// Strings of one payload share memory: one allocation for several of them. A string
// that is kept keeps at most maxChunk bytes of its siblings.
const (
	minChunk  = 64
	maxChunk  = 256
	maxShared = 64 // longer strings have their own memory
)

// text returns the text of k as a separate string.
func (r *typedReader) text(k *token.Token) string {
	b := r.tape.Text(k)
	switch {
	case len(b) > maxShared:
		return string(b)
	case len(b) == 0:
		return ""
	case len(b) > cap(r.chunk)-len(r.chunk):
		size := minChunk
		if r.chunk != nil {
			size = maxChunk
		}
		r.chunk = make([]byte, 0, size)
	}
	at := len(r.chunk)
	r.chunk = append(r.chunk, b...)
	return memory.Text(r.chunk[at:])
}

// maxBoxes bounds how many strings under any share memory, header by header.
const maxBoxes = 8

// box returns s as an any. Strings of one payload share the memory of their headers:
// room for two first, then for twice as many each time.
func (r *typedReader) box(s string) any {
	if r.boxed == len(r.boxes) {
		r.boxes, r.boxed = make([]string, min(max(2, 2*len(r.boxes)), maxBoxes)), 0
	}
	to := &r.boxes[r.boxed]
	r.boxed++
	*to = s
	return memory.TextBox(to)
}

// typedSlot is a node together with how its values are framed.
type typedSlot struct {
	node typedNode
	wrap typedName // the class beside the value, empty where there is none
	// others are further classes that reading accepts there.
	others map[string]bool
	inside bool       // a field: null leaves it zero
	by     *valueNode // writes the value, where node only reads
	object bool       // the node sees to the type id itself
}

// typedNode carries values of one Go type, in one place of a plan.
// Nodes are immutable.
type typedNode interface {
	// null reports whether the value at p is null in Java.
	null(p memory.Place) bool
	// write writes the value at p, which is not null.
	write(w *typedWriter, p memory.Place) bool
	// read reads token i, which is not null, into the zero variable at p.
	read(r *typedReader, i int, p memory.Place) bool
	// nullable reports whether null leaves the variable zero in every place.
	nullable() bool
}

// read reads the value at token i, with what is around it.
func (s *typedSlot) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	if k.Kind == token.Null {
		return k.Type == 0 && (s.inside || s.node.nullable())
	}
	if s.wrap.text == "" {
		return (k.Type == 0 || s.object) && s.node.read(r, i, p)
	}
	if k.Type != 0 {
		return s.takes(r.tape.Class(k)) && s.node.read(r, i, p)
	}
	if k.Kind != token.Array || k.N != 2 {
		return false
	}
	id := &r.toks[i+1]
	if id.Kind != token.String || !r.is(id, s.wrap.text) && !s.others[string(r.tape.Text(id))] {
		return false
	}
	return r.toks[i+2].Kind != token.Null && r.toks[i+2].Type == 0 && s.node.read(r, i+2, p)
}

// takes reports whether a value beside that class can be read.
func (s *typedSlot) takes(class string) bool { return class == s.wrap.text || s.others[class] }

// write writes the value at p, which is not null.
func (s *typedSlot) write(w *typedWriter, p memory.Place) bool {
	switch {
	case s.by != nil:
		return s.by.write(w, p)
	case s.wrap.text == "":
		return s.node.write(w, p)
	}
	if !w.wrap(&s.wrap) || !s.node.write(w, p) {
		return false
	}
	w.g.EndWrap()
	return true
}

// writeOrNull writes the value at p, or null.
func (s *typedSlot) writeOrNull(w *typedWriter, p memory.Place) bool {
	if s.node.null(p) {
		if !s.node.nullable() {
			return false
		}
		w.g.Null()
		return true
	}
	return s.write(w, p)
}

// variable returns a new zero variable of type t, for maps.
func variable(t reflect.Type) reflect.Value { return reflect.New(t).Elem() }
