package smile

import (
	"errors"
	"fmt"
	"hash/maphash"
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
	g.Out = append(g.Out, byteDouble)
	for shift := 63; shift >= 0; shift -= 7 {
		g.Out = append(g.Out, byte(u>>shift&0x7F))
	}
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
	g.Out = appendVint(g.Out, uint64(len(b)))
	bits, n := uint64(0), 0
	for _, c := range b {
		bits, n = bits<<8|uint64(c), n+8
		for ; n >= 7; n -= 7 {
			g.Out = append(g.Out, byte(bits>>(n-7)&0x7F))
		}
	}
	if n > 0 { // at the lower end of the last byte
		g.Out = append(g.Out, byte(bits)&(1<<n-1))
	}
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

// table finds texts that were written before. It refers to them in what was written,
// so it keeps no text alive. Its hashes are seeded anew for each process: nobody can
// choose names that make it slow.
type table struct {
	count int      // numbers given, also those that nothing may refer to
	at    []placed // by number
	slots []uint16 // 1 + number, by hash; 0 is free
}

// placed is the place of a text in what was written.
type placed struct{ off, n int }

const minSlots = 128 // a power of two

var seed = maphash.MakeSeed()

func (t *table) reset() {
	if t.count == 0 {
		return
	}
	t.count, t.at, t.slots = 0, t.at[:0], t.slots[:minSlots]
	clear(t.slots)
}

func hash(s string) uint64 { return maphash.String(seed, s) }

// find returns the number of s, whose hash is h, and -1 if it has none.
func (t *table) find(out []byte, s string, h uint64) int {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint64(len(t.slots) - 1)
	for h &= mask; t.slots[h] != 0; h = (h + 1) & mask {
		i := int(t.slots[h]) - 1
		if p := t.at[i]; p.n == len(s) && string(out[p.off:p.off+p.n]) == s {
			return i
		}
	}
	return -1
}

// add gives the next number to s, whose hash is h and which will stand at off. As in
// Jackson the table begins anew when it is full, and nothing refers to the numbers whose
// low byte is FE or FF: these bytes mean something else to whoever looks for the end of
// a value.
func (t *table) add(out []byte, off int, s string, h uint64) {
	if t.count == maxShared {
		t.reset()
	}
	if 2*t.count >= len(t.slots) {
		t.grow(out)
	}
	if t.count&0xFF < 0xFE {
		t.insert(h, t.count)
	}
	t.at = append(t.at, placed{off, len(s)})
	t.count++
}

func (t *table) insert(h uint64, i int) {
	mask := uint64(len(t.slots) - 1)
	h &= mask
	for t.slots[h] != 0 {
		h = (h + 1) & mask
	}
	t.slots[h] = uint16(i) + 1
}

func (t *table) grow(out []byte) {
	n := max(minSlots, 2*len(t.slots))
	if cap(t.slots) < n {
		t.slots = make([]uint16, n)
	} else {
		t.slots = t.slots[:n]
		clear(t.slots)
	}
	for i, p := range t.at {
		if i&0xFF < 0xFE {
			t.insert(maphash.Bytes(seed, out[p.off:p.off+p.n]), i)
		}
	}
}
