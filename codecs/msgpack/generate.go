package msgpack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes what Java's MessagePackGenerator writes: the shortest heads, str
// for texts, bin for byte arrays, integers of any declared type in as few bytes as
// they take, positive ones unsigned, and never an extension type.
type generator struct{ token.Output }

var (
	_ token.Generator = (*generator)(nil)
	_ token.Fixed     = (*generator)(nil)
)

func newGenerator(*databind.Rules) token.Generator { return &generator{} }

func (g *generator) Null() { g.Out = append(g.Out, 0xc0) }

func (g *generator) Bool(v bool) {
	b := byte(0xc2)
	if v {
		b++
	}
	g.Out = append(g.Out, b)
}

func (g *generator) Int(n int64) {
	switch {
	case n >= 0:
		g.uint(uint64(n))
	case n >= -32:
		g.Out = append(g.Out, byte(n))
	case n >= math.MinInt8:
		g.Out = append(g.Out, 0xd0, byte(n))
	case n >= math.MinInt16:
		g.Out = binary.BigEndian.AppendUint16(append(g.Out, 0xd1), uint16(n))
	case n >= math.MinInt32:
		g.Out = binary.BigEndian.AppendUint32(append(g.Out, 0xd2), uint32(n))
	default:
		g.Out = binary.BigEndian.AppendUint64(append(g.Out, 0xd3), uint64(n))
	}
}

func (g *generator) uint(n uint64) {
	switch {
	case n > math.MaxUint32:
		g.Out = binary.BigEndian.AppendUint64(append(g.Out, 0xcf), n)
	case n <= math.MaxInt8:
		g.Out = append(g.Out, byte(n))
	default:
		g.size(0xcc, n)
	}
}

// size writes a number behind the code of its size, code for one byte.
func (g *generator) size(code byte, n uint64) {
	switch {
	case n <= math.MaxUint8:
		g.Out = append(g.Out, code, byte(n))
	case n <= math.MaxUint16:
		g.Out = binary.BigEndian.AppendUint16(append(g.Out, code+1), uint16(n))
	default:
		g.Out = binary.BigEndian.AppendUint32(append(g.Out, code+2), uint32(n))
	}
}

// container writes the head of a list or map of n; wide is the code for two bytes.
func (g *generator) container(short, wide byte, n int) {
	switch {
	case n < 16:
		g.Out = append(g.Out, short|byte(n))
	case n <= math.MaxUint16:
		g.Out = binary.BigEndian.AppendUint16(append(g.Out, wide), uint16(n))
	default:
		g.Out = binary.BigEndian.AppendUint32(append(g.Out, wide+1), uint32(n))
	}
}

func (g *generator) Float32(f float32) {
	g.Out = binary.BigEndian.AppendUint32(append(g.Out, 0xca), math.Float32bits(f))
}

func (g *generator) Float64(f float64) {
	g.Out = binary.BigEndian.AppendUint64(append(g.Out, 0xcb), math.Float64bits(token.JavaFloat64(f)))
}

// Big writes what fits 64 bits. There is no form for more, and Java throws.
func (g *generator) Big(n *big.Int) error {
	switch {
	case n.IsInt64():
		g.Int(n.Int64())
	case n.IsUint64():
		g.uint(n.Uint64())
	default:
		return fmt.Errorf("BigInteger of %d bits: MessagePack has integers of 64 bits, Java refuses more too", n.BitLen())
	}
	return nil
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
	if len(s) < 32 {
		g.Out = append(g.Out, 0xa0|byte(len(s)))
	} else {
		g.size(0xd9, uint64(len(s)))
	}
	g.Out = append(g.Out, s...)
	return nil
}

var errText = errors.New("not UTF-8: MessagePack text cannot hold it; carry bytes as []byte")

func (g *generator) Bytes(b []byte) {
	g.size(0xc4, uint64(len(b)))
	g.Out = append(g.Out, b...)
}

const typeKey = "\xa6@class"

func (g *generator) Object(class string, n int) error {
	if class == "" {
		g.container(0x80, 0xde, n)
		return nil
	}
	g.container(0x80, 0xde, n+1)
	g.Out = append(g.Out, typeKey...)
	return g.String(class)
}

func (g *generator) Key(name string) error { return g.String(name) }

// IntKey writes the digits: Java's generator has integer keys switched off.
func (g *generator) IntKey(n int64) error { return g.String(strconv.FormatInt(n, 10)) }

func (g *generator) EndObject() {}

func (g *generator) Array(n int) { g.container(0x90, 0xdc, n) }

func (g *generator) EndArray() {}

func (g *generator) Wrap(class string) error {
	g.Array(2)
	return g.String(class)
}

func (g *generator) EndWrap() {}

func (g *generator) FixedKey(rendered string) { g.Out = append(g.Out, rendered...) }

func (g *generator) FixedObject(rendered string, n int) {
	g.container(0x80, 0xde, n+1)
	g.Out = append(g.Out, rendered[1:]...)
}

func (g *generator) FixedWrap(rendered string) { g.FixedKey(rendered) }
