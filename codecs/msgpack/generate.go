package msgpack

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	lib "github.com/vmihailenco/msgpack/v5"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes what Java's MessagePackGenerator writes: the shortest heads, str
// for texts, bin for byte arrays, integers of any declared type in as few bytes as
// they take, positive ones unsigned, and never an extension type.
//
// The library's errors are those of its writer, which is an append here.
type generator struct {
	token.Output
	enc *lib.Encoder
}

var (
	_ token.Generator = (*generator)(nil)
	_ token.Fixed     = (*generator)(nil)
)

func newGenerator(*databind.Rules) token.Generator {
	g := &generator{}
	g.enc = lib.NewEncoder(g)
	return g
}

// Write appends p: the library writes here.
func (g *generator) Write(p []byte) (int, error) {
	g.Out = append(g.Out, p...)
	return len(p), nil
}

// WriteByte appends c: the library writes here.
func (g *generator) WriteByte(c byte) error {
	g.Out = append(g.Out, c)
	return nil
}

func (g *generator) Null()             { _ = g.enc.EncodeNil() }
func (g *generator) Bool(v bool)       { _ = g.enc.EncodeBool(v) }
func (g *generator) Int(n int64)       { _ = g.enc.EncodeInt(n) }
func (g *generator) Float32(f float32) { _ = g.enc.EncodeFloat32(f) }
func (g *generator) Float64(f float64) { _ = g.enc.EncodeFloat64(token.JavaFloat64(f)) }

// Big writes what fits 64 bits. There is no form for more, and Java throws.
func (g *generator) Big(n *big.Int) error {
	switch {
	case n.IsInt64():
		return g.enc.EncodeInt(n.Int64())
	case n.IsUint64():
		return g.enc.EncodeUint(n.Uint64())
	}
	return fmt.Errorf("BigInteger of %d bits: MessagePack has integers of 64 bits, Java refuses more too", n.BitLen())
}

// Decimal writes a whole number as an integer and anything else as a double: that is
// all Java does, so a scale is lost, and what no double shows is refused.
func (g *generator) Decimal(d java.BigDecimal) error {
	if n, f, ok := shortDecimal(d); ok {
		if f != 0 {
			g.Float64(f)
		} else {
			g.Int(n)
		}
		return nil
	}
	n, f, ok := lowerDecimal(d)
	switch {
	case !ok:
		return errors.New("a BigDecimal that Java refuses: it writes one to MessagePack as an integer of 64 bits " +
			"or as the double that shows the same digits; carry its text as a String")
	case n != nil:
		return g.Big(n)
	}
	g.Float64(f)
	return nil
}

// String writes a text. Java writes a lone surrogate as '?', which would lose it.
func (g *generator) String(s string) error {
	if !utf8.ValidString(s) {
		return errText
	}
	return g.enc.EncodeString(s)
}

var errText = errors.New("not UTF-8: MessagePack text cannot hold it; carry bytes as []byte")

func (g *generator) Bytes(b []byte) {
	_ = g.enc.EncodeBytesLen(len(b))
	g.Out = append(g.Out, b...)
}

func (g *generator) Object(class string, n int) error {
	if class == "" {
		return g.enc.EncodeMapLen(n)
	}
	_ = g.enc.EncodeMapLen(n + 1)
	_ = g.enc.EncodeString("@class")
	return g.String(class)
}

func (g *generator) Key(name string) error { return g.String(name) }

// IntKey writes the digits: Java's generator has integer keys switched off.
func (g *generator) IntKey(n int64) error { return g.String(strconv.FormatInt(n, 10)) }

func (g *generator) EndObject() {}

func (g *generator) Array(n int) { _ = g.enc.EncodeArrayLen(n) }

func (g *generator) EndArray() {}

func (g *generator) Wrap(class string) error {
	g.Array(2)
	return g.String(class)
}

func (g *generator) EndWrap() {}

func (g *generator) FixedKey(rendered string) { g.Out = append(g.Out, rendered...) }

func (g *generator) FixedObject(rendered string, n int) {
	_ = g.enc.EncodeMapLen(n + 1)
	g.Out = append(g.Out, rendered[1:]...)
}

func (g *generator) FixedWrap(rendered string) { g.FixedKey(rendered) }

// lowerDecimal returns what Java writes for a BigDecimal: an integer (n is not nil)
// if it is one of up to 64 bits, else the double that shows the same number. JDKs before
// 19 show a few doubles by more digits than they need, which they refuse.
func lowerDecimal(d java.BigDecimal) (n *big.Int, f float64, ok bool) {
	// A double shows 17 digits and 64 bits hold 20; a number of many more digits may
	// still be followed by zeros.
	const digitsAtMost = 1000
	if d.Unscaled != nil && d.Unscaled.BitLen() > digitsAtMost*4 {
		return nil, 0, false
	}
	sign, digits, exponent := strip(d)
	if digits == "" {
		return new(big.Int), 0, true
	}
	if exponent >= 0 && int64(len(digits))+exponent <= 20 {
		n, _ = new(big.Int).SetString(sign+digits+strings.Repeat("0", int(exponent)), 10)
		if n.IsInt64() || n.IsUint64() {
			return n, 0, true
		}
	}
	f, err := strconv.ParseFloat(sign+digits+"e"+strconv.FormatInt(exponent, 10), 64)
	if err != nil || f == 0 || math.IsInf(f, 0) {
		return nil, 0, false
	}
	shown, err := java.ParseBigDecimal(string(javatext.AppendDouble(nil, f)))
	_, same, to := strip(shown)
	return nil, f, err == nil && same == digits && to == exponent
}

// strip returns a number as sign digits × 10^exponent, without zeros at the end of the
// digits.
func strip(d java.BigDecimal) (sign, digits string, exponent int64) {
	if d.Unscaled == nil || d.Unscaled.Sign() == 0 {
		return "", "", 0
	}
	all, negative := strings.CutPrefix(d.Unscaled.String(), "-")
	if negative {
		sign = "-"
	}
	digits = strings.TrimRight(all, "0")
	return sign, digits, int64(len(all)-len(digits)) - int64(d.Scale)
}

// shortDecimal is lowerDecimal for most decimals there are, those of up to 15 digits: a
// whole number n, or a fraction f. Each such fraction has a double of its own, which
// shows these digits; both numbers are exact and the quotient is rounded once.
func shortDecimal(d java.BigDecimal) (n int64, f float64, ok bool) {
	if d.Unscaled == nil || !d.Unscaled.IsInt64() || d.Scale < 0 || int(d.Scale) >= len(powers) {
		return 0, 0, false
	}
	n = d.Unscaled.Int64()
	if n <= -1e15 || n >= 1e15 {
		return 0, 0, false
	}
	q := float64(n) / powers[d.Scale]
	if q == math.Trunc(q) {
		return int64(q), 0, true
	}
	return 0, q, true
}

// powers are the powers of ten that are doubles.
var powers = func() (t [23]float64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = 10 * t[i-1]
	}
	return t
}()
