package jackson

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes JSON as Jackson does: without blanks.
type generator struct {
	token.TextOutput
	raw              bool   // code points above U+FFFF are not escaped, as in Jackson 3
	plain            bool   // a BigDecimal never has an exponent
	class            string // how an object begins that names its class, up to the name
	wraps            bool   // a wrapper names it
	open, after, end byte   // of a wrapper: what stands before its class, before the value and at the end
	named            []bool // of the objects that are open, whether a wrapper is around them; with wraps
}

var _ token.Fixed = (*generator)(nil)

func newGenerator(r *databind.Rules) token.Generator {
	g := &generator{raw: r.Jackson == 3, plain: r.Jackson != 3, wraps: r.ClassKey() == "", class: "[", open: '[', after: ',', end: ']'}
	if r.WrapsInObjects() {
		g.class, g.open, g.after, g.end = "{", '{', ':', '}'
	}
	if !g.wraps {
		name, _ := appendQuoted([]byte("{"), r.ClassKey(), g.raw)
		g.class = string(name) + ":"
	}
	return g
}

func (g *generator) Float32(f float32) {
	g.Next()
	if f != f || math.IsInf(float64(f), 0) {
		g.Out = append(javatext.AppendFloat(append(g.Out, '"'), f), '"')
		return
	}
	g.Out = javatext.AppendFloat(g.Out, f)
}

func (g *generator) Float64(f float64) {
	g.Next()
	if f != f || math.IsInf(f, 0) {
		g.Out = append(javatext.AppendDouble(append(g.Out, '"'), f), '"')
		return
	}
	g.Out = javatext.AppendDouble(g.Out, f)
}

func (g *generator) Decimal(d java.BigDecimal) error {
	g.Next()
	if !g.plain {
		g.Out = append(g.Out, d.String()...)
		return nil
	}
	out, ok := appendPlain(g.Out, d)
	if !ok {
		return fmt.Errorf("BigDecimal of scale %d: Java writes it without exponent, up to a scale of %d", d.Scale, maxPlainScale)
	}
	g.Out = out
	return nil
}

func (g *generator) String(s string) error {
	g.Next()
	return g.quote(s)
}

func (g *generator) Bytes(b []byte) {
	g.Next()
	g.Out = append(base64.StdEncoding.AppendEncode(append(g.Out, '"'), b), '"')
}

// Begin implements [token.Generator].
func (g *generator) Begin(dst []byte) {
	g.TextOutput.Begin(dst)
	g.named = g.named[:0]
}

func (g *generator) Object(class string, _ int) error {
	g.Next()
	if g.wraps {
		g.named = append(g.named, class != "")
	}
	if class == "" {
		g.Out = append(g.Out, '{')
		g.Comma = false
		return nil
	}
	g.Out = append(g.Out, g.class...)
	err := g.quote(class)
	if g.wraps {
		g.Out, g.Comma = append(g.Out, g.after, '{'), false
	}
	return err
}

// EndObject implements [token.Generator].
func (g *generator) EndObject() {
	g.TextOutput.EndObject()
	if !g.wraps {
		return
	}
	last := len(g.named) - 1
	if g.named[last] {
		g.EndWrap()
	}
	g.named = g.named[:last]
}

func (g *generator) Key(name string) error {
	g.Next()
	g.Comma = false
	err := g.quote(name)
	g.Out = append(g.Out, ':')
	return err
}

func (g *generator) IntKey(n int64) error {
	g.Next()
	g.Comma = false
	g.Out = append(strconv.AppendInt(append(g.Out, '"'), n, 10), '"', ':')
	return nil
}

func (g *generator) Wrap(class string) error {
	g.Next()
	g.Out, g.Comma = append(g.Out, g.open), false
	err := g.quote(class)
	g.Out = append(g.Out, g.after)
	return err
}

func (g *generator) EndWrap() { g.Out, g.Comma = append(g.Out, g.end), true }

var errNotUTF8 = errors.New("not UTF-8: a Java String cannot hold it; carry bytes as []byte")

func (g *generator) quote(s string) error {
	out, ok := appendQuoted(g.Out, s, g.raw)
	if !ok {
		return errNotUTF8
	}
	g.Out = out
	return nil
}

func (g *generator) FixedObject(rendered string, _ int) {
	g.FixedWrap(rendered)
	if g.wraps {
		g.named = append(g.named, true)
	} else {
		g.Comma = true
	}
}

func (g *generator) FixedWrap(rendered string) {
	g.Next()
	g.Out, g.Comma = append(g.Out, rendered...), false
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

const upperHex = "0123456789ABCDEF"

// appendQuoted appends s as Jackson writes it: control characters escaped
// with upper-case digits, code points above U+FFFF, unless raw is set, as an escaped pair of
// surrogates, everything else as it is, also / < > & and U+2028. ok is false
// where s is neither UTF-8 nor a lone surrogate in its three bytes.
func appendQuoted(dst []byte, s string, raw bool) (out []byte, ok bool) {
	out = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := javatext.DecodeRune(s[i:])
			if r == utf8.RuneError && n <= 1 {
				return dst, false
			}
			if r > 0xFFFF && !raw || r >= 0xD800 && r < 0xE000 {
				out = appendEscaped(append(out, s[done:i]...), r)
				done = i + n
			}
			i += n
			continue
		}
		i++
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		out = append(out, s[done:i-1]...)
		done = i
		out = appendControl(out, c)
	}
	return append(append(out, s[done:]...), '"'), true
}

func appendControl(out []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\b':
		return append(out, '\\', 'b')
	case '\f':
		return append(out, '\\', 'f')
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	return appendUnicode(out, uint16(c))
}

func appendEscaped(out []byte, r rune) []byte {
	if r <= 0xFFFF {
		return appendUnicode(out, uint16(r))
	}
	r -= 0x10000
	out = appendUnicode(out, 0xD800|uint16(r>>10))
	return appendUnicode(out, 0xDC00|uint16(r&0x3FF))
}

func appendUnicode(out []byte, u uint16) []byte {
	return append(out, '\\', 'u', upperHex[u>>12], upperHex[u>>8&15], upperHex[u>>4&15], upperHex[u&15])
}
