package cbor

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"
	"unicode/utf8"

	lib "github.com/fxamacker/cbor/v2"

	"github.com/duequeue/duequeue/codecs"
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

// tokenizer returns how the codec of a name reads.
func tokenizer(name string) func(*token.Builder, *token.Tape, []byte, codecs.Limits, *databind.Rules) error {
	return func(b *token.Builder, t *token.Tape, payload []byte, lim codecs.Limits, rules *databind.Rules) error {
		if err := b.Begin(t, name, payload, lim); err != nil {
			return err
		}
		r := readers.Get().(*reader)
		defer r.release()
		r.b, r.pos, r.out, r.rules, r.stack = payload, 0, b, rules, r.stack[:0]
		return r.payload(lim)
	}
}

// reader puts a payload on a tape: it walks over the heads of items, since the
// library's decoder does not keep the order of maps.
type reader struct {
	b     []byte
	pos   int
	out   *token.Builder
	rules *databind.Rules
	stack []frame
}

// frame is a container that is open.
type frame struct {
	left   int64 // elements or members still to come; -1: up to a break
	object bool
}

var readers = sync.Pool{New: func() any { return &reader{} }}

func (r *reader) release() {
	const many = 1 << 10
	if cap(r.stack) > many {
		r.stack = nil
	}
	r.b, r.out, r.rules = nil, nil, nil
	readers.Put(r)
}

// payload reads the whole payload, after the library has found it well-formed. What
// the library refuses is read too, up to the byte that is wrong: the library does
// not say where that is.
func (r *reader) payload(lim codecs.Limits) error {
	malformed := wellformed(r.b, lim.Depth)
	if err := r.walk(); err != nil {
		return err
	}
	var extra *lib.ExtraneousDataError
	switch {
	case r.pos < len(r.b) && r.rules.Jackson == 3:
		return r.out.Fail(r.pos, "%d bytes behind the value: Jackson 3 takes one value alone", len(r.b)-r.pos)
	case malformed != nil && !errors.As(malformed, &extra):
		e := r.out.Fail(-1, "not CBOR")
		e.Err = malformed
		return e
	}
	return nil
}

// modes are decoders of the library, by the depth they bear.
var modes sync.Map

// wellformed has the library go over the payload. Tags count as levels there; more
// than a few on one item are no payload of anybody.
func wellformed(payload []byte, depth int) error {
	const tags, most = 8, 65535 // the library's bound
	depth = min(depth+tags, most)
	mode, ok := modes.Load(depth)
	if !ok {
		m, err := lib.DecOptions{
			MaxNestedLevels: depth, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
		}.DecMode()
		if err != nil {
			return err
		}
		mode, _ = modes.LoadOrStore(depth, m)
	}
	return mode.(lib.DecMode).Wellformed(payload)
}

func (r *reader) walk() error {
	err := r.value()
	for err == nil && len(r.stack) > 0 {
		top := &r.stack[len(r.stack)-1]
		if top.left == 0 || top.left < 0 && r.broken() {
			r.out.Close()
			r.stack = r.stack[:len(r.stack)-1]
			continue
		}
		if top.left > 0 {
			top.left--
		}
		object := top.object
		if err = r.out.Element(r.pos); err == nil && object {
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
	if r.pos >= len(r.b) || r.b[r.pos] != breakByte {
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
	if r.pos >= len(r.b) {
		return h, r.out.Fail(r.pos, "the payload ends where a value should begin")
	}
	h.first = r.b[r.pos]
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
			return h, r.out.Fail(h.at, "a break where a value should begin")
		}
		return h, r.out.Fail(h.at, "byte 0x%02x begins no value", h.first)
	}
	b := r.b[r.pos:]
	n := 1 << (info - 24)
	if len(b) < n {
		return h, r.out.Fail(h.at, "the payload ends within a value")
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
			return r.out.Fail(at, "an integer of more than 64 bits as the key of a map: Java reads another number")
		}
		n := int64(h.arg)
		if h.major() == majorNegative {
			n = -1 - n
		}
		r.out.AddIntKey(at, n)
		return nil
	}
	return r.out.Fail(at, "the key of a map is neither text nor integer: Java reads no other")
}

// room returns an error unless n bytes follow.
func (r *reader) room(at int, n uint64, what string) error {
	if left := len(r.b) - r.pos; n > uint64(left) { //nolint:gosec // never negative
		return r.out.Fail(at, "%s of %d bytes, but only %d are left", what, n, left)
	}
	return nil
}

