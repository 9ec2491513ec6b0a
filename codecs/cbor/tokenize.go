package cbor

import (
	"encoding/binary"
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// The major types: the three high bits of the first byte of an item.
const (
	majorUint byte = iota << 5
	majorNegative
	majorBytes
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple

	majorMask  = 7 << 5
	indefinite = 31 // in the low bits: a break ends the item
	breakByte  = majorSimple | indefinite
)

// reader puts a payload on a tape. A container's Num is how many elements or members it
// declares, untilBreak where a break ends it.
type reader struct {
	*token.Builder
	in    []byte
	pos   int
	rules *databind.Rules
}

const untilBreak = math.MaxUint64

// tokenize reads what Jackson's CBORParser reads.
func tokenize(b *token.Builder, payload []byte, rules *databind.Rules) (end int, err error) {
	r := reader{Builder: b, in: payload, rules: rules}
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
		if uint64(top.N) == top.Num || top.Num == untilBreak && r.broken() {
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

// broken reads a break if one is next.
func (r *reader) broken() bool {
	if r.pos >= len(r.in) || r.in[r.pos] != breakByte {
		return false
	}
	r.pos++
	return true
}

// head is the head of an item.
type head struct {
	at    int
	first byte
	arg   uint64
}

func (h head) major() byte      { return h.first & majorMask }
func (h head) info() byte       { return h.first &^ majorMask }
func (h head) indefinite() bool { return h.info() == indefinite }

// head reads a head. Only byte strings, texts, arrays and maps may be indefinite.
func (r *reader) head() (head, error) {
	h := head{at: r.pos}
	if r.pos >= len(r.in) {
		return h, r.Fail(r.pos, "the payload ends where a value should begin")
	}
	h.first = r.in[r.pos]
	r.pos++
	info := h.info()
	if info < 24 {
		h.arg = uint64(info)
		return h, nil
	}
	if info > 27 {
		if major := h.major(); info == indefinite && major >= majorBytes && major <= majorMap {
			return h, nil
		}
		if h.first == breakByte {
			return h, r.Fail(h.at, "a break where a value should begin")
		}
		return h, r.Fail(h.at, "byte 0x%02x begins no value", h.first)
	}
	b := r.in[r.pos:]
	n := 1 << (info - 24)
	if len(b) < n {
		return h, r.Fail(h.at, "the payload ends within a value")
	}
	r.pos += n
	switch info {
	case 24:
		h.arg = uint64(b[0])
	case 25:
		h.arg = uint64(binary.BigEndian.Uint16(b))
	case 26:
		h.arg = uint64(binary.BigEndian.Uint32(b))
	default:
		h.arg = binary.BigEndian.Uint64(b)
	}
	return h, nil
}

// value reads one value; of a container the head.
func (r *reader) value() error {
	at := r.pos
	h, err := r.head()
	if err != nil {
		return err
	}
	var t tags
	if h.major() == majorTag {
		if t, h, err = r.tags(h); err != nil {
			return err
		}
	}
	switch h.major() {
	case majorUint, majorNegative:
		if t.reference {
			return r.reference(at)
		}
		r.integer(at, h)
		return nil
	case majorBytes:
		if t.positive || t.negative {
			return r.bignum(at, h, t)
		}
		return r.bytes(at, h, token.Bytes)
	case majorText:
		return r.text(at, h, token.String)
	case majorArray:
		if t.decimal {
			return r.decimal(at, h)
		}
		return r.open(at, h, token.Array)
	case majorMap:
		return r.open(at, h, token.Object)
	}
	return r.simple(at, h)
}

// key reads the key of a member: Java makes a name of texts, integers and bytes.
func (r *reader) key() error {
	at := r.pos
	h, err := r.head()
	if err != nil {
		return err
	}
	var t tags
	if h.major() == majorTag {
		if t, h, err = r.tags(h); err != nil {
			return err
		}
	}
	switch h.major() {
	case majorText:
		return r.text(at, h, token.Key)
	case majorBytes:
		return r.bytes(at, h, token.Key)
	case majorUint, majorNegative:
		if t.reference {
			return r.reference(at)
		}
		if h.arg > math.MaxInt64 {
			return r.Fail(at, "an integer of more than 64 bits as the key of a map: Java reads another number")
		}
		n := int64(h.arg)
		if h.major() == majorNegative {
			n = -1 - n
		}
		r.AddIntKey(at, n)
		return nil
	}
	return r.Fail(at, "the key of a map is neither text nor integer: Java reads no other")
}

// room returns an error unless n bytes follow.
func (r *reader) room(at int, n uint64, what string) error {
	if left := len(r.in) - r.pos; n > uint64(left) { // never negative
		return r.Fail(at, "%s that is said to be longer than the %d bytes that are left", what, left)
	}
	return nil
}

func (r *reader) open(at int, h head, kind token.Kind) error {
	n := h.arg
	if h.indefinite() {
		n = untilBreak
	} else {
		least, what := n, "an array"
		if kind == token.Object {
			least, what = 2*n, "a map"
		}
		if left := len(r.in) - r.pos; n > math.MaxInt32 || least > uint64(left) { // never negative
			return r.Fail(at, "%s that is said to be longer than the %d bytes that are left", what, left)
		}
	}
	if err := r.Open(kind, at); err != nil {
		return err
	}
	top := r.Parent()
	if top.Num = n; kind == token.Array && n != untilBreak {
		top.Flags |= token.FlagSized
	}
	return nil
}

// The tags that Java knows. It ignores all others.
const (
	tagPositive  = 2
	tagNegative  = 3
	tagDecimal   = 4
	tagReference = 25
	tagNamespace = 256
)

// maxBignum bounds the bytes of a big number, as Jackson does since 2.15: what is
// made of one takes more than linear time.
const maxBignum = 1000

// tags are those before a value that mean something.
type tags struct {
	positive, negative, decimal, reference bool
}

// tags reads the tags of a value, the first of which is h, and the head behind them.
func (r *reader) tags(h head) (tags, head, error) {
	var t tags
	at := h.at
	for h.major() == majorTag {
		switch h.arg {
		case tagPositive:
			t.positive = true
		case tagNegative:
			t.negative = true
		case tagDecimal:
			t.decimal = true
		case tagReference:
			t.reference = true
		case tagNamespace:
			return t, h, r.reference(at)
		}
		var err error
		if h, err = r.head(); err != nil {
			return t, h, err
		}
	}
	return t, h, nil
}

func (r *reader) reference(at int) error {
	return r.Fail(at, "references to strings (tags 25 and 256, CBORGenerator.Feature.STRINGREF): "+
		"Redisson's codecs have them switched off, and they are not read here")
}

func (r *reader) integer(at int, h head) {
	if h.arg <= math.MaxInt64 {
		n := int64(h.arg)
		if h.major() == majorNegative {
			n = -1 - n
		}
		r.Add(token.Int, at, uint64(n)) // its bits
		return
	}
	r.AddBig(at, bigOf(h))
}

// bigOf returns the integer of a head.
func bigOf(h head) *big.Int {
	n := new(big.Int).SetUint64(h.arg)
	if h.major() == majorNegative {
		n.Not(n)
	}
	return n
}

// bignum reads a tagged byte string.
func (r *reader) bignum(at int, h head, t tags) error {
	n, err := r.bigBytes(at, h, t)
	if err == nil {
		r.AddBignum(at, n)
	}
	return err
}

// bigBytes reads the bytes of a number as Java does. The standard has the magnitude
// n for a positive number and -1-n for a negative one. Java's BigInteger has signed
// bytes, which Jackson writes and reads as they are for positive ones. Of negative
// ones Jackson 2 writes and reads the magnitude, Jackson 3 follows the standard.
func (r *reader) bigBytes(at int, h head, t tags) (*big.Int, error) {
	var b []byte
	if h.indefinite() {
		from, err := r.chunks(at, majorBytes)
		if err != nil {
			return nil, err
		}
		b = r.Extra[from:]
		defer func() { r.Extra = r.Extra[:from] }()
	} else {
		if err := r.room(at, h.arg, "a number"); err != nil {
			return nil, err
		}
		end := r.pos + int(h.arg) // checked
		b, r.pos = r.in[r.pos:end], end
	}
	if len(b) > maxBignum {
		return nil, r.Fail(at, "a number of %d bytes: Java takes at most %d", len(b), maxBignum)
	}
	n := new(big.Int).SetBytes(b)
	negative := t.negative && !t.positive
	switch {
	case len(b) == 0: // zero either way
	case negative && r.rules.Jackson == 3:
		n.Not(n)
	default:
		if b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b)))) // bounded
		}
		if negative {
			n.Neg(n)
		}
	}
	return n, nil
}

