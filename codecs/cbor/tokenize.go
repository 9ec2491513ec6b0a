package cbor

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
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

// tagged reads the head of a value, and the tags before it.
func (r *reader) tagged() (t tags, h head, err error) {
	h, err = r.head()
	if err == nil && h.major() == majorTag {
		return r.tags(h)
	}
	return t, h, err
}

func (r *reader) value() error {
	at := r.pos
	t, h, err := r.tagged()
	if err != nil {
		return err
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

func (r *reader) key() error {
	at := r.pos
	t, h, err := r.tagged()
	if err != nil {
		return err
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
		r.AddIntKey(at, h.whole())
		return nil
	}
	return r.Fail(at, "the key of a map is neither text nor integer: Java reads no other")
}

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

// span returns what a text or byte string holds. Chunks are put together in Extra: there
// it begins at from, which is -1 where it stands in the payload, right before r.pos.
func (r *reader) span(at int, h head, what string) (b []byte, from int, err error) {
	limit := math.MaxInt
	if h.major() == majorText {
		limit = r.Limits().StringBytes
	}
	if !h.indefinite() {
		if err := r.room(at, h.arg, what); err != nil {
			return nil, 0, err
		}
		off := r.pos
		if r.pos += int(h.arg); r.pos-off > limit { // checked
			return nil, 0, r.StringTooLong(at)
		}
		return r.in[off:r.pos], -1, nil
	}
	from = len(r.Extra)
	for !r.broken() {
		chunk, err := r.head()
		if err != nil {
			return nil, 0, err
		}
		if chunk.major() != h.major() || chunk.indefinite() {
			return nil, 0, r.Fail(chunk.at, "byte 0x%02x begins no chunk of what began at byte %d", chunk.first, at)
		}
		if err := r.room(chunk.at, chunk.arg, "a chunk"); err != nil {
			return nil, 0, err
		}
		end := r.pos + int(chunk.arg) // checked
		r.Extra = append(r.Extra, r.in[r.pos:end]...)
		r.pos = end
		if len(r.Extra)-from > limit {
			return nil, 0, r.StringTooLong(at)
		}
	}
	return r.Extra[from:], from, nil
}

// add adds a token of the bytes that span returned.
func (r *reader) add(kind token.Kind, at int, b []byte, from int) {
	if from < 0 {
		r.AddText(kind, 0, at, r.pos-len(b), len(b))
		return
	}
	r.AddExtra(kind, at, from)
}

// text reads a text. Java takes surrogates in three bytes, too: a pair of them
// becomes the character it stands for, a lone one stays.
func (r *reader) text(at int, h head, kind token.Kind) error {
	b, from, err := r.span(at, h, "text")
	if err != nil {
		return err
	}
	if !utf8.Valid(b) {
		text, wrong := javatext.AppendText(nil, b)
		if wrong >= 0 {
			return r.Fail(at, "text that is not UTF-8")
		}
		from = len(r.Extra)
		r.Extra = append(r.Extra, text...)
	}
	r.add(kind, at, b, from)
	return nil
}

// bytes reads a byte string, or a key that is one: Java makes a String of it.
func (r *reader) bytes(at int, h head, kind token.Kind) error {
	b, from, err := r.span(at, h, "a byte string")
	if err != nil {
		return err
	}
	if kind == token.Key && !utf8.Valid(b) {
		text := javatext.DecodeUTF8(b)
		from = len(r.Extra)
		r.Extra = append(r.Extra, text...)
	}
	r.add(kind, at, b, from)
	return nil
}
