package serial

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
)

// Reader is a payload, a place in it, and what may still be read of it.
type Reader struct {
	In     []byte
	At     int
	Limits codecs.Limits
	Left   int // values that may still come
	Depth  int
	Descs  *Descs

	codec      string
	flavor     Flavor
	refusals   *Refusals // nil where fields may differ
	checked    map[*Desc]bool
	unfinished []any // wrappers whose content may not be whole yet
	text       string
	textAt     int // text is In[textAt:]
}

// NewReader returns a reader of a payload by a codec.
func NewReader(codec string, flavor Flavor, payload []byte, limits codecs.Limits, descs *Descs, refusals *Refusals) Reader {
	limits = limits.Of(len(payload))
	return Reader{In: payload, Limits: limits, Left: limits.Elements, Descs: descs, codec: codec, flavor: flavor, refusals: refusals}
}

// Start begins to read a payload at a place; the tables stay.
func (r *Reader) Start(payload []byte, at int) {
	r.In, r.At, r.text, r.textAt = payload, at, "", 0
}

// Fail returns the error for what is at byte offset at.
func (r *Reader) Fail(at int, format string, args ...any) *codecs.DecodeError {
	return &codecs.DecodeError{Codec: r.codec, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// FailClass is [Reader.Fail] about one class.
func (r *Reader) FailClass(at int, class, format string, args ...any) *codecs.DecodeError {
	e := r.Fail(at, format, args...)
	e.Class = class
	return e
}

// Whole reads a payload by read, which reads one value.
func (r *Reader) Whole(read func() (any, error)) (any, error) {
	if len(r.In) > r.Limits.Bytes {
		return nil, r.Fail(-1, "the payload has %d bytes, more than %d: raise Limits.Bytes if that is right", len(r.In), r.Limits.Bytes)
	}
	v, err := read()
	r.Finish()
	if n := r.Remaining(); err == nil && n > 0 {
		err = r.Fail(r.At, "%d bytes follow the value: it was written by another codec, or with another schema or description", n)
	}
	return v, err
}

// Finish completes wrappers of collections that were not whole when the wrapper was read.
func (r *Reader) Finish() {
	Finish(r.unfinished)
	r.unfinished = nil
}

// Remaining returns how many bytes are left.
func (r *Reader) Remaining() int { return len(r.In) - r.At }

// Take returns the next n bytes.
func (r *Reader) Take(n int) ([]byte, error) {
	if n < 0 || n > r.Remaining() {
		return nil, r.Fail(len(r.In), "the payload ends in the middle of a value")
	}
	r.At += n
	return r.In[r.At-n : r.At : r.At], nil
}

// Byte reads one byte.
func (r *Reader) Byte() (byte, error) {
	if r.At >= len(r.In) {
		return 0, r.Fail(len(r.In), "the payload ends in the middle of a value")
	}
	r.At++
	return r.In[r.At-1], nil
}

// Int reads a number of 1, 2 or 4 bytes; those of 4 have a sign.
func (r *Reader) Int(width int) (n int, err error) {
	b, err := r.Take(width)
	for _, c := range b {
		n = n<<8 | int(c)
	}
	if width == 4 {
		n = int(int32(n))
	}
	return n, err
}

// Int32 reads four bytes.
func (r *Reader) Int32() (int32, error) {
	b, err := r.Take(4)
	if err != nil {
		return 0, err
	}
	return int32(binary.BigEndian.Uint32(b)), nil
}

// Int64 reads eight bytes.
func (r *Reader) Int64() (int64, error) {
	b, err := r.Take(8)
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// Enter starts something that holds others. Every call that succeeds is followed by one of
// Leave.
func (r *Reader) Enter(start int) error {
	if r.Depth >= r.Limits.Depth {
		return r.Fail(start, "nested more than %d levels deep: raise Limits.Depth if that is right", r.Limits.Depth)
	}
	r.Depth++
	return nil
}

// Leave ends what Enter started.
func (r *Reader) Leave() { r.Depth-- }

// Charge takes n values of at least width bytes each from the budget.
func (r *Reader) Charge(start, n, width int) error {
	if n < 0 || n > 0 && width > 0 && n > r.Remaining()/width {
		return r.Fail(start, "%d values do not fit into the %d bytes left", n, r.Remaining())
	}
	if n > r.Left {
		e := r.Fail(start, "more than %d values in a payload of %d bytes: raise Limits.Elements if that is right", r.Limits.Elements, len(r.In))
		e.Limit = "Elements"
		return e
	}
	r.Left -= n
	return nil
}

// maxShared is the payload size up to which strings are cut from one copy of the
// payload. In larger ones a string that outlives the others would keep too much.
const maxShared = 4096

// Text reads n bytes of modified UTF-8. Each call makes a string of its own memory: two
// texts of a payload are never one string, so that they are told apart when they are
// written again.
func (r *Reader) Text(n int) (string, error) {
	start := r.At
	b, err := r.Take(n)
	switch {
	case err != nil:
		return "", err
	case n > r.Limits.StringBytes:
		return "", r.Fail(start, "a text of %d bytes, more than %d: raise Limits.StringBytes if that is right", n, r.Limits.StringBytes)
	}
	if n == 0 || len(r.In) > maxShared || !plain(b) {
		s, err := String(b)
		if err != nil {
			return "", r.Fail(start, "%v", err)
		}
		return s, nil
	}
	if r.text == "" || start < r.textAt {
		r.text, r.textAt = own(r.In[start:]), start
	}
	return r.text[start-r.textAt : r.At-r.textAt], nil
}

// Open begins an object of class d. The value that it becomes is nil where that is not known
// before its end.
func (r *Reader) Open(start int, d *Desc) (in *Instance, value any, err error) {
	if err = r.check(start, d); err != nil {
		return nil, nil, err
	}
	in = NewInstance(d, r.flavor)
	in.Budget, in.Unfinished = &r.Left, &r.unfinished
	return in, Begin(d), nil
}

// Close ends an object whose levels are read, or were read up to err. With an error comes
// what was read of an object without a Go type. An error that names no class names that of the
// innermost object.
func (r *Reader) Close(start int, in *Instance, value any, err error) (any, error) {
	var e *codecs.DecodeError
	if errors.As(err, &e) && e.Class == "" {
		e.Class = in.Desc.Class
	}
	if err != nil && in.Desc.Shaped() {
		return nil, err
	}
	value, wrong := in.End(value)
	if err == nil && wrong != nil {
		e = r.FailClass(start, in.Desc.Class, "%v", wrong)
		if errors.Is(wrong, errBudget) {
			e.Limit = "Elements"
		}
		return nil, e
	}
	return value, err
}

// check refuses an object whose fields differ from those of the Go type.
func (r *Reader) check(start int, d *Desc) error {
	if r.refusals == nil || r.checked[d] {
		return nil
	}
	if field, reason := r.refusals.of(d); reason != "" {
		return &codecs.DecodeError{Codec: r.codec, Class: d.Class, Path: errpath.Key(field), Offset: start, Reason: "fields differ: " + reason}
	}
	if r.checked == nil {
		r.checked = map[*Desc]bool{}
	}
	r.checked[d] = true
	return nil
}

// Index returns the path of element i.
func Index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// mostKept bounds the tables that are used again.
const mostKept = 1024

// Emptied returns the memory of a table without what it held; none where one huge payload has
// grown it.
func Emptied[T any](table []T) []T {
	if cap(table) > mostKept {
		return nil
	}
	clear(table)
	return table[:0]
}

// EmptiedMap is [Emptied] of a map.
func EmptiedMap[K comparable, V any](table map[K]V) map[K]V {
	if table == nil || len(table) > mostKept {
		return map[K]V{}
	}
	clear(table)
	return table
}
