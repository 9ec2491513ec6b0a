package jackson

import (
	"bytes"
	"math/big"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// slot is what a value is declared as, which decides how Jackson writes it.
type slot uint8

const (
	slotRoot   slot = iota // its own class: final classes are bare
	slotObject             // java.lang.Object: whatever is not natural names its class
	slotOpen               // not known, such as a field of a bean: read either way
	slotTree               // inside JsonNode, or a final class that is declared: nothing is wrapped
)

// reader turns one JSON text into Java values.
type reader struct {
	lexer
	bare  bool // give values of unknown classes without their class, for Go types
	beans map[string]*bean

	// Found by one walk over the whole payload, on first need; see survey.
	surveyed bool
	classAt  map[int]int  // start of an object to where its late "@class" key is
	pairAt   map[int]bool // starts of arrays of two whose first element is a string
}

func decode(payload []byte, lim codecs.Limits, bare bool) (any, error) {
	r, err := open(payload, lim, bare)
	if err != nil {
		return nil, err
	}
	return r.value(slotRoot)
}

// open returns a reader that stands before the first value.
func open(payload []byte, lim codecs.Limits, bare bool) (*reader, error) {
	r := &reader{lexer: lexer{b: payload, lim: lim, left: lim.Elements}, bare: bare}
	if len(payload) > lim.Bytes {
		return nil, r.fail(-1, "payload of %d bytes, the limit is %d (Limits.Bytes)", len(payload), lim.Bytes)
	}
	if bytes.HasPrefix(payload, []byte(byteOrderMark)) {
		r.pos = len(byteOrderMark)
	}
	if r.space(); r.pos >= len(r.b) {
		return nil, r.fail(r.pos, "no JSON value in the payload")
	}
	return r, nil
}

const byteOrderMark = "\xef\xbb\xbf"

func (r *reader) value(s slot) (any, error) {
	switch c := r.space(); {
	case c == '"':
		return r.text()
	case c == '{':
		return r.object(s)
	case c == '[':
		return r.array(s)
	case c == '-' || c >= '0' && c <= '9':
		return r.bareNumber(s)
	default:
		return r.literal()
	}
}

func (r *reader) bareNumber(s slot) (any, error) {
	start := r.pos
	lit, whole, err := r.number()
	if err != nil {
		return nil, err
	}
	if s == slotRoot && r.pos < len(r.b) && !blank(r.b[r.pos]) {
		return nil, r.fail(start, "a number with %q right after it", r.b[r.pos])
	}
	v := natural(lit, whole)
	if n, long := v.(int64); long && !r.bare && (s == slotOpen || s == slotTree) {
		return Scalar(classLong, n), nil
	}
	return v, nil
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// array reads a wrapper or, where nothing says otherwise, an array without a
// class.
func (r *reader) array(s slot) (any, error) {
	start := r.pos
	if s == slotTree {
		return r.list(ClassNone, slotTree)
	}
	id, after, err := r.peekType()
	if err != nil {
		return nil, err
	}
	switch {
	case s == slotObject && after < 0:
		return nil, r.fail(start, "an array without the name of its class: Java writes [\"java.util.ArrayList\",[…]] here")
	case after < 0 || s != slotObject && (!typeID(id) || !r.pair(start)):
		return r.list(ClassNone, slotOpen)
	}
	r.pos = after
	v, err := r.typed(id)
	if err != nil {
		return nil, err
	}
	if r.space() != ']' || r.pos >= len(r.b) {
		return nil, r.failClass(r.pos, id, "a wrapper array holds the class and one value")
	}
	r.pos++
	return v, nil
}

// peekType looks into the array at l.pos. Where it begins with a string and a
// comma, it returns the string and the position after the comma, else -1. The
// position itself stays.
func (r *reader) peekType() (id string, after int, err error) {
	start := r.pos
	defer func() { r.pos = start }()
	r.pos++
	if r.space() != '"' {
		return "", -1, nil
	}
	if id, err = r.text(); err != nil {
		return "", -1, err
	}
	if r.space() != ',' {
		return "", -1, nil
	}
	return id, r.pos + 1, nil
}

// list reads the JSON array at r.pos.
func (r *reader) list(class string, s slot) (any, error) {
	l := &java.List{Class: class, Elements: []any{}}
	err := r.elements(func() error {
		v, err := r.value(s)
		l.Elements = append(l.Elements, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// elements reads the JSON array at r.pos, calling read for each element.
func (r *reader) elements(read func() error) error {
	if r.space() != '[' {
		return r.unexpected("an array")
	}
	if err := r.enter(); err != nil {
		return err
	}
	r.path = append(r.path, step{})
	for i := 0; ; i++ {
		r.path[len(r.path)-1].index = i
		more, err := r.more(']', i == 0)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := r.element(); err != nil {
			return err
		}
		if err := read(); err != nil {
			return err
		}
	}
	r.path = r.path[:len(r.path)-1]
	r.leave()
	return nil
}

// bigOf returns a whole number that natural returned as a big one.
func bigOf(v any) *big.Int {
	switch v := v.(type) {
	case int32:
		return big.NewInt(int64(v))
	case int64:
		return big.NewInt(v)
	case *big.Int:
		return v
	}
	return nil
}
