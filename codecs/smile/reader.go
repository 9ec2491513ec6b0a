package smile

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// reader puts one payload on a tape.
type reader struct {
	*token.Builder
	in      []byte
	pos     int
	names   seen
	values  seen
	far     int // bytes of long names that back references may still give
	scratch []byte
}

// seen is a table of texts that back references name.
type seen struct {
	on    bool
	texts []text
}

// text is the place of a text on the tape.
type text struct {
	off, n uint32
	flags  token.Flags
}

// add gives t the next number. As in Jackson the table begins anew when it is full.
func (s *seen) add(t text) {
	if !s.on {
		return
	}
	if len(s.texts) == maxShared {
		s.texts = s.texts[:0]
	}
	s.texts = append(s.texts, t)
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// tokenize reads what Jackson's SmileParser reads.
func tokenize(b *token.Builder, payload []byte, _ *databind.Rules) (end int, err error) {
	r := readers.Get().(*reader)
	r.Builder, r.in, r.pos = b, payload, 0
	r.far = 1<<20 + 64*len(payload)
	r.names = seen{on: true, texts: r.names.texts[:0]}
	r.values = seen{texts: r.values.texts[:0]}
	err = r.payload()
	if end = r.pos; r.pos < len(r.in) && (r.in[r.pos] == byteEnd || r.atHeader()) {
		end = len(payload) // an end marker and another header may be behind the value
	}
	r.Builder, r.in = nil, nil
	readers.Put(r)
	return end, err
}

func (r *reader) payload() error {
	if err := r.header(); err != nil {
		return err
	}
	if r.pos == len(r.in) || r.in[r.pos] == byteEnd {
		return r.Fail(r.pos, "there is no value in the payload")
	}
	return r.root()
}

// atHeader reports whether a header of version 0 is next.
func (r *reader) atHeader() bool {
	rest := r.in[r.pos:]
	return len(rest) >= headerLength && string(rest[:len(headerText)]) == headerText && rest[len(headerText)]>>4 == 0
}

// header reads the header, which Jackson does not miss when it reads from a stream,
// as Redisson does: names are shared then, strings are not.
func (r *reader) header() error {
	if len(r.in) == 0 || r.in[0] != headerText[0] {
		return nil
	}
	if !r.atHeader() {
		if len(r.in) >= headerLength && string(r.in[:len(headerText)]) == headerText {
			return r.Fail(len(headerText), "version %d of Smile: only 0 is carried", r.in[len(headerText)]>>4)
		}
		return r.Fail(0, `the header is not 3A 29 0A (":)\n") and a byte of flags`)
	}
	flags := r.in[len(headerText)]
	r.names.on = flags&flagNames != 0
	r.values.on = flags&flagValues != 0
	r.pos = headerLength
	return nil
}

// root reads the value and all that is within it.
func (r *reader) root() error {
	if err := r.value(); err != nil {
		return err
	}
	for {
		parent := r.Parent()
		if parent == nil {
			return nil
		}
		if r.pos >= len(r.in) {
			return r.Fail(r.pos, "the payload ends within a list or object")
		}
		end := byte(byteEndArray)
		if parent.Kind == token.Object {
			end = byteEndObject
		}
		if r.in[r.pos] == end {
			r.pos++
			r.Close()
			continue
		}
		if err := r.Element(r.pos); err != nil {
			return err
		}
		if end == byteEndObject {
			if err := r.name(); err != nil {
				return err
			}
		}
		if err := r.value(); err != nil {
			return err
		}
	}
}

func (r *reader) value() error {
	at := r.pos
	if at >= len(r.in) {
		return r.Fail(at, "the payload ends where a value is due")
	}
	c := r.in[at]
	r.pos++
	switch {
	case c >= byteLongASCII:
		return r.large(at, c)
	case c >= baseSmall:
		r.Add(token.Int, at, uint64(unzigzag(uint64(c-baseSmall))))
	case c >= baseASCII:
		n, ascii := int(c)-baseASCII+1, true
		if c >= baseUTF8 {
			n, ascii = int(c)-baseUTF8+2, false
		}
		t, err := r.text(at, n, ascii)
		if err != nil {
			return err
		}
		r.values.add(t)
		r.addText(token.String, at, t)
	case c >= byteEmpty:
		return r.simple(at, c)
	case c > 0:
		return r.sharedValue(at, int(c)-1)
	default:
		return r.Fail(at, "byte 00 where a value is due")
	}
	return nil
}

func (r *reader) simple(at int, c byte) error {
	switch c {
	case byteEmpty:
		r.AddText(token.String, 0, at, r.pos, 0)
	case byteNull:
		r.Add(token.Null, at, 0)
	case byteFalse, byteTrue:
		r.Add(token.Bool, at, uint64(c-byteFalse))
	case byteInt, byteLong:
		return r.whole(at, c == byteLong)
	case byteBig:
		return r.big(at)
	case byteFloat:
		return r.float32(at)
	case byteDouble:
		return r.float64(at)
	case byteDecimal:
		return r.decimal(at)
	default:
		return r.Fail(at, "byte %02X where a value is due", c)
	}
	return nil
}

func (r *reader) large(at int, c byte) error {
	switch c {
	case byteLongASCII, byteLongUTF8:
		t, err := r.longText(at, c == byteLongASCII)
		if err != nil {
			return err
		}
		r.addText(token.String, at, t)
	case byteBinary, byteRaw:
		return r.binary(at, c == byteRaw)
	case baseFarValue, baseFarValue + 1, baseFarValue + 2, baseFarValue + 3:
		low, err := r.take(at, 1)
		if err != nil {
			return err
		}
		return r.sharedValue(at, int(c-baseFarValue)<<8|int(low[0]))
	case byteArray:
		return r.Open(token.Array, at)
	case byteObject:
		return r.Open(token.Object, at)
	default:
		return r.Fail(at, "byte %02X where a value is due", c)
	}
	return nil
}

// take returns the next n bytes of the value that began at at.
func (r *reader) take(at, n int) ([]byte, error) {
	if len(r.in)-r.pos < n {
		return nil, r.Fail(at, "the payload ends %d bytes too early", n-(len(r.in)-r.pos))
	}
	b := r.in[r.pos : r.pos+n]
	r.pos += n
	return b, nil
}

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
		var low []byte
		if low, err = r.take(at, 1); err != nil {
			return err
		}
		return r.sharedName(at, int(c-baseFarName)<<8|int(low[0]))
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

func (r *reader) text(at, n int, ascii bool) (text, error) {
	off := r.pos
	b, err := r.take(at, n)
	if err != nil {
		return text{}, err
	}
	return r.check(at, off, b, ascii)
}

func (r *reader) longText(at int, ascii bool) (text, error) {
	off := r.pos
	n := bytes.IndexByte(r.in[off:], byteEndText)
	if n < 0 {
		return text{}, r.Fail(at, "the payload ends within a string")
	}
	r.pos += n + 1
	return r.check(at, off, r.in[off:off+n], ascii)
}

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
	from := len(r.Extra)
	extra, wrong := javatext.AppendText(r.Extra, b)
	if r.Extra = extra; wrong >= 0 {
		return text{}, r.Fail(at, "a string that is not UTF-8 at byte %d", off+wrong)
	}
	return text{off: uint32(from), n: uint32(len(r.Extra) - from), flags: token.FlagExtra}, nil
}

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
