package databind

import (
	"fmt"
	"math"
	"math/big"
	"sync"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// slot is what a value is declared as, which decides how Jackson writes it.
type slot uint8

const (
	slotRoot   slot = iota // its own class: final classes are bare
	slotObject             // java.lang.Object: whatever is not natural names its class
	slotOpen               // not known, such as a field of a bean: read either way
	slotTree               // inside JsonNode, or a final class that is declared: nothing is wrapped
	slotField              // a field of a bean that is not described: open, as are the elements of its lists and maps
)

// reader reads one payload. Tokens are named by their index.
type reader struct {
	tape    token.Tape
	toks    []token.Token // of the tape
	builder token.Builder
	more    bool // bytes follow the value
	codec   *Codec
	rules   *Rules // those of the codec, or of the field that is read
	bare    bool   // give values of unknown classes without their class, for Go types
	beans   map[string]*bean
	left    int // values that may still come
	depth   int // containers that may still be opened

	numbered map[int64]*numbered // objects by their "@id"
	latest   *numbered           // the last of them

	chunk  []byte // memory that short strings share
	boxes  memory.Boxes
	digits []byte // scratch
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// open returns a reader with payload on its tape. It goes back by [reader.close].
func (c *Codec) open(payload []byte, bare bool, beans map[string]*bean) (*reader, error) {
	r := readers.Get().(*reader)
	r.codec, r.rules, r.bare, r.beans = c, &c.rules, bare, beans
	r.left, r.depth = c.limits.Elements, c.limits.Depth
	r.tape.Wrapper, r.tape.Asked = wrapperLike, c.limits
	var err error
	if r.more, err = c.tokenize(&r.builder, &r.tape, payload, c.structure); err != nil {
		r.close()
		return nil, err
	}
	r.toks = r.tape.Tokens
	return r, nil
}

// close gives the reader back. The values it made do not refer to it.
func (r *reader) close() {
	r.tape.Reset(nil)
	r.codec, r.rules, r.beans, r.numbered, r.latest = nil, nil, nil, nil, nil
	r.toks, r.chunk = nil, nil
	r.boxes = memory.Boxes{}
	readers.Put(r)
}

// wrapperLike reports whether the array at index i of a tape is taken for a wrapper
// in the paths of errors. The tape may still be without its end.
func wrapperLike(t *token.Tape, i int) bool {
	k := &t.Tokens[i]
	if k.Flags&token.FlagWrapper != 0 {
		return true
	}
	return k.N > 0 && k.N <= 2 && k.Flags&token.FlagSized == 0 && i+1 < len(t.Tokens) && t.Tokens[i+1].Kind == token.String &&
		TypeID(string(t.Text(&t.Tokens[i+1])))
}

func (r *reader) fail(i int, format string, args ...any) *codecs.DecodeError {
	return &codecs.DecodeError{
		Codec: r.codec.Name(), Path: r.tape.Path(i), Offset: int(r.toks[i].At), Reason: fmt.Sprintf(format, args...),
	}
}

func (r *reader) failClass(i int, class, format string, args ...any) *codecs.DecodeError {
	e := r.fail(i, format, args...)
	e.Class = class
	return e
}

// enter counts a container that begins at token i.
func (r *reader) enter(i int) error {
	if r.depth == 0 {
		return r.fail(i, "nested deeper than %d (Limits.Depth)", r.codec.limits.Depth)
	}
	r.depth--
	return nil
}

func (r *reader) leave() { r.depth++ }

// within reports whether the value being read is within a container.
func (r *reader) within() bool { return r.depth < r.codec.limits.Depth }

// element counts one value of a container.
func (r *reader) element(i int) error {
	if r.left == 0 {
		err := r.fail(i, "more than %d values (Limits.Elements)", r.codec.limits.Elements)
		err.Limit = "Elements"
		return err
	}
	r.left--
	return nil
}

// natural returns what Java makes of a bare scalar where nothing is declared. Where
// the slot is not known, a value that is wrapped in an Object slot is marked.
func (r *reader) natural(i int, s slot) any {
	k := &r.toks[i]
	v := r.scalar(k)
	if r.bare || s != slotOpen && s != slotTree && s != slotField {
		return v
	}
	switch v := v.(type) {
	case int64:
		return Scalar(classLong, v)
	case float32:
		return Scalar(classFloat, v)
	case float64:
		if k.Flags&token.FlagLiteral == 0 && (math.IsNaN(v) || math.IsInf(v, 0)) {
			return Scalar(classDouble, v)
		}
	case []byte:
		return Scalar(classBytes, v)
	}
	return v
}

// scalar returns the value of a token that is no container: whole numbers are
// Integer, Long or BigInteger by size.
func (r *reader) scalar(k *token.Token) any {
	switch k.Kind {
	case token.Bool:
		return k.Bool()
	case token.Int:
		switch n := k.Int(); {
		case k.Flags&token.FlagBig != 0:
			return big.NewInt(n)
		case k.Flags&token.FlagLong != 0 || n != int64(int32(n)):
			return n
		default:
			return int32(n)
		}
	case token.Big:
		return r.tape.Big(k)
	case token.Float:
		if k.Flags&token.FlagFloat32 != 0 {
			return float32(r.tape.Float(k))
		}
		return r.tape.Float(k)
	case token.Decimal:
		return r.tape.Decimal(k)
	case token.String:
		if r.codec.rules.Jackson == 3 && k.Flags&(token.FlagLiteral|token.FlagSymbol) != 0 {
			return r.nativeText(k)
		}
		return r.text(k)
	case token.Bytes:
		return append([]byte{}, r.tape.Text(k)...)
	case token.Opaque:
		return &java.Object{Class: classOpaque, Fields: []java.Field{
			{Name: "type", Value: int32(k.Int())}, {Name: "data", Value: append([]byte{}, r.tape.Text(k)...)},
		}}
	default:
		return nil
	}
}

// nativeText returns what a timestamp or symbol means: a date or the constant of
// an enum, which Jackson 3 writes so.
func (r *reader) nativeText(k *token.Token) any {
	text := r.text(k)
	if k.Flags&token.FlagLiteral != 0 {
		if at, err := time.Parse("2006-01-02T15:04:05.000Z", text); err == nil {
			return java.Date{Class: java.ClassDate, Millis: at.UnixMilli()}
		}
		return text
	}
	if r.bare || text == "" {
		return text
	}
	return java.Enum{Name: text, Ordinal: -1}
}

// pair reports whether the value at i may be a wrapper by its kind: an array of two that begins
// with a text, or an object of one member. What it wraps is token i+2.
func (r *reader) pair(i int) bool {
	k := &r.toks[i]
	if r.codec.rules.WrapsInObjects() {
		return k.Kind == token.Object && k.N == 1
	}
	return k.Kind == token.Array && k.N == 2 && r.toks[i+1].Kind == token.String
}

// wrapper reports whether the array at i is ["class",value], whose value is then
// token i+2, and the class. Sure says that nothing else is possible there; otherwise
// the format tells, or the look of the name, or that it is described.
func (r *reader) wrapper(i int, sure bool) (class string, ok bool) {
	k := &r.toks[i]
	if !r.pair(i) {
		return "", false
	}
	class = string(r.tape.Text(&r.toks[i+1]))
	if !sure && (r.texts(i) || !TypeID(class) && r.beans[class] == nil) {
		return "", false
	}
	k.Flags |= token.FlagWrapper
	return class, true
}

// texts reports whether the array of two at i, the first of which is a string, is one of
// strings by the way it is written.
func (r *reader) texts(i int) bool {
	if r.toks[i].Flags&token.FlagSized == 0 {
		return false
	}
	second := r.toks[i+2].Kind
	return second == token.String || second == token.Null
}

// rootWrapper reports whether the array of two at i, the root, is a wrapper, however it
// is written: one of a class by its look, or around an array. Java reads any array of two
// there as one, but writes some that are none: those of final classes, which are bare.
func (r *reader) rootWrapper(i int) bool {
	toks := r.toks
	if !r.pair(i) {
		return false
	}
	return TypeID(string(r.tape.Text(&toks[i+1]))) || toks[i+2].Kind == token.Array && !wrapperLike(&r.tape, i+2)
}

func (r *reader) listBy(i int, class string, read func(e int) (any, error)) (any, error) {
	l := &java.List{Class: class, Elements: make([]any, 0, r.toks[i].N)}
	err := r.elements(i, func(e int) error {
		v, err := read(e)
		l.Elements = append(l.Elements, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// elements calls read for each element of the array at i.
func (r *reader) elements(i int, read func(e int) error) error {
	if err := r.enter(i); err != nil {
		return err
	}
	end := int(r.toks[i].Next)
	for e := i + 1; e < end; e = int(r.toks[e].Next) {
		if err := r.element(e); err != nil {
			return err
		}
		if err := read(e); err != nil {
			return err
		}
	}
	r.leave()
	return nil
}

// is reports whether the text of k is s.
func (r *reader) is(k *token.Token, s string) bool {
	return int(k.Len) == len(s) && string(r.tape.Text(k)) == s
}

// Strings of one payload share memory: one allocation for several of them. A string
// that is kept keeps at most maxChunk bytes of its siblings.
const (
	minChunk  = 64
	maxChunk  = 256
	maxShared = 64 // longer strings have their own memory
)

// text returns the text of k as a separate string.
func (r *reader) text(k *token.Token) string {
	b := r.tape.Text(k)
	switch {
	case len(b) > maxShared:
		return string(b)
	case len(b) == 0:
		return ""
	case len(b) > cap(r.chunk)-len(r.chunk):
		size := minChunk
		if r.chunk != nil {
			size = maxChunk
		}
		r.chunk = make([]byte, 0, size)
	}
	at := len(r.chunk)
	r.chunk = append(r.chunk, b...)
	return memory.Text(r.chunk[at:])
}
