package token

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Builder fills a [Tape] with one payload and keeps the limits. The methods that add a
// token return its index; those that can meet a limit return a [*codecs.DecodeError].
type Builder struct {
	*Tape
	codec string
	lim   codecs.Limits
	left  int // values that may still come
	depth int // containers that may still be opened
	open  []uint32
}

// Structure returns the limits that a tape keeps so that no value within lim is
// refused: a wrapper array, which is no element and no level of its own, takes an
// array and two elements.
func Structure(lim codecs.Limits) codecs.Limits {
	double := func(n, plus int) int {
		if n > (math.MaxInt-plus)/3 {
			return math.MaxInt
		}
		return 3*n + plus
	}
	lim.Elements = double(lim.Elements, 8)
	lim.Depth = 2*lim.Depth + 2
	return lim
}

// Begin makes the tape ready for payload. Codec is the name for errors. The limits
// bound what the tape holds: see [Structure].
func (b *Builder) Begin(t *Tape, codec string, payload []byte, lim codecs.Limits) error {
	t.Reset(payload)
	b.Tape, b.codec, b.lim, b.left, b.depth = t, codec, lim, lim.Elements, lim.Depth
	b.open = b.open[:0]
	if len(payload) > lim.Bytes {
		return b.Fail(-1, "payload of %d bytes, the limit is %d (Limits.Bytes)", len(payload), lim.Bytes)
	}
	if uint64(len(payload)) > math.MaxInt32 {
		return b.Fail(-1, "payload of %d bytes: more than %d are not carried", len(payload), math.MaxInt32)
	}
	return nil
}

// Fail returns an error at byte at of the payload, -1 where that says nothing. Its
// path is that of the value being read.
func (b *Builder) Fail(at int, format string, args ...any) *codecs.DecodeError {
	return &codecs.DecodeError{Codec: b.codec, Path: b.Where(), Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// Where returns the path of the value being read: the last key or the next index.
func (b *Builder) Where() string {
	if len(b.open) == 0 || len(b.Tokens) == 0 {
		return ""
	}
	last := len(b.Tokens) - 1
	top := int(b.open[len(b.open)-1])
	switch {
	case b.Tokens[last].Kind == Key:
		return b.Path(last)
	case b.Tokens[top].Kind == Object:
		return b.Path(top)
	case b.Tokens[top].N == 1 && b.wrapper(top):
		return b.Path(top)
	}
	return fmt.Sprintf("%s[%d]", b.Path(top), b.Tokens[top].N)
}

// Add adds a token without text.
func (b *Builder) Add(kind Kind, at int, num uint64) int {
	b.count()
	b.Tokens = append(b.Tokens, Token{Kind: kind, At: uint32(at), Next: uint32(len(b.Tokens)) + 1, Num: num})
	return len(b.Tokens) - 1
}

// AddText adds a token whose text stands at payload[off:off+n].
func (b *Builder) AddText(kind Kind, flags Flags, at, off, n int) int {
	if kind != Key {
		b.count()
	}
	b.Tokens = append(b.Tokens, Token{
		Kind: kind, Flags: flags, At: uint32(at), Off: uint32(off), Len: uint32(n), Next: uint32(len(b.Tokens)) + 1,
	})
	return len(b.Tokens) - 1
}

// AddExtra adds a token whose text is what was appended to Extra since it had
// length from.
func (b *Builder) AddExtra(kind Kind, at, from int) int {
	return b.AddText(kind, FlagExtra, at, from, len(b.Extra)-from)
}

// AddNumber adds a number whose literal stands at payload[off:off+n].
func (b *Builder) AddNumber(kind Kind, at, off, n int, num uint64) int {
	i := b.AddText(kind, FlagLiteral, at, off, n)
	b.Tokens[i].Num = num
	return i
}

// AddBig adds a whole number of any size: an Int with FlagBig if it fits.
func (b *Builder) AddBig(at int, n *big.Int) int {
	if n.IsInt64() {
		i := b.Add(Int, at, uint64(n.Int64()))
		b.Tokens[i].Flags |= FlagBig
		return i
	}
	return b.AddBignum(at, n)
}

// AddBignum adds a whole number that the payload marks as one of any size, a Big
// even where an Int would hold it. Java reads such a number as a BigInteger.
func (b *Builder) AddBignum(at int, n *big.Int) int {
	b.bigs = append(b.bigs, n)
	return b.Add(Big, at, uint64(len(b.bigs)-1))
}

// AddFloat adds a fraction.
func (b *Builder) AddFloat(at int, f float64) int { return b.Add(Float, at, math.Float64bits(f)) }

// AddFloat32 adds a fraction of 32 bits.
func (b *Builder) AddFloat32(at int, f float32) int {
	i := b.AddFloat(at, float64(f))
	b.Tokens[i].Flags |= FlagFloat32
	return i
}

// AddDecimal adds an exact decimal fraction.
func (b *Builder) AddDecimal(at int, d java.BigDecimal) int {
	b.decimals = append(b.decimals, d)
	return b.Add(Decimal, at, uint64(len(b.decimals)-1))
}

// AddIntKey adds a key that is an integer.
func (b *Builder) AddIntKey(at int, n int64) int {
	i := b.AddText(Key, FlagInt, at, 0, 0)
	b.Tokens[i].Num = uint64(n)
	return i
}

// Annotate gives token i a type id. It reports false when there are too many.
func (b *Builder) Annotate(i int, class []byte) bool {
	for n, c := range b.Types {
		if n >= 16 {
			break // more are rare: some may be in twice
		}
		if c == string(class) {
			b.Tokens[i].Type = uint16(n) + 1
			return true
		}
	}
	if len(b.Types) >= math.MaxUint16 {
		return false
	}
	b.Types = append(b.Types, string(class))
	b.Tokens[i].Type = uint16(len(b.Types))
	return true
}

// Open begins an Array or Object.
func (b *Builder) Open(kind Kind, at int) error {
	if b.depth == 0 {
		return b.Fail(at, "nested deeper than %d (Limits.Depth)", cmp.Or(b.Asked.Depth, b.lim.Depth))
	}
	b.depth--
	b.count()
	b.open = append(b.open, uint32(len(b.Tokens)))
	b.Tokens = append(b.Tokens, Token{Kind: kind, At: uint32(at)})
	return nil
}

// Close ends the container opened last.
func (b *Builder) Close() {
	top := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	b.Tokens[top].Next = uint32(len(b.Tokens))
	b.depth++
}

// Nest returns how many containers are open.
func (b *Builder) Nest() int { return len(b.open) }

// Element takes one value off the budget, before it is read. Call it for each
// element of an array and each member of an object.
func (b *Builder) Element(at int) error {
	if b.left == 0 {
		err := b.Fail(at, "more than %d elements (Limits.Elements)", cmp.Or(b.Asked.Elements, b.lim.Elements))
		err.Limit = "Elements"
		return err
	}
	b.left--
	return nil
}

// StringTooLong returns the error for a text of more than Limits.StringBytes.
func (b *Builder) StringTooLong(at int) error {
	return b.Fail(at, "string of more than %d bytes (Limits.StringBytes)", b.lim.StringBytes)
}

// Limits returns the limits in force.
func (b *Builder) Limits() codecs.Limits { return b.lim }

// Parent returns the container that is open, nil at the root.
func (b *Builder) Parent() *Token {
	if len(b.open) == 0 {
		return nil
	}
	return &b.Tokens[b.open[len(b.open)-1]]
}

// count counts a value in the container that holds it.
func (b *Builder) count() {
	if len(b.open) > 0 {
		b.Tokens[b.open[len(b.open)-1]].N++
	}
}
