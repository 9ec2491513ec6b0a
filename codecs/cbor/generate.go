package cbor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes what Java's CBORGenerator writes: maps and the arrays of typed
// values up to a break, other arrays with their length, heads in their shortest form
// but for what older releases did.
type generator struct {
	token.Output
	rules *databind.Rules
	// wrapped is where the value of the wrapper opened last begins: an array there
	// is indefinite.
	wrapped int
	breaks  []bool // open arrays: a break ends them
	mapKeys []bool // open objects: keys are those of a map

	wideLongs bool // beyond an int in nine bytes
	fullHeads bool // texts of 23 and 255 bytes with one byte more
	wrongSign bool // of a BigDecimal's exponent
}

var (
	_ token.Generator = (*generator)(nil)
	_ token.Fixed     = (*generator)(nil)
)

func newGenerator(r *databind.Rules) token.Generator {
	return &generator{
		rules:     r,
		wrapped:   -1,
		wideLongs: r.Release.Before(option.Release{3, 13, 3}), // Jackson 2.10 and older
		fullHeads: r.Release.Before(option.Release{3, 11, 0}), // Jackson 2.9.8 and older
		wrongSign: wrongSign(r),
	}
}

// wrongSign reports whether Java writes and reads the exponent of a BigDecimal with
// the wrong sign (Jackson 2.9).
func wrongSign(r *databind.Rules) bool { return r.Release.Before(option.Release{3, 11, 6}) }

func (g *generator) Begin(dst []byte) {
	g.Out, g.wrapped, g.breaks, g.mapKeys = dst, -1, g.breaks[:0], g.mapKeys[:0]
}

// head appends a head in its shortest form.
func (g *generator) head(major byte, n uint64) {
	switch {
	case n < 24:
		g.Out = append(g.Out, major|byte(n))
	case n <= math.MaxUint8:
		g.Out = append(g.Out, major|24, byte(n))
	case n <= math.MaxUint16:
		g.Out = binary.BigEndian.AppendUint16(append(g.Out, major|25), uint16(n))
	case n <= math.MaxUint32:
		g.Out = binary.BigEndian.AppendUint32(append(g.Out, major|26), uint32(n))
	default:
		g.wide(major, n)
	}
}

// wide appends a head of nine bytes.
func (g *generator) wide(major byte, n uint64) {
	g.Out = binary.BigEndian.AppendUint64(append(g.Out, major|27), n)
}

// split returns the major type and argument of an integer.
func split(n int64) (major byte, arg uint64) {
	if n < 0 {
		return majorNegative, uint64(^n) // not negative
	}
	return majorUint, uint64(n)
}

func (g *generator) Null() { g.Out = append(g.Out, majorSimple|22) }

func (g *generator) Bool(v bool) {
	b := majorSimple | 20
	if v {
		b++
	}
	g.Out = append(g.Out, b)
}

func (g *generator) Int(n int64) {
	major, arg := split(n)
	if g.wideLongs && int64(int32(n)) != n {
		g.wide(major, arg)
		return
	}
	g.head(major, arg)
}

func (g *generator) Float32(f float32) {
	g.Out = binary.BigEndian.AppendUint32(append(g.Out, majorSimple|26), math.Float32bits(f))
}

func (g *generator) Float64(f float64) {
	g.Out = binary.BigEndian.AppendUint64(append(g.Out, majorSimple|27), math.Float64bits(token.JavaFloat64(f)))
}

// Big writes a BigInteger, however small: a tag and the bytes of BigInteger's
// toByteArray, which begin with a zero byte where the highest bit were set.
func (g *generator) Big(n *big.Int) error {
	tag, magnitude := byte(tagPositive), n
	if n.Sign() < 0 {
		tag = tagNegative
		if g.rules.Jackson == 3 {
			magnitude = new(big.Int).Not(n)
		}
	}
	size := magnitude.BitLen()/8 + 1
	if size > maxBignum {
		return fmt.Errorf("BigInteger of %d bytes: Java reads at most %d", size, maxBignum)
	}
	g.Out = append(g.Out, majorTag|tag)
	g.head(majorBytes, uint64(size)) // bounded
	b := magnitude.Bytes()
	if len(b) < size {
		g.Out = append(g.Out, 0)
	}
	g.Out = append(g.Out, b...)
	return nil
}

// Decimal writes tag 4, exponent and mantissa.
func (g *generator) Decimal(d java.BigDecimal) error {
	exponent := -d.Scale
	if g.wrongSign {
		exponent = d.Scale
	}
	if d.Scale == math.MinInt32 || exponent == math.MinInt32 {
		return fmt.Errorf("BigDecimal of scale %d: Java writes another one", d.Scale)
	}
	unscaled := d.Unscaled
	if unscaled == nil {
		unscaled = new(big.Int)
	}
	g.Out = append(g.Out, majorTag|tagDecimal, majorArray|2)
	g.head(split(int64(exponent)))
	if !unscaled.IsInt64() {
		return g.Big(unscaled)
	}
	n := unscaled.Int64()
	major, arg := split(n)
	if int64(int32(n)) != n {
		g.wide(major, arg)
		return nil
	}
	g.head(major, arg)
	return nil
}

