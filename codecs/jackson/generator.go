package jackson

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes JSON as Jackson does: without blanks.
type generator struct {
	out   []byte
	comma bool // something comes before the next value or key in its container
	raw   bool // code points above U+FFFF are not escaped, as in Jackson 3
	plain bool // a BigDecimal never has an exponent
}

var _ token.Fixed = (*generator)(nil)

func newGenerator(r *databind.Rules) token.Generator {
	return &generator{raw: r.Jackson == 3, plain: r.Jackson != 3}
}

func (g *generator) Begin(dst []byte) { g.out, g.comma = dst, false }

func (g *generator) End() []byte {
	out := g.out
	g.out = nil
	return out
}

func (g *generator) Len() int { return len(g.out) }

// value begins a value.
func (g *generator) value() {
	if g.comma {
		g.out = append(g.out, ',')
	}
	g.comma = true
}

func (g *generator) Null() {
	g.value()
	g.out = append(g.out, "null"...)
}

func (g *generator) Bool(v bool) {
	g.value()
	g.out = strconv.AppendBool(g.out, v)
}

func (g *generator) Int(n int64) {
	g.value()
	g.out = strconv.AppendInt(g.out, n, 10)
}

func (g *generator) Float32(f float32) {
	g.value()
	if f != f || math.IsInf(float64(f), 0) {
		g.out = append(javatext.AppendFloat(append(g.out, '"'), f), '"')
		return
	}
	g.out = javatext.AppendFloat(g.out, f)
}

func (g *generator) Float64(f float64) {
	g.value()
	if f != f || math.IsInf(f, 0) {
		g.out = append(javatext.AppendDouble(append(g.out, '"'), f), '"')
		return
	}
	g.out = javatext.AppendDouble(g.out, f)
}

func (g *generator) Big(n *big.Int) error {
	g.value()
	g.out = n.Append(g.out, 10)
	return nil
}

func (g *generator) Decimal(d java.BigDecimal) error {
	g.value()
	if !g.plain {
		g.out = append(g.out, d.String()...)
		return nil
	}
	out, ok := appendPlain(g.out, d)
	if !ok {
		return fmt.Errorf("BigDecimal of scale %d: Java writes it without exponent, up to a scale of %d", d.Scale, maxPlainScale)
	}
	g.out = out
	return nil
}

func (g *generator) String(s string) error {
	g.value()
	return g.quote(s)
}

func (g *generator) Bytes(b []byte) {
	g.value()
	g.out = append(base64.StdEncoding.AppendEncode(append(g.out, '"'), b), '"')
}

func (g *generator) Object(class string, _ int) error {
	g.value()
	if class == "" {
		g.out = append(g.out, '{')
		g.comma = false
		return nil
	}
	g.out = append(g.out, `{"@class":`...)
	return g.quote(class)
}

func (g *generator) Key(name string) error {
	g.value()
	g.comma = false
	err := g.quote(name)
	g.out = append(g.out, ':')
	return err
}

func (g *generator) IntKey(n int64) error {
	g.value()
	g.comma = false
	g.out = append(strconv.AppendInt(append(g.out, '"'), n, 10), '"', ':')
	return nil
}

func (g *generator) EndObject() {
	g.out = append(g.out, '}')
	g.comma = true
}

func (g *generator) Array(int) {
	g.value()
	g.out = append(g.out, '[')
	g.comma = false
}

func (g *generator) EndArray() {
	g.out = append(g.out, ']')
	g.comma = true
}

func (g *generator) Wrap(class string) error {
	g.value()
	g.out = append(g.out, '[')
	return g.quote(class)
}

func (g *generator) EndWrap() { g.EndArray() }

var errNotUTF8 = errors.New("not UTF-8: a Java String cannot hold it; carry bytes as []byte")

func (g *generator) quote(s string) error {
	out, ok := appendQuoted(g.out, s, g.raw)
	if !ok {
		return errNotUTF8
	}
	g.out = out
	return nil
}

// RenderKey, RenderObject and RenderWrap render without a generator's state.

func (g *generator) RenderKey(name string) (string, error) { return g.render("", name, ":") }

func (g *generator) RenderObject(class string) (string, error) {
	return g.render(`{"@class":`, class, "")
}

func (g *generator) RenderWrap(class string) (string, error) { return g.render("[", class, "") }

func (g *generator) render(before, text, after string) (string, error) {
	out, ok := appendQuoted([]byte(before), text, g.raw)
	if !ok {
		return "", errNotUTF8
	}
	return string(out) + after, nil
}

func (g *generator) FixedKey(rendered string) {
	g.value()
	g.comma = false
	g.out = append(g.out, rendered...)
}

func (g *generator) FixedObject(rendered string, _ int) { g.FixedWrap(rendered) }

func (g *generator) FixedWrap(rendered string) {
	g.value()
	g.out = append(g.out, rendered...)
}

// maxPlainScale bounds a BigDecimal's scale when it is written without an
// exponent, as Jackson does: 1E+999999999 would be a gigabyte of zeros.
const maxPlainScale = 9999

// appendPlain appends d as BigDecimal.toPlainString does; ok is false where
// that would take more than maxPlainScale zeros.
func appendPlain(dst []byte, d java.BigDecimal) (out []byte, ok bool) {
	if d.Scale > maxPlainScale || d.Scale < -maxPlainScale {
		return dst, false
	}
	var few [20]byte
	digits := few[:0]
	switch {
	case d.Unscaled == nil:
		digits = append(digits, '0')
	case d.Unscaled.IsInt64():
		digits = strconv.AppendInt(digits, d.Unscaled.Int64(), 10)
	default:
		digits = d.Unscaled.Append(digits, 10)
	}
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	scale := int(d.Scale)
	switch {
	case scale <= 0 && string(digits) == "0":
		return append(dst, '0'), true
	case scale <= 0:
		return appendZeros(append(dst, digits...), -scale), true
	case len(digits) <= scale:
		return append(appendZeros(append(dst, '0', '.'), scale-len(digits)), digits...), true
	}
	point := len(digits) - scale
	return append(append(append(dst, digits[:point]...), '.'), digits[point:]...), true
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
