package smile

import (
	"bytes"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// name reads the name of a member.
func (r *reader) name() error {
	at := r.pos
	c := r.in[at]
	r.pos++
	var t text
	var err error
	switch {
	case c >= baseUTF8Name && c <= lastUTF8Name:
		t, err = r.text(at, int(c)-baseUTF8Name+2, false)
	case c >= baseASCIIName && c < baseUTF8Name:
		t, err = r.text(at, int(c)-baseASCIIName+1, true)
	case c >= baseNearName && c < baseASCIIName:
		return r.sharedName(at, int(c)-baseNearName)
	case c == byteLongName: // Jackson shares these too, whatever their length
		t, err = r.longText(at, false)
	case c >= baseFarName && c < byteLongName:
		return r.farName(at, int(c-baseFarName)<<8)
	case c == byteEmpty:
		r.AddText(token.Key, 0, at, r.pos, 0)
		return nil
	default:
		return r.Fail(at, "byte %02X where a name is due", c)
	}
	if err != nil {
		return err
	}
	r.names.add(t)
	r.addText(token.Key, at, t)
	return nil
}

func (r *reader) addText(kind token.Kind, at int, t text) {
	r.AddText(kind, t.flags, at, int(t.off), int(t.n))
}

// farName reads the second byte of a back reference.
func (r *reader) farName(at, high int) error {
	low, err := r.take(at, 1)
	if err != nil {
		return err
	}
	return r.sharedName(at, high|int(low[0]))
}

// sharedName reads a back reference to a name.
func (r *reader) sharedName(at, i int) error {
	if i >= len(r.names.texts) {
		return r.unknown(at, i, "name", &r.names)
	}
	t := r.names.texts[i]
	if t.n > maxShortText {
		// One byte may name any number of them: whoever copies names would let
		// few bytes become very many.
		if r.far -= int(t.n); r.far < 0 {
			return r.Fail(at, "back references to long names give more than %d bytes", 1<<20+64*len(r.in))
		}
	}
	r.addText(token.Key, at, t)
	return nil
}

// sharedValue reads a back reference to a string.
func (r *reader) sharedValue(at, i int) error {
	if i >= len(r.values.texts) {
		return r.unknown(at, i, "string", &r.values)
	}
	r.addText(token.String, at, r.values.texts[i])
	return nil
}

func (r *reader) unknown(at, i int, what string, s *seen) error {
	if !s.on {
		return r.Fail(at, "a back reference to a %s, though the header announces none", what)
	}
	return r.Fail(at, "a back reference to %s %d, of %d that are known", what, i, len(s.texts))
}

// text reads a text of n bytes.
func (r *reader) text(at, n int, ascii bool) (text, error) {
	off := r.pos
	b, err := r.take(at, n)
	if err != nil {
		return text{}, err
	}
	return r.check(at, off, b, ascii)
}

// longText reads a text up to FC, which no UTF-8 holds.
func (r *reader) longText(at int, ascii bool) (text, error) {
	off := r.pos
	n := bytes.IndexByte(r.in[off:], byteEndText)
	if n < 0 {
		return text{}, r.Fail(at, "the payload ends within a string")
	}
	r.pos += n + 1
	return r.check(at, off, r.in[off:off+n], ascii)
}

// check checks the text at off.
func (r *reader) check(at, off int, b []byte, ascii bool) (text, error) {
	if len(b) > r.Limits().StringBytes {
		return text{}, r.StringTooLong(at)
	}
	if isASCII(b) {
		return text{off: uint32(off), n: uint32(len(b))}, nil
	}
	if ascii {
		return text{}, r.Fail(at, "a string that is said to be ASCII is not")
	}
	if utf8.Valid(b) {
		return text{off: uint32(off), n: uint32(len(b))}, nil
	}
	// As Jackson reads them, surrogates may have three bytes each.
	from, wrong := len(r.Extra), 0
	if r.Extra, wrong = javatext.AppendText(r.Extra, b); wrong >= 0 {
		return text{}, r.Fail(at, "a string that is not UTF-8 at byte %d", off+wrong)
	}
	return text{off: uint32(from), n: uint32(len(r.Extra) - from), flags: token.FlagExtra}, nil
}

// isASCII reports whether s is ASCII.
func isASCII[T string | []byte](s T) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&0x80 != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
