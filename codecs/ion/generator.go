package ion

import (
	"encoding/base64"
	"errors"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes Ion text as ion-java's writer does under Jackson's generator: no
// blanks, nothing but ASCII.
type generator struct {
	token.TextOutput
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

// Float32 writes the float64 of the same value, as Java does.
func (g *generator) Float32(f float32) { g.Float64(float64(f)) }

func (g *generator) Float64(f float64) {
	g.Next()
	switch {
	case math.IsNaN(f):
		g.Out = append(g.Out, "nan"...)
		return
	case math.IsInf(f, 1):
		g.Out = append(g.Out, "+inf"...)
		return
	case math.IsInf(f, -1):
		g.Out = append(g.Out, "-inf"...)
		return
	}
	from := len(g.Out)
	g.Out = javatext.AppendDouble(g.Out, f)
	for i := len(g.Out) - 1; i >= from; i-- {
		if g.Out[i] == 'E' {
			if !g.upper {
				g.Out[i] = 'e'
			}
			return
		}
	}
	if n := len(g.Out); g.Out[n-2] == '.' && g.Out[n-1] == '0' {
		g.Out = g.Out[:n-2]
	}
	g.Out = append(g.Out, "e0"...)
}

// Decimal writes every digit and the scale: 12.30, 12., 1d3, 1d-7.
func (g *generator) Decimal(d java.BigDecimal) error {
	g.Next()
	unscaled := d.Unscaled
	if unscaled == nil {
		unscaled = new(big.Int)
	}
	if unscaled.Sign() < 0 {
		g.Out = append(g.Out, '-')
	}
	digits := new(big.Int).Abs(unscaled).String()
	scale := int64(d.Scale)
	whole := int64(len(digits)) - scale
	switch {
	case scale == 0:
		g.Out = append(append(g.Out, digits...), '.')
	case scale < 0:
		g.Out = strconv.AppendInt(append(append(g.Out, digits...), 'd'), -scale, 10)
	case whole > 0:
		g.Out = append(append(append(g.Out, digits[:whole]...), '.'), digits[whole:]...)
	case whole > -6:
		g.Out = append(append(append(g.Out, "0."...), "00000"[:-whole]...), digits...)
	default:
		g.Out = strconv.AppendInt(append(append(g.Out, digits...), "d-"...), scale, 10)
	}
	return nil
}

// errText is why a text is refused. Java's codec fails on it too.
var errText = errors.New("not UTF-8, or half of a surrogate pair: Ion text cannot hold it")

func (g *generator) String(s string) error {
	g.Next()
	var err error
	g.Out, err = appendQuoted(g.Out, s)
	return err
}

// Timestamp writes the milliseconds always, as Java does: 1970-01-01T00:00:00.000Z.
func (g *generator) Timestamp(millis int64) error {
	at := time.UnixMilli(millis).UTC()
	if at.Year() < 1 || at.Year() > 9999 {
		return errors.New("the timestamps of Ion hold the years 1 to 9999")
	}
	g.Next()
	g.Out = at.AppendFormat(g.Out, "2006-01-02T15:04:05.000Z")
	return nil
}

// versionMarker is what begins an Ion stream.
var versionMarker = regexp.MustCompile(`^\$ion_[0-9]+_[0-9]+$`)

func (g *generator) Symbol(name string) error {
	if len(g.Out) == 0 && versionMarker.MatchString(name) {
		return errors.New("a symbol alone that Ion reads as its version")
	}
	g.Next()
	var err error
	g.Out, err = appendSymbol(g.Out, name)
	return err
}

func (g *generator) Bytes(b []byte) {
	g.Next()
	g.Out = append(g.Out, "{{"...)
	g.Out = base64.StdEncoding.AppendEncode(g.Out, b)
	g.Out = append(g.Out, "}}"...)
}

// Object writes the type id as an annotation, or as the first member.
func (g *generator) Object(class string, _ int) error {
	g.Next()
	g.Comma = class != "" && g.members
	var err error
	switch {
	case class == "":
	case g.members:
		g.Out, err = appendQuoted(append(g.Out, "{'@class':"...), class)
		return err
	default:
		g.Out, err = appendAnnotation(g.Out, class)
	}
	g.Out = append(g.Out, '{')
	return err
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
	g.Next()
	g.Comma = false
	out, err := appendSymbol(g.Out, name)
	g.Out = append(out, ':')
	return err
}

// IntKey writes the number as a name, like every key of Ion.
func (g *generator) IntKey(n int64) error { return g.Key(strconv.FormatInt(n, 10)) }

// Wrap writes the type id as an annotation of the value that comes next, or as the
// first of two elements.
func (g *generator) Wrap(class string) error {
	g.Next()
	g.Comma = g.members
	var err error
	if g.members {
		g.Out, err = appendQuoted(append(g.Out, '['), class)
	} else {
		g.Out, err = appendAnnotation(g.Out, class)
	}
	return err
}

func (g *generator) EndWrap() {
	if g.members {
		g.EndArray()
	}
}

func (g *generator) FixedObject(rendered string, _ int) { g.FixedWrap(rendered) }

func (g *generator) FixedWrap(rendered string) {
	g.FixedKey(rendered)
	g.Comma = g.members
}

const lowerHex = "0123456789abcdef"

// appendText appends s, which stands between quotes q, as ion-java's ASCII writer
// does. ok is false where s is not UTF-8.
func appendText(dst []byte, s string, q byte) (out []byte, ok bool) {
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7F && c != q && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[done:i]...)
		if c < utf8.RuneSelf {
			dst = appendEscape(dst, c)
			i++
		} else {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				return dst, false
			}
			dst = appendRune(dst, r)
			i += n
		}
		done = i
	}
	return append(dst, s[done:]...), true
}

// letters are those that stand behind a backslash for characters of ASCII.
var letters = [utf8.RuneSelf]byte{
	0: '0', '\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '\\': '\\', '"': '"', '\'': '\'',
}

// appendEscape appends a character of ASCII that cannot stand for itself.
func appendEscape(dst []byte, c byte) []byte {
	if letter := letters[c]; letter != 0 {
		return append(dst, '\\', letter)
	}
	return append(dst, '\\', 'x', lowerHex[c>>4], lowerHex[c&15])
}

// appendRune appends a code point beyond ASCII: \xe9, \u4e2d, \U0001f600.
func appendRune(dst []byte, r rune) []byte {
	letter, shift := byte('U'), 28
	switch {
	case r <= 0xFF:
		letter, shift = 'x', 4
	case r <= 0xFFFF:
		letter, shift = 'u', 12
	}
	dst = append(dst, '\\', letter)
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, lowerHex[r>>shift&15])
	}
	return dst
}

// appendSymbol appends a field name or annotation, in quotes unless it is an
// identifier.
func appendSymbol(dst []byte, name string) ([]byte, error) {
	if isIdentifier(name) {
		return append(dst, name...), nil
	}
	out, ok := appendText(append(dst, '\''), name, '\'')
	if !ok {
		return dst, errText
	}
	return append(out, '\''), nil
}

// isIdentifier reports whether a name needs no quotes: letters, digits, _ and $, no
// keyword, and not the number of a symbol, $10.
func isIdentifier(name string) bool {
	switch name {
	case "", "true", "false", "null", "nan":
		return false
	}
	if isDigit(name[0]) {
		return false
	}
	digits := name[0] == '$' && len(name) > 1
	for i := range len(name) {
		if class[name[i]]&(letter|digit) == 0 {
			return false
		}
		digits = digits && (i == 0 || isDigit(name[i]))
	}
	return !digits
}
