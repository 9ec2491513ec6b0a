package smile

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generator writes Smile byte by byte as Jackson's SmileGenerator does.
type generator struct {
	token.Output
	flags  byte // of the header
	names  table
	values table
	// signed says that the spare bits of a negative Float are set: Jackson up to
	// 2.18.
	signed bool
	not    big.Int
	buf    []byte
}

// classKey is the name of the member that names the class of an object.
const classKey = "@class"

func newGenerator(flags byte, signed bool) *generator {
	return &generator{flags: flags, signed: signed}
}

func (g *generator) Begin(dst []byte) {
	g.Out = append(append(dst, headerText...), g.flags)
	g.names.reset()
	g.values.reset()
}

func (g *generator) Null() { g.Out = append(g.Out, byteNull) }

func (g *generator) Bool(v bool) {
	c := byte(byteFalse)
	if v {
		c = byteTrue
	}
	g.Out = append(g.Out, c)
}

func (g *generator) Int(n int64) {
	u := zigzag(n)
	switch {
	case u < 32:
		g.Out = append(g.Out, baseSmall+byte(u))
	case n >= math.MinInt32 && n <= math.MaxInt32:
		g.Out = appendVint(append(g.Out, byteInt), u)
	default:
		g.Out = appendVint(append(g.Out, byteLong), u)
	}
}

// appendVint appends u, seven bits in each byte, six and the highest bit in the last.
func appendVint(dst []byte, u uint64) []byte {
	var b [10]byte
	i := len(b) - 1
	b[i] = 0x80 | byte(u&0x3F)
	for u >>= 6; u > 0; u >>= 7 {
		i--
		b[i] = byte(u & 0x7F)
	}
	return append(dst, b[i:]...)
}

func (g *generator) Float32(f float32) {
	u := math.Float32bits(f)
	top := byte(u >> 28)
	if g.signed && top >= 8 {
		top |= 0x70
	}
	g.Out = append(g.Out, byteFloat, top, byte(u>>21&0x7F), byte(u>>14&0x7F), byte(u>>7&0x7F), byte(u&0x7F))
}

func (g *generator) Float64(f float64) {
	u := math.Float64bits(token.JavaFloat64(f))
	g.Out = append(g.Out, byteDouble, byte(u>>63), byte(u>>56&0x7F), byte(u>>49&0x7F), byte(u>>42&0x7F), byte(u>>35&0x7F),
		byte(u>>28&0x7F), byte(u>>21&0x7F), byte(u>>14&0x7F), byte(u>>7&0x7F), byte(u&0x7F))
}

func (g *generator) Big(n *big.Int) error {
	if err := g.complement(n); err != nil {
		return err
	}
	g.Out = append(g.Out, byteBig)
	g.pack(g.buf)
	return nil
}

func (g *generator) Decimal(d java.BigDecimal) error {
	unscaled := d.Unscaled
	if unscaled == nil {
		unscaled = new(big.Int)
	}
	scale := uint32(zigzag(int64(d.Scale)))
	if scale > math.MaxInt32 {
		// Java would write bytes that it does not read.
		return fmt.Errorf("a BigDecimal of scale %d: Smile carries -2^30 to 2^30-1", d.Scale)
	}
	if err := g.complement(unscaled); err != nil {
		return err
	}
	g.Out = appendVint(append(g.Out, byteDecimal), uint64(scale))
	g.pack(g.buf)
	return nil
}

// complement sets buf to n in two's complement, as short as can be.
func (g *generator) complement(n *big.Int) error {
	magnitude, mask := n, byte(0)
	if n.Sign() < 0 {
		magnitude, mask = g.not.Not(n), 0xFF
	}
	size := magnitude.BitLen()/8 + 1
	if size > maxNumberBytes {
		return fmt.Errorf("a number of %d bytes: Jackson reads at most %d", size, maxNumberBytes)
	}
	if cap(g.buf) < size {
		g.buf = make([]byte, 0, size+32)
	}
	g.buf = magnitude.FillBytes(g.buf[:size])
	for i := range g.buf {
		g.buf[i] ^= mask
	}
	return nil
}

func (g *generator) Bytes(b []byte) {
	if g.flags&flagRaw != 0 {
		g.Out = append(appendVint(append(g.Out, byteRaw), uint64(len(b))), b...)
		return
	}
	g.Out = append(g.Out, byteBinary)
	g.pack(b)
}

