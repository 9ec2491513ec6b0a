package msgpack

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"unicode/utf8"

	lib "github.com/vmihailenco/msgpack/v5"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes what Java's MessagePackGenerator writes: the shortest heads, str
// for texts, bin for byte arrays, integers of any declared type in as few bytes as
// they take, positive ones unsigned, and never an extension type.
//
// The library's errors are those of its writer, which is an append here.
type generator struct {
	out []byte
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
	g.out = append(g.out, p...)
	return len(p), nil
}

// WriteByte appends c: the library writes here.
func (g *generator) WriteByte(c byte) error {
	g.out = append(g.out, c)
	return nil
}

func (g *generator) Begin(dst []byte) { g.out = dst }

func (g *generator) End() []byte {
	out := g.out
	g.out = nil
	return out
}

func (g *generator) Len() int { return len(g.out) }

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
			return g.enc.EncodeFloat64(f)
		}
		return g.enc.EncodeInt(n)
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
	g.out = append(g.out, b...)
}

const typeKey = "@class"

func (g *generator) Object(class string, n int) error {
	if class == "" {
		return g.enc.EncodeMapLen(n)
	}
	if err := g.enc.EncodeMapLen(n + 1); err != nil {
		return err
	}
	if err := g.enc.EncodeString(typeKey); err != nil {
		return err
	}
	return g.String(class)
}

func (g *generator) Key(name string) error { return g.String(name) }

// IntKey writes the digits: Java's generator has integer keys switched off.
func (g *generator) IntKey(n int64) error { return g.enc.EncodeString(strconv.FormatInt(n, 10)) }

func (g *generator) EndObject() {}

func (g *generator) Array(n int) { _ = g.enc.EncodeArrayLen(n) }

func (g *generator) EndArray() {}

func (g *generator) Wrap(class string) error {
	g.Array(2)
	return g.String(class)
}

func (g *generator) EndWrap() {}

// render returns what write appends.
func (g *generator) render(write func() error) (string, error) {
	kept := g.out
	g.out = nil
	err := write()
	rendered := string(g.out)
	g.out = kept
	return rendered, err
}

func (g *generator) RenderKey(name string) (string, error) {
	return g.render(func() error { return g.Key(name) })
}

func (g *generator) RenderObject(class string) (string, error) {
	return g.render(func() error {
		_ = g.enc.EncodeString(typeKey)
		return g.String(class)
	})
}

func (g *generator) RenderWrap(class string) (string, error) {
	return g.render(func() error { return g.Wrap(class) })
}

func (g *generator) FixedKey(rendered string) { g.out = append(g.out, rendered...) }

func (g *generator) FixedObject(rendered string, n int) {
	_ = g.enc.EncodeMapLen(n + 1)
	g.out = append(g.out, rendered...)
}

func (g *generator) FixedWrap(rendered string) { g.out = append(g.out, rendered...) }