var errText = errors.New("not UTF-8: a Java String cannot hold it; carry bytes as []byte")

// chunkUnits is how many chars Java writes at once: a quarter of the generator's
// buffer of 16,000, less 4.
const chunkUnits = 16000/4 - 4

// String writes a text, in chunks if it is long. Java refuses a lone surrogate.
func (g *generator) String(s string) error {
	if !utf8.ValidString(s) {
		return errText
	}
	n := cut(s)
	if n == len(s) {
		g.text(s)
		return nil
	}
	g.Out = append(g.Out, majorText|indefinite)
	for ; len(s) > 0; n = cut(s) {
		g.text(s[:n])
		s = s[n:]
	}
	g.Out = append(g.Out, breakByte)
	return nil
}

func (g *generator) text(s string) {
	n := uint64(len(s))
	switch {
	case g.fullHeads && n == 23:
		g.Out = append(g.Out, majorText|24, 23)
	case g.fullHeads && n == 255:
		g.Out = append(g.Out, majorText|25, 0, 255)
	default:
		g.head(majorText, n)
	}
	g.Out = append(g.Out, s...)
}

// cut returns the length of the first chunk of s, which does not part surrogates.
func cut(s string) int {
	if len(s) <= chunkUnits {
		return len(s)
	}
	units := 0
	for i, c := range s {
		if units++; c > 0xFFFF {
			units++
		}
		if units > chunkUnits {
			return i
		}
	}
	return len(s)
}

func (g *generator) Bytes(b []byte) {
	g.head(majorBytes, uint64(len(b)))
	g.Out = append(g.Out, b...)
}

const typeKey = "\x66@class"

func (g *generator) Object(class string, _ int) error {
	g.Out = append(g.Out, majorMap|indefinite)
	g.mapKeys = append(g.mapKeys, class == "" || ofJDK(class))
	if class == "" {
		return nil
	}
	g.Out = append(g.Out, typeKey...)
	return g.String(class)
}

// ofJDK reports whether a class is one of the JDK's: an object of such a one is a map.
func ofJDK(class string) bool { return strings.HasPrefix(class, "java.") }

// Key writes the key of a map as a text. The name of a property of a bean has its
// shortest form in all releases and is never in chunks.
func (g *generator) Key(name string) error {
	if n := len(g.mapKeys); n > 0 && g.mapKeys[n-1] {
		return g.String(name)
	}
	return g.property(name)
}

func (g *generator) property(name string) error {
	if !utf8.ValidString(name) {
		return errText
	}
	g.head(majorText, uint64(len(name)))
	g.Out = append(g.Out, name...)
	return nil
}

func (g *generator) IntKey(n int64) error {
	g.Int(n)
	return nil
}

func (g *generator) EndObject() {
	g.mapKeys = g.mapKeys[:len(g.mapKeys)-1]
	g.Out = append(g.Out, breakByte)
}

func (g *generator) Array(n int) {
	if len(g.Out) == g.wrapped {
		g.OpenArray()
		return
	}
	g.head(majorArray, uint64(n)) // a count
	g.breaks = append(g.breaks, false)
}

// OpenArray begins an array without a count.
func (g *generator) OpenArray() {
	g.Out = append(g.Out, majorArray|indefinite)
	g.breaks = append(g.breaks, true)
}

func (g *generator) EndArray() {
	top := len(g.breaks) - 1
	if g.breaks[top] {
		g.Out = append(g.Out, breakByte)
	}
	g.breaks = g.breaks[:top]
}

func (g *generator) Wrap(class string) error {
	g.Out = append(g.Out, majorArray|indefinite)
	err := g.String(class)
	g.wrapped = len(g.Out)
	return err
}

func (g *generator) EndWrap() { g.Out = append(g.Out, breakByte) }

func (g *generator) FixedKey(rendered string) { g.Out = append(g.Out, rendered...) }

func (g *generator) FixedObject(rendered string, _ int) {
	class := rendered[1+len(typeKey):] // behind a head of one or two bytes
	g.mapKeys = append(g.mapKeys, ofJDK(class[1:]) || ofJDK(class[min(2, len(class)):]))
	g.Out = append(g.Out, rendered...)
}

func (g *generator) FixedWrap(rendered string) {
	g.Out = append(g.Out, rendered...)
	g.wrapped = len(g.Out)
}
