package databind

import (
	"encoding/base64"
	"math"
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// dateNode carries time.Time as java.util.Date or one of its relatives: milliseconds,
// or a text in UTC.
type dateNode struct {
	usualNode
	text bool
	zone string // how a text spells UTC
}

func (*dateNode) null(p memory.Place) bool { return memory.At[time.Time](p).IsZero() }
func (*dateNode) nullable() bool           { return true }

func (n *dateNode) write(w *writer, p memory.Place) error {
	millis := memory.At[time.Time](p).UnixMilli()
	if n.text {
		return w.text(dateText(millis, n.zone))
	}
	w.gen.Int(millis)
	return nil
}

func (n *dateNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	millis, ok := k.Int(), k.Kind == token.Int
	if k.Kind == token.String && n.text {
		millis, ok = parseDate(memory.Text(r.tape.Text(k)))
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

// bigNode carries *big.Int.
type bigNode struct{ usualNode }

func (bigNode) null(p memory.Place) bool { return memory.Pointee(p) == nil }
func (bigNode) nullable() bool           { return true }

func (bigNode) write(w *writer, p memory.Place) error {
	v := *memory.At[*big.Int](p)
	return w.reason(v, w.gen.Big(v))
}

func (bigNode) read(r *reader, i int, p memory.Place) error {
	switch k := &r.toks[i]; k.Kind {
	case token.Int:
		*memory.At[*big.Int](p) = memory.Big(k.Int())
	case token.Big:
		*memory.At[*big.Int](p) = r.tape.Big(k)
	default:
		return errUnusual
	}
	return nil
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

// charNode carries java.Char.
type charNode struct{ usualNode }

func (charNode) write(w *writer, p memory.Place) error {
	return w.text(charText(*memory.At[java.Char](p)))
}

func (charNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	if k.Kind != token.String {
		return errUnusual
	}
	c, n := javatext.DecodeRune(memory.Text(r.tape.Text(k)))
	if n == 0 || n != int(k.Len) || c > math.MaxUint16 {
		return errUnusual
	}
	*memory.At[java.Char](p) = java.Char(c)
	return nil
}
