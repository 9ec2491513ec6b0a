package databind

import (
	"encoding/base64"
	"math"
	"math/big"
	"math/bits"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// dateNode carries time.Time as java.util.Date or one of its relatives: milliseconds,
// or a text in UTC.
type dateNode struct {
	text bool
	zone string // how a text spells UTC
}

func (*dateNode) null(p memory.Place) bool { return memory.At[time.Time](p).IsZero() }
func (*dateNode) nullable() bool           { return true }

func (n *dateNode) write(w *typedWriter, p memory.Place) bool {
	millis := memory.At[time.Time](p).UnixMilli()
	if n.text {
		return w.g.String(dateText(millis, n.zone)) == nil
	}
	w.g.Int(millis)
	return true
}

func (n *dateNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	millis, ok := k.Int(), k.Kind == token.Int
	if k.Kind == token.String && n.text {
		millis, ok = parseDate(memory.Text(r.tape.Text(k)))
	}
	*memory.At[time.Time](p) = time.UnixMilli(millis).UTC()
	return ok
}

// decimalNode carries java.BigDecimal.
type decimalNode struct{}

func (decimalNode) null(memory.Place) bool { return false }
func (decimalNode) nullable() bool         { return false }

func (decimalNode) write(w *typedWriter, p memory.Place) bool {
	return w.g.Decimal(*memory.At[java.BigDecimal](p)) == nil
}

func (decimalNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	switch {
	case k.Kind == token.Decimal:
		*memory.At[java.BigDecimal](p) = r.tape.Decimal(k)
		return true
	case k.Kind == token.Int:
		*memory.At[java.BigDecimal](p) = java.BigDecimal{Unscaled: smallBig(k.Int())}
		return true
	case k.Kind == token.Float:
		text := r.tape.Text(k)
		if k.Flags&token.FlagLiteral == 0 { // the digits that Java prints
			r.digits = javatext.AppendDouble(r.digits[:0], math.Float64frombits(k.Num))
			text = r.digits
		}
		if unscaled, scale, ok := parseSmall(text); ok && k.Flags&token.FlagFloat32 == 0 {
			*memory.At[java.BigDecimal](p) = java.BigDecimal{Unscaled: smallBig(unscaled), Scale: scale}
			return true
		}
	case k.Kind != token.Big:
		return false
	}
	v, err := r.values.convert(classBigDecimal, i)
	d, ok := v.(java.BigDecimal)
	*memory.At[java.BigDecimal](p) = d
	return ok && err == nil
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

// smallInt is a big number of one word together with its word: one allocation.
type smallInt struct {
	v    big.Int
	word [1]big.Word
}

// smallBig returns v as a big number.
func smallBig(v int64) *big.Int {
	if bits.UintSize < 64 {
		return big.NewInt(v)
	}
	small := &smallInt{}
	small.word[0] = big.Word(uint64(v))
	if v < 0 {
		small.word[0] = -small.word[0]
	}
	small.v.SetBits(small.word[:])
	if v < 0 {
		small.v.Neg(&small.v)
	}
	return &small.v
}

// bigNode carries *big.Int.
type bigNode struct{}

func (bigNode) null(p memory.Place) bool { return memory.Pointee(p) == nil }
func (bigNode) nullable() bool           { return true }

func (bigNode) write(w *typedWriter, p memory.Place) bool {
	return w.g.Big(*memory.At[*big.Int](p)) == nil
}

func (bigNode) read(r *typedReader, i int, p memory.Place) bool {
	switch k := &r.toks[i]; k.Kind {
	case token.Int:
		*memory.At[*big.Int](p) = smallBig(k.Int())
	case token.Big:
		*memory.At[*big.Int](p) = r.tape.Big(k)
	default:
		return false
	}
	return true
}

// bytesNode carries []byte as byte[].
type bytesNode struct{}

func (bytesNode) null(p memory.Place) bool { return memory.Pointee(p) == nil }
func (bytesNode) nullable() bool           { return true }

func (bytesNode) write(w *typedWriter, p memory.Place) bool {
	w.g.Bytes(*memory.At[[]byte](p))
	return true
}

func (bytesNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	text := r.tape.Text(k)
	switch k.Kind {
	case token.Bytes:
		*memory.At[[]byte](p) = append([]byte{}, text...)
		return true
	case token.String:
		out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, err := base64.StdEncoding.Decode(out, text)
		*memory.At[[]byte](p) = out[:n]
		return err == nil
	default:
		return false
	}
}

// uuidNode carries types of sixteen bytes as java.util.UUID: its text, or its bytes.
type uuidNode struct{ binary bool }

func (*uuidNode) null(memory.Place) bool { return false }
func (*uuidNode) nullable() bool         { return false }

func (n *uuidNode) write(w *typedWriter, p memory.Place) bool {
	u := memory.At[java.UUID](p)
	if n.binary {
		w.g.Bytes(u[:])
		return true
	}
	return w.g.String(u.String()) == nil
}

func (n *uuidNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	if k.Kind == token.Bytes && k.Len == 16 {
		copy(memory.At[java.UUID](p)[:], r.tape.Text(k))
		return true
	}
	if k.Kind != token.String {
		return false
	}
	u, err := java.ParseUUID(memory.Text(r.tape.Text(k)))
	*memory.At[java.UUID](p) = u
	return err == nil
}

// charNode carries java.Char.
type charNode struct{}

func (charNode) null(memory.Place) bool { return false }
func (charNode) nullable() bool         { return false }

func (charNode) write(w *typedWriter, p memory.Place) bool {
	return w.g.String(charText(*memory.At[java.Char](p))) == nil
}

func (charNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	if k.Kind != token.String {
		return false
	}
	c, n := javatext.DecodeRune(memory.Text(r.tape.Text(k)))
	*memory.At[java.Char](p) = java.Char(c)
	return n > 0 && n == int(k.Len) && c <= math.MaxUint16
}

// readNode has a typed way for reading only.
type readNode struct {
	typedNode
	by *valueNode
}

func (n *readNode) write(w *typedWriter, p memory.Place) bool { return n.by.write(w, p) }

// valueNode carries any type by way of Java values.
type valueNode struct {
	typ      reflect.Type
	plan     *java.Plan
	declared *declared
	slot     slot // for reading, where nothing is declared
	nulls    bool // null leaves the variable zero in every place
	property bool // of a bean, which leaves out references to null too
}

func newValueNode(t reflect.Type, plan *java.Plan, f typedForm) *valueNode {
	return &valueNode{
		typ: t, plan: plan, declared: f.declared, slot: f.slot,
		nulls: plan != nil && plan.Assign(nil, reflect.New(t).Interface()) == nil,
	}
}

func (n *valueNode) null(p memory.Place) bool {
	v := memory.Value(n.typ, p)
	if !v.IsZero() {
		return false
	}
	low, err := n.plan.Lower(v.Interface())
	return err == nil && (low == nil || n.property && nullField(low))
}

func (n *valueNode) nullable() bool { return n.nulls }

func (n *valueNode) write(w *typedWriter, p memory.Place) bool {
	low, err := n.plan.Lower(memory.Value(n.typ, p).Interface())
	if err != nil || low == nil || n.property && nullField(low) {
		return false
	}
	return w.value(low, n.declared)
}

func (n *valueNode) read(r *typedReader, i int, p memory.Place) bool {
	v, ok := r.value(i, n.declared, n.slot)
	return ok && v != nil && n.plan.Assign(v, memory.PointerTo(n.typ, p)) == nil
}
