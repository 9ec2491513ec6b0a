package databind

import (
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// usualNode is the part of nodes for the usual values of a leaf, which never are null.
type usualNode struct{}

func (usualNode) null(memory.Place) bool { return false }
func (usualNode) nullable() bool         { return false }
func (usualNode) readAs(*reader, int, memory.Place, *place, bool) error {
	return errUnusual // the leaf beside it does
}

// intNode carries Go's integers as one of Java's.
type intNode struct {
	usualNode
	kind   reflect.Kind
	lo, hi int64 // what the Java class holds
}

// wholeBounds are the numbers that Java's classes of them hold.
var wholeBounds = map[string][2]int64{
	"java.lang.Byte": {math.MinInt8, math.MaxInt8}, "java.lang.Short": {math.MinInt16, math.MaxInt16},
	"java.lang.Integer": {math.MinInt32, math.MaxInt32}, "java.lang.Long": {math.MinInt64, math.MaxInt64},
}

func (n *intNode) write(w *writer, p memory.Place) error {
	v, ok := memory.LoadInt(n.kind, p)
	if !ok || v < n.lo || v > n.hi {
		return errUnusual
	}
	w.gen.Int(v)
	return nil
}

func (n *intNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	v := k.Int()
	if k.Kind == token.Int && v >= n.lo && v <= n.hi && memory.StoreInt(n.kind, p, v) {
		return nil
	}
	return errUnusual
}

// floatNode carries float64 as Double.
type floatNode struct{ usualNode }

func (floatNode) write(w *writer, p memory.Place) error {
	v := *memory.At[float64](p)
	if v-v != 0 { // not finite: it may name its class
		return errUnusual
	}
	w.gen.Float64(v)
	return nil
}

// maxExact is the largest whole number up to which a double holds each of them.
const maxExact = 1 << 53

func (floatNode) read(r *reader, i int, p memory.Place) error {
	k, v := &r.toks[i], memory.At[float64](p)
	switch {
	case k.Kind == token.Int && k.Int() <= maxExact && k.Int() >= -maxExact && (k.Num != 0 || k.Len <= 1): // -0
		*v = float64(k.Int())
	case k.Kind != token.Float:
		return errUnusual
	case k.Flags&token.FlagLiteral != 0:
		f, err := strconv.ParseFloat(memory.Text(r.tape.Text(k)), 64)
		if *v = f; err != nil {
			return errUnusual
		}
	default:
		*v = math.Float64frombits(k.Num)
	}
	return nil
}

// boolNode carries bool.
type boolNode struct{ usualNode }

func (boolNode) write(w *writer, p memory.Place) error {
	w.gen.Bool(*memory.At[bool](p))
	return nil
}

func (boolNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	if k.Kind != token.Bool {
		return errUnusual
	}
	*memory.At[bool](p) = k.Bool()
	return nil
}

// textNode carries strings.
type textNode struct{ usualNode }

func (textNode) write(w *writer, p memory.Place) error {
	return w.text(*memory.At[string](p))
}

func (textNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	if k.Kind != token.String || k.Flags&token.FlagLiteral != 0 {
		return errUnusual
	}
	*memory.At[string](p) = r.text(k)
	return nil
}

// enumNode carries Go enums: named strings by the constant's name, named integers
// by its ordinal.
type enumNode struct {
	usualNode
	kind   reflect.Kind
	names  []string       // of the constants
	byName map[string]int // ordinals
}

func (n *enumNode) null(p memory.Place) bool {
	return n.kind == reflect.String && *memory.At[string](p) == ""
}

func (n *enumNode) nullable() bool { return n.kind == reflect.String }

func (n *enumNode) write(w *writer, p memory.Place) error {
	if n.kind == reflect.String {
		name := *memory.At[string](p)
		if _, known := n.byName[name]; !known {
			return errUnusual
		}
		return w.text(name)
	}
	v, ok := memory.LoadInt(n.kind, p)
	if !ok || v < 0 || v >= int64(len(n.names)) {
		return errUnusual
	}
	return w.text(n.names[v])
}

func (n *enumNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	if k.Kind != token.String {
		return errUnusual
	}
	ordinal, ok := n.byName[string(r.tape.Text(k))]
	switch {
	case !ok:
		return errUnusual
	case n.kind == reflect.String:
		*memory.At[string](p) = n.names[ordinal]
	case !memory.StoreInt(n.kind, p, int64(ordinal)):
		return errUnusual
	}
	return nil
}

// dateNode carries time.Time as java.util.Date or one of its relatives: milliseconds,
// or a text in UTC.
type dateNode struct {
	usualNode
	text bool
}

func (*dateNode) null(p memory.Place) bool { return memory.At[time.Time](p).IsZero() }
func (*dateNode) nullable() bool           { return true }

func (n *dateNode) write(w *writer, p memory.Place) error {
	millis := memory.At[time.Time](p).UnixMilli()
	if n.text {
		text := w.codec.rules.utilDate(millis)
		if text == "" {
			return errUnusual
		}
		return w.text(text)
	}
	w.gen.Int(millis)
	return nil
}

func (n *dateNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	millis, ok := k.Int(), k.Kind == token.Int
	if k.Kind == token.String && n.text {
		millis, ok = r.codec.rules.parseUtilDate(memory.Text(r.tape.Text(k)))
	}
	if !ok {
		return errUnusual
	}
	*memory.At[time.Time](p) = time.UnixMilli(millis).UTC()
	return nil
}

// decimalNode carries java.BigDecimal.
type decimalNode struct{ usualNode }

func (decimalNode) write(w *writer, p memory.Place) error {
	v := memory.At[java.BigDecimal](p)
	if err := w.gen.Decimal(*v); err != nil {
		return w.reason(*v, err)
	}
	return nil
}

func (decimalNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	switch k.Kind {
	case token.Decimal:
		*memory.At[java.BigDecimal](p) = r.tape.Decimal(k)
		return nil
	case token.Int:
		*memory.At[java.BigDecimal](p) = java.BigDecimal{Unscaled: memory.Big(k.Int())}
		return nil
	case token.Float:
		text := r.tape.Text(k)
		if k.Flags&token.FlagLiteral == 0 { // the digits that Java prints
			r.digits = javatext.AppendDouble(r.digits[:0], math.Float64frombits(k.Num))
			text = r.digits
		}
		if unscaled, scale, ok := parseSmall(text); ok && k.Flags&token.FlagFloat32 == 0 {
			*memory.At[java.BigDecimal](p) = java.BigDecimal{Unscaled: memory.Big(unscaled), Scale: scale}
			return nil
		}
	default:
	}
	return errUnusual
}

// parseSmall reads a number of few digits with a fraction and without an exponent.
func parseSmall(text []byte) (unscaled int64, scale int32, ok bool) {
	digits, negative := text, false
	if len(digits) > 0 && digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	if len(digits) > 18 {
		return 0, 0, false
	}
	point := -1
	for i, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			unscaled = unscaled*10 + int64(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return 0, 0, false
		}
	}
	if point < 0 {
		return 0, 0, false
	}
	if negative {
		unscaled = -unscaled
	}
	return unscaled, int32(len(digits) - 1 - point), true
}

