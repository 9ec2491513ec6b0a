package databind

import (
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// writer turns Java values into tokens.
type writer struct {
	gen   token.Generator
	codec *Codec
	depth int              // containers that may still be opened
	most  int              // the length that the generator may come to
	beans map[string]*bean // described classes

	numbered map[int64]*java.Object // Throwables that were written, by their "@id"
}

func (w *writer) fail(v any, format string, args ...any) error {
	return &codecs.EncodeError{Codec: w.codec.Name(), Type: reflect.TypeOf(v), Reason: fmt.Sprintf(format, args...)}
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
func (w *writer) tooLong(v any) error {
	return w.fail(v, "payload of more than %d bytes, the limit (Limits.Bytes)", w.codec.limits.Bytes)
}

func (w *writer) text(s string) error { return w.reason(s, w.gen.String(s)) }

func (w *writer) value(v any, s slot) error {
	if w.gen.Len() > w.most {
		return w.tooLong(v)
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
		if s == slotRoot && w.codec.rules.Jackson == 2 {
			s = slotObject // a Long is wrapped at the root too, although it is final
		}
		return w.whole(classJavaLong, v, s)
	case float64:
		return w.double(v, s)
	case *java.Map, *java.List, *java.Object, map[string]any, []any:
		return w.container(v, s)
	default:
		return w.scalar(v, s)
	}
	return nil
}

const classJavaLong = "java.lang.Long"

// wrap begins a value of a class unless it is bare. What it returns ends it.
func (w *writer) wrap(class string, bare bool, write func()) error {
	if bare || !w.codec.rules.Types {
		write()
		return nil
	}
	if err := w.gen.Wrap(class); err != nil {
		return w.reason(class, err)
	}
	write()
	w.gen.EndWrap()
	return nil
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
	if done, err := w.array(v, bare); done {
		return err
	}
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
	case java.ClassRef:
		return w.tagged("java.lang.Class", string(v), bare)
	case java.Enum:
		if v.Name == "" || v.Class == "" && !bare && w.codec.rules.Types {
			return w.fail(v, "Jackson names the enum's class and constant: the one or the other is empty")
		}
		return w.enum(v, bare)
	case java.Locale:
		return w.tagged("java.util.Locale", localeText(v, w.codec.rules.Jackson), bare)
	case java.Pattern:
		return w.tagged("java.util.regex.Pattern", v.Regex, bare)
	case *java.Calendar:
		return w.calendar(v, s)
	case *java.BitSet:
		if v != nil {
			return w.fail(v, "Jackson writes no bits of a BitSet: use a List of numbers or text")
		}
		w.gen.Null()
		return nil
	default:
		if class := java.ClassOf(v); timeClass(class) {
			return w.time(v, class, bare)
		}
		return w.lowered(v, s)
	}
}

// tagged writes a scalar that is a string.
func (w *writer) tagged(class, text string, bare bool) error {
	return w.wrapErr(class, bare, func() error { return w.text(text) })
}

// charText returns a Character as text; a lone surrogate as its three bytes.
func charText(c java.Char) string {
	if c >= 0xD800 && c < 0xE000 {
		return string([]byte{0xE0 | byte(c>>12), 0x80 | byte(c>>6)&0x3F, 0x80 | byte(c)&0x3F})
	}
	return string(rune(c))
}

// lowered writes a plain Go value as what package java makes of it, and beans as they
// are described.
func (w *writer) lowered(v any, s slot) error {
	t := reflect.TypeOf(v)
	b, err := w.codec.bindingFor(t)
	if err != nil {
		return err
	}
	low, err := b.plan.Lower(v)
	if err != nil {
		return java.EncodeError(w.codec.Name(), err)
	}
	if low != nil && reflect.TypeOf(low) == t {
		return w.fail(v, "no Java value corresponds to it")
	}
	beans := w.beans
	w.beans = b.beans
	err = w.value(low, s)
	w.beans = beans
	return err
}

// bindingFor returns the binding of the type of a plain Go value.
func (c *Codec) bindingFor(t reflect.Type) (*binding, error) {
	cached, ok := c.bound.Load(t)
	if !ok {
		b, err := c.Bind(t, codecs.BindOptions{})
		if cached = b; err != nil {
			cached = &codecs.EncodeError{Codec: c.Name(), Type: t, Reason: "no Java value corresponds to it", Err: err}
		}
		c.bound.Store(t, cached)
	}
	if err, bad := cached.(*codecs.EncodeError); bad {
		copied := *err // whoever gets it puts a path before it
		return nil, &copied
	}
	return cached.(*binding), nil
}

func orClass(class, def string) string {
	if class == "" {
		return def
	}
	return class
}