// pack writes the length of b and its bits, seven in each byte.
func (g *generator) pack(b []byte) {
	out := appendVint(g.Out, uint64(len(b)))
	for ; len(b) >= 7; b = b[7:] {
		x := uint64(b[0])<<48 | uint64(b[1])<<40 | uint64(b[2])<<32 | uint64(b[3])<<24 | uint64(b[4])<<16 | uint64(b[5])<<8 | uint64(b[6])
		out = append(out, byte(x>>49&0x7F), byte(x>>42&0x7F), byte(x>>35&0x7F), byte(x>>28&0x7F),
			byte(x>>21&0x7F), byte(x>>14&0x7F), byte(x>>7&0x7F), byte(x&0x7F))
	}
	if n := len(b); n > 0 {
		var x uint64
		for _, c := range b {
			x = x<<8 | uint64(c)
		}
		for i := n; i > 0; i-- {
			out = append(out, byte(x>>(n+7*(i-1))&0x7F))
		}
		out = append(out, byte(x)&(1<<n-1))
	}
	g.Out = out
}

func (g *generator) String(s string) error {
	ascii := isASCII(s)
	if !ascii {
		if err := checkText(s); err != nil {
			return err
		}
	}
	n := len(s)
	switch {
	case n == 0:
		g.Out = append(g.Out, byteEmpty)
	case n > maxShortText:
		c := byte(byteLongUTF8)
		if ascii && n <= maxLongASCII {
			c = byteLongASCII
		}
		g.Out = append(append(append(g.Out, c), s...), byteEndText)
	default:
		if g.flags&flagValues != 0 {
			h := hash(s)
			if i := g.values.find(g.Out, s, h); i >= 0 {
				g.sharedValue(i)
				return nil
			}
			g.values.add(g.Out, len(g.Out)+1, s, h)
		}
		c := baseUTF8 + byte(n) - 2
		if ascii {
			c = baseASCII + byte(n) - 1
		}
		g.Out = append(append(g.Out, c), s...)
	}
	return nil
}

func (g *generator) sharedValue(i int) {
	if i < lastNearValue {
		g.Out = append(g.Out, byte(i)+1)
		return
	}
	g.Out = append(g.Out, baseFarValue+byte(i>>8), byte(i))
}

// checkText returns an error for a text that Java does not write.
func checkText(s string) error {
	if utf8.ValidString(s) {
		return nil
	}
	if _, wrong := javatext.AppendText(nil, []byte(s)); wrong < 0 {
		return errors.New("a lone surrogate: Java refuses to write it as Smile")
	}
	return errors.New("not UTF-8: a Java String cannot hold it")
}

func (g *generator) Key(name string) error {
	ascii := isASCII(name)
	if !ascii {
		if err := checkText(name); err != nil {
			return err
		}
	}
	n := len(name)
	if n == 0 {
		g.Out = append(g.Out, byteEmpty)
		return nil
	}
	if g.flags&flagNames != 0 {
		h := hash(name)
		if i := g.names.find(g.Out, name, h); i >= 0 {
			g.sharedName(i)
			return nil
		}
		g.names.add(g.Out, len(g.Out)+1, name, h)
	}
	switch {
	case ascii && n <= maxShortText:
		g.Out = append(append(g.Out, baseASCIIName+byte(n)-1), name...)
	case !ascii && n <= maxShortUTF8Name:
		g.Out = append(append(g.Out, baseUTF8Name+byte(n)-2), name...)
	default:
		g.Out = append(append(append(g.Out, byteLongName), name...), byteEndText)
	}
	return nil
}

func (g *generator) sharedName(i int) {
	if i < baseASCIIName-baseNearName {
		g.Out = append(g.Out, baseNearName+byte(i))
		return
	}
	g.Out = append(g.Out, baseFarName+byte(i>>8), byte(i))
}

// IntKey writes the number as text: Smile has no other names.
func (g *generator) IntKey(n int64) error {
	var b [20]byte
	return g.Key(string(strconv.AppendInt(b[:0], n, 10)))
}

func (g *generator) Object(class string, _ int) error {
	g.Out = append(g.Out, byteObject)
	if class == "" {
		return nil
	}
	if err := g.Key(classKey); err != nil {
		return err
	}
	return g.String(class)
}

func (g *generator) EndObject() { g.Out = append(g.Out, byteEndObject) }

func (g *generator) Array(int) { g.Out = append(g.Out, byteArray) }

func (g *generator) EndArray() { g.Out = append(g.Out, byteEndArray) }

func (g *generator) Wrap(class string) error {
	g.Out = append(g.Out, byteArray)
	return g.String(class)
}

func (g *generator) EndWrap() { g.Out = append(g.Out, byteEndArray) }
