package msgpack

import (
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// reader puts a payload on a tape. A container's Num is how many elements or members it
// declares.
type reader struct {
	*token.Builder
	in  []byte
	pos int
}

// tokenize reads what Java's MessagePackParser reads.
func tokenize(b *token.Builder, payload []byte, _ *databind.Rules) (end int, err error) {
	r := reader{Builder: b, in: payload}
	err = r.root()
	return r.pos, err
}

// root reads the value and all that is within it.
func (r *reader) root() error {
	err := r.value()
	for err == nil {
		top := r.Parent()
		if top == nil {
			return nil
		}
		if uint64(top.N) == top.Num {
			r.Close()
			continue
		}
		object := top.Kind == token.Object
		if err = r.Element(r.pos); err == nil && object {
			err = r.key()
		}
		if err == nil {
			err = r.value()
		}
	}
	return err
}

// head is the head of a value: its first byte with the number behind it, which for
// texts and containers is their length.
type head struct {
	*kind
	at int
	n  uint64
}

func (r *reader) head() (head, error) {
	h := head{at: r.pos}
	if h.at >= len(r.in) {
		return h, r.Fail(h.at, "the payload ends where a value should begin")
	}
	h.kind = &kinds[r.in[h.at]]
	r.pos++
	if h.n = uint64(h.fixed); h.length == 0 {
		return h, nil
	}
	b, err := r.take(h, uint64(h.length))
	for _, c := range b {
		h.n = h.n<<8 | uint64(c)
	}
	return h, err
}

// take returns the next n bytes of the value with that head.
func (r *reader) take(h head, n uint64) ([]byte, error) {
	if uint64(len(r.in)-r.pos) < n {
		return nil, r.Fail(h.at, "the payload ends within %s", h.name)
	}
	from := r.pos
	r.pos += int(n) // no more than what is left
	return r.in[from:r.pos], nil
}

func (h head) int() int64 {
	unused := 64 - 8*max(int(h.length), 1)
	return int64(h.n<<unused) >> unused
}

func (h head) float() float64 {
	if h.length == 4 {
		return float64(math.Float32frombits(uint32(h.n)))
	}
	return math.Float64frombits(h.n)
}

func (r *reader) value() error {
	h, err := r.head()
	if err != nil {
		return err
	}
	switch h.class {
	case classNil:
		r.Add(token.Null, h.at, 0)
	case classBool:
		r.Add(token.Bool, h.at, h.n)
	case classInt:
		r.Add(token.Int, h.at, uint64(h.int())) // its bits
	case classUint:
		if h.n > math.MaxInt64 {
			r.AddBig(h.at, new(big.Int).SetUint64(h.n))
			return nil
		}
		r.Add(token.Int, h.at, h.n)
	case classFloat:
		if h.length == 4 {
			r.AddFloat32(h.at, math.Float32frombits(uint32(h.n)))
			return nil
		}
		r.AddFloat(h.at, h.float())
	case classString:
		return r.text(h, token.String)
	case classBytes:
		return r.text(h, token.Bytes)
	case classExt:
		return r.extension(h)
	case classArray:
		return r.open(h, token.Array, h.n)
	case classMap:
		return r.open(h, token.Object, 2*h.n)
	default:
		return r.Fail(h.at, "byte 0x%02x begins no value", r.in[h.at])
	}
	return nil
}

// open begins a container, which takes at least so many bytes.
func (r *reader) open(h head, kind token.Kind, least uint64) error {
	if left := len(r.in) - r.pos; least > uint64(left) {
		return r.Fail(h.at, "%s that is said to be longer than the %d bytes that are left", h.name, left)
	}
	if err := r.Open(kind, h.at); err != nil {
		return err
	}
	r.Parent().Num = h.n
	return nil
}

// text reads a string or binary, which stays in the payload.
func (r *reader) text(h head, kind token.Kind) error {
	if h.class == classString && h.n > uint64(r.Limits().StringBytes) {
		return r.Fail(h.at, "string of %d bytes, the limit is %d (Limits.StringBytes)", h.n, r.Limits().StringBytes)
	}
	b, err := r.take(h, h.n)
	switch {
	case err != nil:
		return err
	case kind == token.Bytes || utf8.Valid(b):
		r.AddText(kind, 0, h.at, r.pos-len(b), len(b))
	default: // Java's parser makes a String of the bytes, which replaces what is malformed
		r.extra(kind, h.at, javatext.DecodeUTF8(b))
	}
	return nil
}

func (r *reader) extra(kind token.Kind, at int, text string) {
	from := len(r.Extra)
	r.Extra = append(r.Extra, text...)
	r.AddExtra(kind, at, from)
}

// extension reads a value of an extension type, the timestamp among them: Java makes
// a MessagePackExtensionType of each, since Redisson registers no module for any.
func (r *reader) extension(h head) error {
	b, err := r.take(h, h.n+1) // its type stands before it
	if err == nil {
		i := r.AddText(token.Opaque, 0, h.at, r.pos-len(b)+1, len(b)-1)
		r.Tokens[i].Num = uint64(int64(int8(b[0]))) // its bits
	}
	return err
}

// key reads the key of a member. Java makes a text of whatever it is.
func (r *reader) key() error {
	h, err := r.head()
	if err != nil {
		return err
	}
	switch h.class {
	case classString, classBytes:
		return r.text(h, token.Key)
	case classBool:
		r.extra(token.Key, h.at, strconv.FormatBool(h.n != 0))
	case classFloat:
		r.extra(token.Key, h.at, string(javatext.AppendDouble(nil, h.float())))
	case classInt:
		r.AddIntKey(h.at, h.int())
	case classUint:
		if h.n > math.MaxInt64 {
			r.extra(token.Key, h.at, strconv.FormatUint(h.n, 10))
			return nil
		}
		r.AddIntKey(h.at, int64(h.n))
	case classInvalid:
		return r.Fail(h.at, "byte 0x%02x begins no value", r.in[h.at])
	default:
		return r.Fail(h.at, "%s as the key of a map: Java reads strings, numbers, booleans and binary there", h.name)
	}
	return nil
}

// class says what a value is.
type class uint8

const (
	classInvalid class = iota
	classNil
	classBool
	classInt
	classUint
	classFloat
	classString
	classBytes
	classExt
	classArray
	classMap
)

// kind is what the first byte of a value says.
type kind struct {
	class  class
	length uint8 // bytes of the number that follows
	fixed  uint8 // the number, where the first byte says it
	name   string
}

var kinds = func() (t [256]kind) {
	fill := func(from, n int, k kind) {
		for i := range n {
			t[from+i] = k
			k.fixed++
		}
	}
	fill(0x00, 128, kind{class: classInt, name: "a number"})
	fill(0x80, 16, kind{class: classMap, name: "a map"})
	fill(0x90, 16, kind{class: classArray, name: "an array"})
	fill(0xa0, 32, kind{class: classString, name: "a string"})
	fill(0xe0, 32, kind{class: classInt, fixed: 0xe0, name: "a number"})
	fill(0xc0, 1, kind{class: classNil, name: "nil"})
	fill(0xc2, 2, kind{class: classBool, name: "a boolean"})
	double := func(from, n int, k kind) {
		for i := range n {
			t[from+i] = k
			k.length, k.fixed = 2*k.length, 2*k.fixed
		}
	}
	double(0xc4, 3, kind{class: classBytes, length: 1, name: "binary"})
	double(0xc7, 3, kind{class: classExt, length: 1, name: "an extension type"})
	double(0xca, 2, kind{class: classFloat, length: 4, name: "a float"})
	double(0xcc, 4, kind{class: classUint, length: 1, name: "a number"})
	double(0xd0, 4, kind{class: classInt, length: 1, name: "a number"})
	double(0xd4, 5, kind{class: classExt, fixed: 1, name: "an extension type"})
	double(0xd9, 3, kind{class: classString, length: 1, name: "a string"})
	double(0xdc, 2, kind{class: classArray, length: 2, name: "an array"})
	double(0xde, 2, kind{class: classMap, length: 2, name: "a map"})
	return t
}()