func (r *reader) open(at int, h head, kind token.Kind) error {
	f := frame{left: -1, object: kind == token.Object}
	if !h.indefinite() {
		least, what := h.arg, "an array"
		if f.object {
			least, what = 2*h.arg, "a map"
		}
		if left := len(r.b) - r.pos; h.arg > math.MaxInt32 || least > uint64(left) { //nolint:gosec // never negative
			return r.out.Fail(at, "%s of %d, but only %d bytes are left", what, h.arg, left)
		}
		f.left = int64(h.arg) //nolint:gosec // checked
	}
	if err := r.out.Open(kind, at); err != nil {
		return err
	}
	r.stack = append(r.stack, f)
	return nil
}

// chunks appends the chunks of an indefinite text or byte string to Extra and
// returns where they begin.
func (r *reader) chunks(at int, major byte) (from int, err error) {
	from = len(r.out.Extra)
	for !r.broken() {
		h, err := r.head()
		if err != nil {
			return 0, err
		}
		if h.major() != major || h.indefinite() {
			return 0, r.out.Fail(h.at, "byte 0x%02x begins no chunk of what began at byte %d", h.first, at)
		}
		if err := r.room(h.at, h.arg, "a chunk"); err != nil {
			return 0, err
		}
		end := r.pos + int(h.arg) //nolint:gosec // checked
		r.out.Extra = append(r.out.Extra, r.b[r.pos:end]...)
		r.pos = end
		if major == majorText && len(r.out.Extra)-from > r.out.Limits().StringBytes {
			return 0, r.out.StringTooLong(at)
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
		if !utf8.Valid(r.out.Extra[from:]) {
			text, ok := appendText(nil, r.out.Extra[from:])
			if !ok {
				return r.notUTF8(at)
			}
			r.out.Extra = append(r.out.Extra[:from], text...)
		}
		r.out.AddExtra(kind, 0, at, from)
		return nil
	}
	if err := r.room(at, h.arg, "text"); err != nil {
		return err
	}
	off, n := r.pos, int(h.arg) //nolint:gosec // checked
	if n > r.out.Limits().StringBytes {
		return r.out.StringTooLong(at)
	}
	r.pos += n
	if utf8.Valid(r.b[off:r.pos]) {
		r.out.AddText(kind, 0, at, off, n)
		return nil
	}
	from := len(r.out.Extra)
	extra, ok := appendText(r.out.Extra, r.b[off:r.pos])
	if r.out.Extra = extra; !ok {
		return r.notUTF8(at)
	}
	r.out.AddExtra(kind, 0, at, from)
	return nil
}

func (r *reader) notUTF8(at int) error { return r.out.Fail(at, "text that is not UTF-8") }

// bytes reads a byte string, or a key that is one: Java makes a String of it.
func (r *reader) bytes(at int, h head, kind token.Kind) error {
	if h.indefinite() {
		from, err := r.chunks(at, majorBytes)
		if err != nil {
			return err
		}
		if kind == token.Key {
			r.out.Extra = append(r.out.Extra[:from], javatext.DecodeUTF8(r.out.Extra[from:])...)
		}
		r.out.AddExtra(kind, 0, at, from)
		return nil
	}
	if err := r.room(at, h.arg, "a byte string"); err != nil {
		return err
	}
	off, n := r.pos, int(h.arg) //nolint:gosec // checked
	r.pos += n
	if kind == token.Key && !utf8.Valid(r.b[off:r.pos]) {
		from := len(r.out.Extra)
		r.out.Extra = append(r.out.Extra, javatext.DecodeUTF8(r.b[off:r.pos])...)
		r.out.AddExtra(kind, 0, at, from)
		return nil
	}
	r.out.AddText(kind, 0, at, off, n)
	return nil
}

// appendText appends text whose surrogates may have three bytes, as Java's UTF-8
// decoders take them. It reports false for what is no such text.
func appendText(dst, text []byte) ([]byte, bool) {
	for len(text) > 0 {
		if c, n := utf8.DecodeRune(text); c != utf8.RuneError || n > 1 {
			dst = append(dst, text[:n]...)
			text = text[n:]
			continue
		}
		unit, ok := javatext.Surrogate(string(text[:min(3, len(text))]))
		if !ok {
			return dst, false
		}
		dst, text = appendSurrogate(dst, unit, text[:3]), text[3:]
	}
	return dst, true
}

// appendSurrogate appends a surrogate, or makes a character of it and the high one
// at the end of dst.
func appendSurrogate(dst []byte, unit uint16, three []byte) []byte {
	if n := len(dst); unit >= 0xDC00 && n >= 3 {
		if high, ok := javatext.Surrogate(string(dst[n-3:])); ok && high < 0xDC00 {
			return utf8.AppendRune(dst[:n-3], 0x10000+rune(high-0xD800)<<10+rune(unit-0xDC00))
		}
	}
	return append(dst, three...)
}
