package databind

import (
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// writer writes one value.
type writer struct {
	gen   token.Generator
	fixed token.Fixed // gen, where keys and classes of its format have fixed bytes
	codec *Codec
	rules *Rules           // those of the codec, or of the field that is written
	bound *binding         // what the types under interfaces are compiled for
	free  bool             // the value is bound to no type: each Go value has a binding of its own
	beans map[string]*bean // described classes
	depth int              // containers that may still be opened
	left  int              // values of Go that may still come
	most  int              // the length that the generator may come to
	out   []byte
	word  memory.Place // a pointer or map that is the whole value
	keys  []string

	numbered map[int64]any // Throwables that were written, by their "@id"
}

const (
	// manyValues is how many values of Go are written at most, a container and a
	// pointer for eight: pointers that share what they point to would multiply it.
	manyValues = 1 << 22
	// maxKept bounds the memory that is kept from one value to the next.
	maxKept = 1 << 16
)

// begin makes the writer ready for a value of a binding, or of any where b is nil.
func (w *writer) begin(b *binding) {
	c, beans := w.codec, w.codec.beans
	if b != nil {
		beans = b.beans
	}
	if w.bound != b || w.free != (b == nil) || b == nil {
		w.bound, w.free, w.beans = b, b == nil, beans
	}
	w.rules = &c.rules
	w.depth, w.left, w.most = c.limits.Depth, manyValues, c.limits.Bytes
	w.gen.Begin(w.out[:0])
}

// release lets go of the value.
func (w *writer) release(out []byte) {
	switch {
	case cap(out) > maxKept:
		w.out = nil
	case cap(out) != cap(w.out):
		w.out = out
	}
	if w.word != nil {
		w.word = nil
	}
	if w.numbered != nil {
		w.numbered = nil
	}
	if len(w.keys) > 0 { // after an error
		clear(w.keys)
		w.keys = w.keys[:0]
	}
}

func (w *writer) beginMember(n *fixedName) error {
	if w.fixed != nil {
		w.fixed.FixedKey(n.fixed)
		return nil
	}
	return w.textKey(n.text)
}

func (w *writer) textKey(k string) error {
	if err := w.gen.Key(k); err != nil {
		return w.reason(k, err)
	}
	return nil
}

func (w *writer) beginWrap(n *fixedName) error {
	if w.fixed != nil {
		w.fixed.FixedWrap(n.fixed)
		return nil
	}
	if err := w.gen.Wrap(n.text); err != nil {
		return w.reason(n.text, err)
	}
	return nil
}

// beginObject begins an object of n members and of that class, none where it is empty.
func (w *writer) beginObject(class *fixedName, n int) error {
	if class.text != "" && w.fixed != nil {
		w.fixed.FixedObject(class.fixed, n)
		return nil
	}
	if err := w.gen.Object(class.text, n); err != nil {
		return w.reason(class.text, err)
	}
	return nil
}

// at writes a value in a place.
func (w *writer) at(v any, as *place) error {
	if as.rules != nil {
		was := w.rules
		w.rules = as.rules
		defer func() { w.rules = was }()
	}
	if w.rules.textual() && as != treePlace && !as.component {
		if text, class := w.rules.numberText(v); class != "" {
			return w.tagged(class, text, as.slot == slotTree || as.slot == slotRoot && w.rules.final(class))
		}
	}
	switch v := v.(type) {
	case *java.Object:
		switch {
		case as.implied || v == nil || !holder(v):
		case v.Class == classOptional:
			return w.optional(v, func(held any) error { return w.at(held, as) })
		case v.Class == classAtomicReference:
			held, _ := v.Get("value")
			return w.at(held, as)
		}
		return w.container(v, as)
	case *java.List, *java.Map:
		return w.container(v, as)
	}
	if as.poly != nil && v != nil && java.ClassOf(v) == "" {
		return w.goValue(v, as)
	}
	return w.value(v, as.slot)
}

func (w *writer) fail(v any, format string, args ...any) error {
	return w.failType(reflect.TypeOf(v), format, args...)
}

func (w *writer) failType(t reflect.Type, format string, args ...any) error {
	return &codecs.EncodeError{Codec: w.codec.Name(), Type: t, Reason: fmt.Sprintf(format, args...)}
}

// reason makes what a generator says of v an error of the codec.
func (w *writer) reason(v any, err error) error {
	if err == nil {
		return nil
	}
	return w.fail(v, "%v", err)
}

// tooLong returns the error for a payload beyond the limit. It is looked for with each
// value: few values can be written very often where they are shared.
func (w *writer) tooLong(t reflect.Type) error {
	return w.failType(t, "payload of more than %d bytes, the limit (Limits.Bytes)", w.codec.limits.Bytes)
}

func (w *writer) text(s string) error {
	if err := w.gen.String(s); err != nil {
		return w.reason(s, err)
	}
	return nil
}

func (w *writer) value(v any, s slot) error {
	if w.gen.Len() > w.most {
		return w.tooLong(reflect.TypeOf(v))
	}
	switch v := v.(type) {
	case nil:
		w.gen.Null()
	case string:
		return w.text(v)
	case bool:
		w.gen.Bool(v)
	case int32:
		w.gen.Int(int64(v))
	case int64:
		if s == slotRoot && !w.codec.rules.final(classJavaLong) {
			s = slotObject // a Long is wrapped at the root too, although it is final
		}
		return w.whole(classJavaLong, v, s)
	case float64:
		return w.double(v, s)
	case *java.Map, *java.List, *java.Object:
		return w.container(v, places[s])
	default:
		return w.scalar(v, s)
	}
	return nil
}

const classJavaLong = "java.lang.Long"

// wrap writes a value of a class beside the name of that, unless it is bare.
func (w *writer) wrap(class string, bare bool, write func()) error {
	return w.wrapErr(class, bare, func() error { write(); return nil })
}

// wrapErr is wrap for what may fail.
func (w *writer) wrapErr(class string, bare bool, write func() error) error {
	if bare || !w.codec.rules.Types {
		return write()
	}
	if err := w.gen.Wrap(class); err != nil {
		return w.reason(class, err)
	}
	if err := write(); err != nil {
		return err
	}
	w.gen.EndWrap()
	return nil
}

// whole writes a number that is wrapped unless its slot declares its class.
func (w *writer) whole(class string, n int64, s slot) error {
	return w.wrap(class, s == slotRoot || s == slotTree, func() { w.gen.Int(n) })
}

// double writes a Double: bare and natural unless it is not finite.
func (w *writer) double(f float64, s slot) error {
	bare := !math.IsNaN(f) && !math.IsInf(f, 0) || s == slotRoot || s == slotTree || w.codec.rules.bareNaN()
	return w.wrap("java.lang.Double", bare, func() { w.gen.Float64(f) })
}

// scalar writes the less common scalars.
func (w *writer) scalar(v any, s slot) error {
	bare := s == slotRoot || s == slotTree
	switch v := v.(type) {
	case int16:
		return w.whole("java.lang.Short", int64(v), s)
	case int8:
		return w.whole("java.lang.Byte", int64(v), s)
	case float32:
		return w.wrap("java.lang.Float", bare, func() { w.gen.Float32(v) })
	case java.Char:
		return w.tagged("java.lang.Character", charText(v), bare)
	case *big.Int:
		return w.wrapErr("java.math.BigInteger", s == slotTree, func() error { return w.reason(v, w.gen.Big(v)) })
	case java.BigDecimal:
		return w.wrapErr(classBigDecimal, s == slotTree, func() error { return w.reason(v, w.gen.Decimal(v)) })
	case java.Date:
		return w.date(v, s)
	case java.UUID:
		return w.uuid(v, s)
	case java.Text:
		return w.textOf(v, s)
	case java.Enum:
		if v.Name == "" || v.Class == "" && !bare && w.codec.rules.Types {
			return w.fail(v, "Jackson names the enum's class and constant: the one or the other is empty")
		}
		return w.enum(v, bare)
	case *java.Calendar:
		return w.calendar(v, s)
	case *java.BitSet:
		if v != nil {
			return w.fail(v, "Jackson writes no bits of a BitSet: use a List of numbers or text")
		}
		w.gen.Null()
		return nil
	default:
		if done, err := w.array(v, bare); done {
			return err
		}
		switch t := jdk.Of(v); {
		case t == nil:
		case t.Parts != nil:
			return w.time(t, v, bare)
		case t.FromText != nil:
			return w.tagged(t.Class, w.codec.rules.shown(t, v), bare)
		}
		return w.goValue(v, places[s])
	}
}

// tagged writes a scalar that is a string.
func (w *writer) tagged(class, text string, bare bool) error {
	return w.wrapErr(class, bare, func() error { return w.text(text) })
}

// charText returns a Character as text; a lone surrogate as its three bytes.
func charText(c java.Char) string { return string(javatext.AppendUnit(nil, 0, uint16(c))) }