// decimal reads a tagged array of exponent and mantissa.
func (r *reader) decimal(at int, h head) error {
	if h.indefinite() || h.arg != 2 {
		return r.Fail(at, "a decimal fraction (tag 4) is an array of two numbers of definite length")
	}
	h, err := r.head()
	if err != nil {
		return err
	}
	// A scale is an int in Java; its smallest value cannot be negated.
	if m := h.major(); m != majorUint && m != majorNegative || h.arg > math.MaxInt32 || m == majorNegative && h.arg == math.MaxInt32 {
		return r.Fail(h.at, "the exponent of a decimal fraction is no int of Java")
	}
	scale := -int32(h.arg) // checked
	if h.major() == majorNegative {
		scale = int32(h.arg) + 1 // checked
	}
	if wrongSign(r.rules) {
		scale = -scale
	}
	mantissa, err := r.mantissa()
	if err == nil {
		r.AddDecimal(at, java.BigDecimal{Unscaled: mantissa, Scale: scale})
	}
	return err
}

func (r *reader) mantissa() (*big.Int, error) {
	h, err := r.head()
	if err != nil {
		return nil, err
	}
	at := h.at
	var t tags
	if h.major() == majorTag {
		if t, h, err = r.tags(h); err != nil {
			return nil, err
		}
	}
	switch major := h.major(); {
	case major == majorBytes && (t.positive || t.negative):
		return r.bigBytes(at, h, t)
	case major == majorUint || major == majorNegative:
		return bigOf(h), nil
	}
	return nil, r.Fail(at, "the mantissa of a decimal fraction is no whole number")
}

