package token

import (
	"math"
	"math/big"
	"strconv"

	"github.com/duequeue/duequeue/codecs/java"
)

// Generator writes tokens as the bytes of one format, as Jackson's generator of that
// format does. It is for one payload at a time and not safe for concurrent use.
//
// Errors are plain reasons ("not UTF-8: a Java String cannot hold it"): who calls
// knows the path and the type. A container is closed by who opened it.
type Generator interface {
	// Begin starts a payload that is appended to dst.
	Begin(dst []byte)
	// End returns dst with the payload behind it, and lets go of it.
	End() []byte
	// Len returns how many bytes stand there, those of dst included.
	Len() int

	Null()
	Bool(v bool)
	Int(n int64)
	Float32(f float32)
	Float64(f float64)
	Big(n *big.Int) error
	Decimal(d java.BigDecimal) error
	String(s string) error
	Bytes(b []byte)

	// Object begins an object of n members; class, where it is not empty, is its
	// type id, which comes first and is not one of the n.
	Object(class string, n int) error
	// Key begins a member.
	Key(name string) error
	// IntKey begins a member whose key Java wrote from an Integer or Long.
	IntKey(n int64) error
	EndObject()
	// Array begins an array of n elements.
	Array(n int)
	EndArray()
	// Wrap begins a value with a type id beside it: ["class",value]; EndWrap ends it.
	Wrap(class string) error
	EndWrap()
}

// Fixed is an optional part of a [Generator], for formats in which a key or class
// always has the same bytes: JSON, CBOR, MsgPack and Ion, but not Smile with its back
// references. Who writes the same names again and again renders them once: as what a
// generator of the same format and rules writes for it right after Begin.
type Fixed interface {
	// FixedKey is Key, of which rendered is what it wrote.
	FixedKey(rendered string)
	// FixedObject is Object with a class, for n members beside it.
	FixedObject(rendered string, n int)
	// FixedWrap is Wrap.
	FixedWrap(rendered string)
}

// Native is an optional part of a [Generator], for a format that has values of its
// own where others have texts: Ion's timestamps and symbols. Jackson 3 writes dates
// and enums as those.
type Native interface {
	// Timestamp writes a date, milliseconds since 1970. It returns an error for one
	// that the format cannot hold.
	Timestamp(millis int64) error
	// Symbol writes the name of an enum's constant.
	Symbol(name string) error
}

// Output is what a [Generator] appends to.
type Output struct{ Out []byte }

// Begin implements [Generator].
func (o *Output) Begin(dst []byte) { o.Out = dst }

// End implements [Generator].
func (o *Output) End() []byte {
	out := o.Out
	o.Out = nil
	return out
}

// Len implements [Generator].
func (o *Output) Len() int { return len(o.Out) }

// TextOutput is what generators of formats that look like JSON have in common.
type TextOutput struct {
	Output
	// Comma says that one stands between what was written last and what comes next in
	// its container.
	Comma bool
}

// Begin implements [Generator].
func (o *TextOutput) Begin(dst []byte) { o.Out, o.Comma = dst, false }

// Next begins a value or key.
func (o *TextOutput) Next() {
	if o.Comma {
		o.Out = append(o.Out, ',')
	}
	o.Comma = true
}

// Null implements [Generator].
func (o *TextOutput) Null() {
	o.Next()
	o.Out = append(o.Out, "null"...)
}

// Bool implements [Generator].
func (o *TextOutput) Bool(v bool) {
	o.Next()
	o.Out = strconv.AppendBool(o.Out, v)
}

// Int implements [Generator].
func (o *TextOutput) Int(n int64) {
	o.Next()
	o.Out = strconv.AppendInt(o.Out, n, 10)
}

// Big implements [Generator].
func (o *TextOutput) Big(n *big.Int) error {
	o.Next()
	o.Out = n.Append(o.Out, 10)
	return nil
}

// Array implements [Generator].
func (o *TextOutput) Array(int) { o.open('[') }

// EndArray implements [Generator].
func (o *TextOutput) EndArray() { o.close(']') }

// EndObject implements [Generator].
func (o *TextOutput) EndObject() { o.close('}') }

func (o *TextOutput) open(c byte) {
	o.Next()
	o.Out, o.Comma = append(o.Out, c), false
}

func (o *TextOutput) close(c byte) { o.Out, o.Comma = append(o.Out, c), true }

// FixedKey implements [Fixed].
func (o *TextOutput) FixedKey(rendered string) {
	o.Next()
	o.Out, o.Comma = append(o.Out, rendered...), false
}

// JavaFloat64 returns f, and Java's Double.NaN for [math.NaN], which has other bits:
// binary formats write the bits. Other NaNs keep theirs, as in Java's generators. (A
// float32 made of math.NaN is Java's Float.NaN already.)
func JavaFloat64(f float64) float64 {
	const gos, javas = 0x7ff8000000000001, 0x7ff8000000000000
	if math.Float64bits(f) == gos {
		return math.Float64frombits(javas)
	}
	return f
}

// Open is a generator of a format in which an array may come without its number of elements, as
// Jackson writes the parts of a date.
type Open interface {
	OpenArray()
}
