package msgpack

import (
	"errors"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	lib "github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// source is a payload as the library reads it: what the library does not copy can
// be referred to by its position.
type source struct {
	b   []byte
	pos int
}

func (s *source) Read(p []byte) (int, error) {
	if s.pos >= len(s.b) {
		return 0, io.EOF
	}
	n := copy(p, s.b[s.pos:])
	s.pos += n
	return n, nil
}

func (s *source) ReadByte() (byte, error) {
	if s.pos >= len(s.b) {
		return 0, io.EOF
	}
	s.pos++
	return s.b[s.pos-1], nil
}

func (s *source) UnreadByte() error {
	s.pos--
	return nil
}

// reader puts a payload on a tape.
type reader struct {
	pass
	source
	dec *lib.Decoder
	out *token.Builder
}

var readers = sync.Pool{New: func() any { return &reader{dec: lib.NewDecoder(nil)} }}

// errStop says that a walk came to the byte where it was to stop.
var errStop = errors.New("stop")

// tokenize reads what Java's MessagePackParser reads. Bytes behind the first value
// are ignored, as Jackson 2 does.
func tokenize(b *token.Builder, t *token.Tape, payload []byte, lim codecs.Limits, rules *databind.Rules) error {
	if err := b.Begin(t, Name, payload, lim); err != nil {
		return err
	}
	r := readers.Get().(*reader)
	defer r.release()
	r.pass = pass{b: payload, lim: lim, stack: r.stack}
	r.source = source{b: payload}
	r.dec.ResetReader(&r.source)
	r.out = b
	f := r.run()
	if f != nil {
		// What stands before the fault says where it is.
		if err := r.walk(f.at); err != nil && !errors.Is(err, errStop) {
			return err
		}
		err := b.Fail(f.at, "%s", f.reason)
		err.Limit = f.limit
		return err
	}
	t.Tokens = slices.Grow(t.Tokens, r.tokens)
	if err := r.walk(len(payload) + 1); err != nil {
		return err
	}
	if r.source.pos != r.pass.pos {
		return b.Fail(r.source.pos, "the value ends at byte %d, not here", r.pass.pos)
	}
	if rules.Whole && r.pass.pos < len(payload) {
		return b.Fail(r.pass.pos, "%d bytes behind the value", len(payload)-r.pass.pos)
	}
	return nil
}

func (r *reader) release() {
	const many = 1 << 10
	if cap(r.stack) > many {
		r.stack = nil
	}
	r.pass.b, r.source.b, r.out = nil, nil, nil
	readers.Put(r)
}

// walk reads tokens by the library up to the one that begins at byte stop or behind.
func (r *reader) walk(stop int) error {
	r.stack = r.stack[:0]
	err := r.value(stop)
	for err == nil && len(r.stack) > 0 {
		top := &r.stack[len(r.stack)-1]
		switch {
		case top.left == 0:
			r.out.Close()
			r.stack = r.stack[:len(r.stack)-1]
			continue
		case top.object:
			top.left--
			if err = r.out.Element(r.source.pos); err == nil {
				err = r.key(stop)
			}
		default:
			top.left--
			err = r.out.Element(r.source.pos)
		}
		if err == nil {
			err = r.value(stop)
		}
	}
	return err
}

// value reads one value; of a container the head.
func (r *reader) value(stop int) error {
	at := r.source.pos
	if at >= stop {
		return errStop
	}
	code, err := r.dec.PeekCode()
	if err != nil {
		return r.wrong(at, err)
	}
	switch kinds[code].class {
	case classArray, classMap:
		return r.open(at, kinds[code].class == classMap)
	case classString, classBytes:
		return r.text(at, kinds[code].class == classString, false)
	case classExt:
		return r.extension(at)
	case classScalar, classInvalid: // the library refuses the latter
	}
	return r.scalar(at, code)
}

func (r *reader) scalar(at int, code byte) (err error) {
	switch code {
	case msgpcode.Nil:
		err = r.dec.DecodeNil()
		r.out.Add(token.Null, at, 0)
	case msgpcode.False, msgpcode.True:
		_, err = r.dec.DecodeBool()
		r.out.Add(token.Bool, at, uint64(code-msgpcode.False))
	case msgpcode.Float:
		var f float32
		f, err = r.dec.DecodeFloat32()
		r.out.AddFloat32(at, f)
	case msgpcode.Double:
		var f float64
		f, err = r.dec.DecodeFloat64()
		r.out.AddFloat(at, f)
	case msgpcode.Uint64:
		var n uint64
		if n, err = r.dec.DecodeUint64(); n > math.MaxInt64 {
			r.out.AddBig(at, new(big.Int).SetUint64(n))
			break
		}
		r.out.Add(token.Int, at, n)
	default:
		var n int64
		n, err = r.dec.DecodeInt64()
		r.out.Add(token.Int, at, uint64(n)) // its bits
	}
	return r.wrong(at, err)
}

func (r *reader) open(at int, object bool) error {
	kind := token.Array
	var n int
	var err error
	if object {
		kind = token.Object
		n, err = r.dec.DecodeMapLen()
	} else {
		n, err = r.dec.DecodeArrayLen()
	}
	if err != nil {
		return r.wrong(at, err)
	}
	if err := r.out.Open(kind, at); err != nil {
		return err
	}
	r.stack = append(r.stack, frame{left: uint32(n), object: object}) // lengths have 32 bits
	return nil
}

// text reads a string or binary, which stays in the payload.
func (r *reader) text(at int, str, key bool) error {
	n, err := r.dec.DecodeBytesLen()
	if err != nil {
		return r.wrong(at, err)
	}
	if n < 0 || n > len(r.source.b)-r.source.pos {
		return r.wrong(at, io.ErrUnexpectedEOF)
	}
	off := r.source.pos
	r.source.pos += n
	kind := token.Bytes
	if str {
		kind = token.String
	}
	if key {
		kind = token.Key
	}
	if kind == token.Bytes || utf8.Valid(r.source.b[off:off+n]) {
		r.out.AddText(kind, 0, at, off, n)
		return nil
	}
	// Java's parser makes a String of the bytes, which replaces what is malformed.
	r.extra(kind, at, javatext.DecodeUTF8(r.source.b[off:off+n]))
	return nil
}

func (r *reader) extra(kind token.Kind, at int, text string) {
	from := len(r.out.Extra)
	r.out.Extra = append(r.out.Extra, text...)
	r.out.AddExtra(kind, 0, at, from)
}

// extension reads a value of an extension type, the timestamp among them: Java makes
// a MessagePackExtensionType of each, since Redisson registers no module for any.
func (r *reader) extension(at int) error {
	id, n, err := r.dec.DecodeExtHeader()
	if err != nil {
		return r.wrong(at, err)
	}
	if n < 0 || n > len(r.source.b)-r.source.pos {
		return r.wrong(at, io.ErrUnexpectedEOF)
	}
	i := r.out.AddText(token.Opaque, 0, at, r.source.pos, n)
	r.out.Tokens[i].Num = uint64(int64(id)) // its bits
	r.source.pos += n
	return nil
}

// key reads the key of a member. Java makes a text of whatever it is.
func (r *reader) key(stop int) error {
	at := r.source.pos
	if at >= stop {
		return errStop
	}
	code, err := r.dec.PeekCode()
	if err != nil {
		return r.wrong(at, err)
	}
	switch kinds[code].class {
	case classString, classBytes:
		return r.text(at, true, true)
	case classScalar:
	default:
		return r.wrong(at, errors.New("no key"))
	}
	switch code {
	case msgpcode.False, msgpcode.True:
		var v bool
		v, err = r.dec.DecodeBool()
		r.extra(token.Key, at, strconv.FormatBool(v))
	case msgpcode.Float, msgpcode.Double:
		var f float64
		f, err = r.dec.DecodeFloat64()
		r.extra(token.Key, at, string(javatext.AppendDouble(nil, f)))
	case msgpcode.Uint64:
		var n uint64
		if n, err = r.dec.DecodeUint64(); n > math.MaxInt64 {
			r.extra(token.Key, at, strconv.FormatUint(n, 10))
			break
		}
		r.out.AddIntKey(at, int64(n))
	default:
		var n int64
		n, err = r.dec.DecodeInt64()
		r.out.AddIntKey(at, n)
	}
	return r.wrong(at, err)
}

// wrong turns an error of the library into ours. The pass lets nothing through that
// the library refuses.
func (r *reader) wrong(at int, err error) error {
	if err == nil {
		return nil
	}
	e := r.out.Fail(at, "not MessagePack")
	e.Err = err
	return e
}
