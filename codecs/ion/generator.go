package ion

import (
	"encoding/base64"
	"errors"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes Ion text as ion-java's writer does under Jackson's generator: no
// blanks, nothing but ASCII.
type generator struct {
	out   []byte
	comma bool // one stands between the last value and the next
	upper bool // the exponents of floats begin with E, not e
	// members says that classes are named as in JSON, {'@class':"class",…} and
	// ["class",…], not by annotations.
	members bool
}

var (
	_ token.Generator = (*generator)(nil)
	_ token.Fixed     = (*generator)(nil)
	_ token.Native    = (*generator)(nil)
)

// newGenerator returns a generator for the rules. The letter of exponents is that of
// ion-java, which changed it in 1.11.11: that came with Jackson 2.20.1.
func newGenerator(r *databind.Rules) token.Generator {
	before := func(first option.Release) bool {
		return r.Jackson == 2 && r.Release.Before(first)
	}
	return &generator{upper: before(lowerExponent), members: before(readsAnnotations)}
}

// lowerExponent is the first release of Redisson that names a Jackson whose Ion
// writes 1.0e21, not 1.0E21.
var lowerExponent = option.Release{4, 4, 0}

// readsAnnotations is the first release of Redisson whose Jackson, 2.12, reads the
// annotations of containers that it writes. Those before read classes as JSON names
// them, in all slots and of scalars too.
var readsAnnotations = option.Release{3, 16, 0}

const classKey = "@class"

func (g *generator) Begin(dst []byte) { g.out, g.comma = dst, false }

func (g *generator) End() []byte {
	out := g.out
	g.out = nil
	return out
}

func (g *generator) Len() int { return len(g.out) }

// next begins a value, key or annotation.
func (g *generator) next() {
	if g.comma {
		g.out = append(g.out, ',')
	}
	g.comma = true
}

func (g *generator) Null() {
	g.next()
	g.out = append(g.out, "null"...)
}

func (g *generator) Bool(v bool) {
	g.next()
	g.out = strconv.AppendBool(g.out, v)
}

func (g *generator) Int(n int64) {
	g.next()
	g.out = strconv.AppendInt(g.out, n, 10)
}

// Float32 writes the float64 of the same value, as Java does.
func (g *generator) Float32(f float32) { g.Float64(float64(f)) }

func (g *generator) Float64(f float64) {
	g.next()
	switch {
	case math.IsNaN(f):
		g.out = append(g.out, "nan"...)
		return
	case math.IsInf(f, 1):
		g.out = append(g.out, "+inf"...)
		return
	case math.IsInf(f, -1):
		g.out = append(g.out, "-inf"...)
		return
	}
	from := len(g.out)
	g.out = javatext.AppendDouble(g.out, f)
	for i := len(g.out) - 1; i >= from; i-- {
		if g.out[i] == 'E' {
			if !g.upper {
				g.out[i] = 'e'
			}
			return
		}
	}
	if n := len(g.out); g.out[n-2] == '.' && g.out[n-1] == '0' {
		g.out = g.out[:n-2]
	}
	g.out = append(g.out, "e0"...)
}

func (g *generator) Big(n *big.Int) error {
	g.next()
	g.out = n.Append(g.out, 10)
	return nil
}

// Decimal writes every digit and the scale: 12.30, 12., 1d3, 1d-7.
func (g *generator) Decimal(d java.BigDecimal) error {
	g.next()
	unscaled := d.Unscaled
	if unscaled == nil {
		unscaled = new(big.Int)
	}
	if unscaled.Sign() < 0 {
		g.out = append(g.out, '-')
	}
	digits := new(big.Int).Abs(unscaled).String()
	scale := int64(d.Scale)
	whole := int64(len(digits)) - scale
	switch {
	case scale == 0:
		g.out = append(append(g.out, digits...), '.')
	case scale < 0:
		g.out = strconv.AppendInt(append(append(g.out, digits...), 'd'), -scale, 10)
	case whole > 0:
		g.out = append(append(append(g.out, digits[:whole]...), '.'), digits[whole:]...)
	case whole > -6:
		g.out = append(append(append(g.out, "0."...), "00000"[:-whole]...), digits...)
	default:
		g.out = strconv.AppendInt(append(append(g.out, digits...), "d-"...), scale, 10)
	}
	return nil
}

// errText is why a text is refused. Java's codec fails on it too.
var errText = errors.New("not UTF-8, or half of a surrogate pair: Ion text cannot hold it")

func (g *generator) String(s string) error {
	g.next()
	var err error
	g.out, err = appendQuoted(g.out, s)
	return err
}

// Timestamp writes the milliseconds always, as Java does: 1970-01-01T00:00:00.000Z.
func (g *generator) Timestamp(millis int64) error {
	at := time.UnixMilli(millis).UTC()
	if at.Year() < 1 || at.Year() > 9999 {
		return errors.New("the timestamps of Ion hold the years 1 to 9999")
	}
	g.next()
	g.out = at.AppendFormat(g.out, "2006-01-02T15:04:05.000Z")
	return nil
}

func (g *generator) Symbol(name string) error {
	g.next()
	var err error
	g.out, err = appendSymbol(g.out, name)
	return err
}

func (g *generator) Bytes(b []byte) {
	g.next()
	g.out = append(g.out, "{{"...)
	g.out = base64.StdEncoding.AppendEncode(g.out, b)
	g.out = append(g.out, "}}"...)
}

// Object writes the type id as an annotation, or as the first member.
func (g *generator) Object(class string, _ int) error {
	g.next()
	g.comma = false
	var err error
	if class != "" {
		g.comma = g.members
		g.out, err = g.appendObject(g.out, class)
		return err
	}
	g.out = append(g.out, '{')
	return nil
}

// appendObject appends the beginning of an object of a class.
func (g *generator) appendObject(dst []byte, class string) ([]byte, error) {
	if !g.members {
		out, err := appendAnnotation(dst, class)
		return append(out, '{'), err
	}
	out, err := appendSymbol(append(dst, '{'), classKey)
	if err != nil {
		return out, err
	}
	return appendQuoted(append(out, ':'), class)
}

// appendWrap appends the beginning of a value beside which its class stands.
func (g *generator) appendWrap(dst []byte, class string) ([]byte, error) {
	if !g.members {
		return appendAnnotation(dst, class)
	}
	return appendQuoted(append(dst, '['), class)
}

func appendAnnotation(dst []byte, class string) ([]byte, error) {
	dst, err := appendSymbol(dst, class)
	return append(dst, "::"...), err
}

func appendQuoted(dst []byte, s string) ([]byte, error) {
	dst, ok := appendText(append(dst, '"'), s, '"')
	if !ok {
		return dst, errText
	}
	return append(dst, '"'), nil
}

func (g *generator) Key(name string) error {
	g.next()
	g.comma = false
	out, err := appendSymbol(g.out, name)
	g.out = append(out, ':')
	return err
}

// IntKey writes the number as a name, like every key of Ion.
func (g *generator) IntKey(n int64) error { return g.Key(strconv.FormatInt(n, 10)) }

func (g *generator) EndObject() {
	g.out = append(g.out, '}')
	g.comma = true
}

func (g *generator) Array(int) {
	g.next()
	g.comma = false
	g.out = append(g.out, '[')
}

func (g *generator) EndArray() {
	g.out = append(g.out, ']')
	g.comma = true
}

// Wrap writes the type id as an annotation of the value that comes next, or as the
// first of two elements.
func (g *generator) Wrap(class string) error {
	g.next()
	g.comma = g.members
	var err error
	g.out, err = g.appendWrap(g.out, class)
	return err
}

func (g *generator) EndWrap() {
	if g.members {
		g.EndArray()
	}
}

func (g *generator) RenderKey(name string) (string, error) {
	b, err := appendSymbol(nil, name)
	return string(b) + ":", err
}

func (g *generator) RenderObject(class string) (string, error) {
	b, err := g.appendObject(nil, class)
	return string(b), err
}

func (g *generator) RenderWrap(class string) (string, error) {
	b, err := g.appendWrap(nil, class)
	return string(b), err
}

func (g *generator) fixed(rendered string) {
	g.next()
	g.comma = false
	g.out = append(g.out, rendered...)
}

func (g *generator) FixedKey(rendered string) { g.fixed(rendered) }

func (g *generator) FixedObject(rendered string, _ int) {
	g.fixed(rendered)
	g.comma = g.members
}

func (g *generator) FixedWrap(rendered string) {
	g.fixed(rendered)
	g.comma = g.members
}
