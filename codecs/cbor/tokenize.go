package cbor

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	lib "github.com/fxamacker/cbor/v2"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
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
	mode  lib.DecMode // of the library, for payloads of a depth
	depth int
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
	malformed := r.wellformed(lim.Depth)
	if err := r.walk(); err != nil {
		return err
	}
	switch {
	case r.pos < len(r.b) && (r.rules.Jackson == 3 || r.rules.Whole):
		return r.out.Fail(r.pos, "%d bytes behind the value", len(r.b)-r.pos)
	case malformed != nil && !trailing(malformed):
		e := r.out.Fail(-1, "not CBOR")
		e.Err = malformed
		return e
	}
	return nil
}

func trailing(err error) bool {
	var extra *lib.ExtraneousDataError
	return errors.As(err, &extra)
}

// wellformed has the library go over the payload. Tags count as levels there; more
// than a few on one item are no payload of anybody.
func (r *reader) wellformed(depth int) error {
	const tags, most = 8, 65535 // the library's bound
	depth = min(depth+tags, most)
	if r.mode == nil || r.depth != depth {
		mode, err := lib.DecOptions{
			MaxNestedLevels: depth, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
		}.DecMode()
		if err != nil {
			return err
		}
		r.mode, r.depth = mode, depth
	}
	return r.mode.Wellformed(r.b)
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
	if left := len(r.b) - r.pos; n > uint64(left) { // never negative
		return r.out.Fail(at, "%s that is said to be longer than the %d bytes that are left", what, left)
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
		if left := len(r.b) - r.pos; h.arg > math.MaxInt32 || least > uint64(left) { // never negative
			return r.out.Fail(at, "%s that is said to be longer than the %d bytes that are left", what, left)
		}
		f.left = int64(h.arg) // checked
	}
	if err := r.out.Open(kind, at); err != nil {
		return err
	}
	if kind == token.Array && !h.indefinite() {
		r.out.Tokens[len(r.out.Tokens)-1].Flags |= token.FlagSized
	}
	r.stack = append(r.stack, f)
	return nil
}