// simple reads the rest: booleans, null, floats and simple values.
func (r *reader) simple(at int, h head) error {
	switch h.info() {
	case 20, 21:
		r.Add(token.Bool, at, uint64(h.info()-20))
	case 22, 23: // null, undefined
		r.Add(token.Null, at, 0)
	case 25:
		r.AddFloat32(at, half(uint16(h.arg))) // two bytes
	case 26:
		r.AddFloat32(at, math.Float32frombits(uint32(h.arg))) // four bytes
	case 27:
		r.AddFloat(at, math.Float64frombits(h.arg))
	default:
		switch {
		case h.info() == 24 && h.arg < 32:
			return r.Fail(at, "simple value %d in two bytes", h.arg)
		case r.rules.Jackson == 3:
			return r.Fail(at, "simple value %d: Java makes a CBORSimpleValue of it, which it does not write back", h.arg)
		}
		r.Add(token.Int, at, h.arg) // so does Jackson since 2.12
	}
	return nil
}

// half returns the number of a float of 16 bits: a sign, five bits of exponent, ten of
// fraction.
func half(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits)>>15<<31, uint32(bits)>>10&0x1F, uint32(bits)&0x3FF
	switch exponent {
	case 0: // fraction × 2^-24
		return math.Float32frombits(math.Float32bits(float32(fraction)*0x1p-24) | sign)
	case 0x1F: // infinite, or no number
		return math.Float32frombits(sign | 0xFF<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// chunks appends the chunks of an indefinite text or byte string to Extra and
// returns where they begin.
func (r *reader) chunks(at int, major byte) (from int, err error) {
	from = len(r.Extra)
	for !r.broken() {
		h, err := r.head()
		if err != nil {
			return 0, err
		}
		if h.major() != major || h.indefinite() {
			return 0, r.Fail(h.at, "byte 0x%02x begins no chunk of what began at byte %d", h.first, at)
		}
		if err := r.room(h.at, h.arg, "a chunk"); err != nil {
			return 0, err
		}
		end := r.pos + int(h.arg) // checked
		r.Extra = append(r.Extra, r.in[r.pos:end]...)
		r.pos = end
		if major == majorText && len(r.Extra)-from > r.Limits().StringBytes {
			return 0, r.StringTooLong(at)
		}
	}
	return from, nil
}

// text reads a text. Java takes surrogates in three bytes, too: a pair of them
// becomes the character it stands for, a lone one stays.
func (r *reader) text(at int, h head, kind token.Kind) error {
	if h.indefinite() {
		from, err := r.chunks(at, majorText)
		if err != nil {
			return err
		}
		if !utf8.Valid(r.Extra[from:]) {
			text, wrong := javatext.AppendText(nil, r.Extra[from:])
			if wrong >= 0 {
				return r.notUTF8(at)
			}
			r.Extra = append(r.Extra[:from], text...)
		}
		r.AddExtra(kind, 0, at, from)
		return nil
	}
	if err := r.room(at, h.arg, "text"); err != nil {
		return err
	}
	off, n := r.pos, int(h.arg) // checked
	if n > r.Limits().StringBytes {
		return r.StringTooLong(at)
	}
	r.pos += n
	if utf8.Valid(r.in[off:r.pos]) {
		r.AddText(kind, 0, at, off, n)
		return nil
	}
	from, wrong := len(r.Extra), 0
	if r.Extra, wrong = javatext.AppendText(r.Extra, r.in[off:r.pos]); wrong >= 0 {
		return r.notUTF8(at)
	}
	r.AddExtra(kind, 0, at, from)
	return nil
}

func (r *reader) notUTF8(at int) error { return r.Fail(at, "text that is not UTF-8") }

// bytes reads a byte string, or a key that is one: Java makes a String of it.
func (r *reader) bytes(at int, h head, kind token.Kind) error {
	if h.indefinite() {
		from, err := r.chunks(at, majorBytes)
		if err != nil {
			return err
		}
		if kind == token.Key {
			r.Extra = append(r.Extra[:from], javatext.DecodeUTF8(r.Extra[from:])...)
		}
		r.AddExtra(kind, 0, at, from)
		return nil
	}
	if err := r.room(at, h.arg, "a byte string"); err != nil {
		return err
	}
	off, n := r.pos, int(h.arg) // checked
	r.pos += n
	if kind == token.Key && !utf8.Valid(r.in[off:r.pos]) {
		from := len(r.Extra)
		r.Extra = append(r.Extra, javatext.DecodeUTF8(r.in[off:r.pos])...)
		r.AddExtra(kind, 0, at, from)
		return nil
	}
	r.AddText(kind, 0, at, off, n)
	return nil
}