// bytesNode carries []byte as byte[].
type bytesNode struct{ usualNode }

func (bytesNode) null(p memory.Place) bool { return memory.Pointee(p) == nil }
func (bytesNode) nullable() bool           { return true }

func (bytesNode) write(w *writer, p memory.Place) error {
	w.gen.Bytes(*memory.At[[]byte](p))
	return nil
}

func (bytesNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	text := r.tape.Text(k)
	switch k.Kind {
	case token.Bytes:
		*memory.At[[]byte](p) = append([]byte{}, text...)
		return nil
	case token.String:
		out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		if n, err := base64.StdEncoding.Decode(out, text); err == nil {
			*memory.At[[]byte](p) = out[:n]
			return nil
		}
	default:
	}
	return errUnusual
}

// uuidNode carries types of sixteen bytes as java.util.UUID: its text, or its bytes.
type uuidNode struct {
	usualNode
	binary bool
}

func (n *uuidNode) write(w *writer, p memory.Place) error {
	u := memory.At[java.UUID](p)
	if n.binary {
		w.gen.Bytes(u[:])
		return nil
	}
	return w.text(u.String())
}

func (n *uuidNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	if k.Kind == token.Bytes && k.Len == 16 {
		copy(memory.At[java.UUID](p)[:], r.tape.Text(k))
		return nil
	}
	if k.Kind != token.String {
		return errUnusual
	}
	u, err := java.ParseUUID(memory.Text(r.tape.Text(k)))
	if err != nil {
		return errUnusual
	}
	*memory.At[java.UUID](p) = u
	return nil
}
