package serialization

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// reader reads one stream into values.
type reader struct {
	In      []byte
	At      int
	Left    int // values that may still come
	Depth   int
	started bool
	limits  codecs.Limits
	handles []handle
	levels  []serial.Level // of the instances being read, the innermost one last
	late    []any          // wrappers to be completed at the end
	// noFields are the classes whose writeObject method writes no fields.
	noFields map[string]bool
	cache    *descCache       // may be nil
	refusals *serial.Refusals // may be nil
	// While descriptors are read that the cache may keep:
	refs      []int // the handles they refer to
	noted     int   // how many are being read
	annotated int   // annotations met so far
}

// handle is one entry of the table of back references.
type handle struct {
	kind  handleKind
	text  string // of a string
	value any    // of a value; the *serial.Desc of a class descriptor
}

type handleKind uint8

const (
	openHandle   handleKind = iota // not known before its end
	stringHandle                   // text
	valueHandle                    // value
	descHandle                     // value is a *serial.Desc
)

func (r *reader) reset(in []byte, limits codecs.Limits) {
	r.In, r.At, r.started = in, 0, false
	r.limits, r.Left, r.Depth = limits, limits.Elements, 0
	clear(r.handles)
	clear(r.levels)
	clear(r.late)
	r.handles, r.levels, r.late = r.handles[:0], r.levels[:0], r.late[:0]
	r.refs, r.noted, r.refusals = r.refs[:0], 0, nil
}

func (r *reader) fail(at int, format string, args ...any) *codecs.DecodeError {
	return &codecs.DecodeError{Codec: name, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

func (r *reader) short(at int) *codecs.DecodeError {
	return r.fail(at, "the payload ends in the middle of a value")
}

// take returns the next n bytes.
func (r *reader) take(n int) ([]byte, error) {
	if n > len(r.In)-r.At {
		return nil, r.short(len(r.In))
	}
	b := r.In[r.At : r.At+n]
	r.At += n
	return b, nil
}

func (r *reader) byte() (byte, error) {
	if r.At >= len(r.In) {
		return 0, r.short(r.At)
	}
	r.At++
	return r.In[r.At-1], nil
}

func (r *reader) int32() (int32, error) {
	b, err := r.take(4)
	if err != nil {
		return 0, err
	}
	return int32(binary.BigEndian.Uint32(b)), nil
}

// charge takes n elements from the budget.
func (r *reader) charge(n int) error {
	if r.Left -= n; r.Left < 0 {
		r.Left = 0
		err := r.fail(r.At, "the value has more than %d elements in %d bytes: raise Limits.Elements if that is right", r.limits.Elements, len(r.In))
		err.Limit = "Elements"
		return err
	}
	return nil
}

func (r *reader) enter() error {
	if r.Depth++; r.Depth > r.limits.Depth {
		return r.fail(r.At, "the value is nested more than %d deep", r.limits.Depth)
	}
	return nil
}

func (r *reader) header() error {
	b, err := r.take(len(magic))
	if err != nil {
		return err
	}
	if string(b) != magic {
		return r.fail(0, "it does not begin with ac ed 00 05: it is no java.io object stream")
	}
	r.started = true
	return nil
}

// object reads one object at the top.
func (r *reader) object() (any, error) {
	v, err := r.value()
	if err == nil && len(r.late) > 0 {
		serial.Finish(r.late)
		r.late = r.late[:0]
	}
	return v, err
}

func (r *reader) push(h handle) int {
	r.handles = append(r.handles, h)
	return len(r.handles) - 1
}

// value reads any object.
func (r *reader) value() (any, error) {
	start := r.At
	tag, err := r.byte()
	if err != nil {
		return nil, err
	}
	switch tag {
	case tcNull:
		return nil, nil
	case tcReference:
		return r.reference()
	case tcString, tcLongString:
		return r.text(tag)
	}
	if err = r.enter(); err != nil {
		return nil, err
	}
	var v any
	switch tag {
	case tcObject:
		v, err = r.instance(start)
	case tcArray:
		v, err = r.array(start)
	case tcEnum:
		v, err = r.enum(start)
	case tcClass:
		v, err = r.class(start)
	case tcClassDesc, tcProxyClassDesc:
		err = r.fail(start, "a class descriptor where a value belongs")
	case tcBlockData, tcBlockDataLong, tcEndBlockData:
		err = r.fail(start, "bytes where a value belongs")
	case tcReset, tcException:
		err = r.fail(start, "the stream was reset or broken off: no codec writes that")
	default:
		err = r.fail(start, "unknown tag %#02x", tag)
	}
	r.Depth--
	return v, err
}

// reference reads a back reference to a value.
func (r *reader) reference() (any, error) {
	start := r.At - 1
	h, err := r.handle()
	if err != nil {
		return nil, err
	}
	switch h.kind {
	case stringHandle:
		return h.text, nil
	case valueHandle:
		return h.value, nil
	case descHandle:
		return nil, r.fail(start, "a back reference leads to a class descriptor where a value belongs")
	case openHandle:
	}
	return nil, r.fail(start, "a back reference leads to an object that is not complete")
}

func (r *reader) handle() (*handle, error) {
	start := r.At - 1
	n, err := r.int32()
	if err != nil {
		return nil, err
	}
	i := int64(n) - baseHandle
	if i < 0 || i >= int64(len(r.handles)) {
		return nil, r.fail(start, "back reference %d leads nowhere: there are %d objects so far", i, len(r.handles))
	}
	if r.noted > 0 {
		r.refs = append(r.refs, int(i))
	}
	return &r.handles[i], nil
}

// text reads a string behind its tag.
func (r *reader) text(tag byte) (string, error) {
	s, err := r.chars(tag)
	if err == nil {
		r.push(handle{kind: stringHandle, text: s})
	}
	return s, err
}

func (r *reader) chars(tag byte) (string, error) {
	start := r.At - 1
	var n int64
	if tag == tcString {
		b, err := r.take(2)
		if err != nil {
			return "", err
		}
		n = int64(binary.BigEndian.Uint16(b))
	} else {
		b, err := r.take(8)
		if err != nil {
			return "", err
		}
		n = int64(binary.BigEndian.Uint64(b))
	}
	if n < 0 || n > int64(len(r.In)-r.At) {
		return "", r.fail(start, "a string of %d bytes does not fit into the payload", n)
	}
	if n > int64(r.limits.StringBytes) {
		return "", r.fail(start, "a string has %d bytes, more than %d: raise Limits.StringBytes if that is right", n, r.limits.StringBytes)
	}
	b := r.In[r.At : r.At+int(n)]
	r.At += int(n)
	s, err := serial.String(b)
	if err != nil {
		return "", r.fail(start, "%v", err)
	}
	return s, nil
}

// utf reads a name: two bytes of length and text without a handle.
func (r *reader) utf() (string, error) {
	start := r.At
	b, err := r.take(2)
	if err != nil {
		return "", err
	}
	if b, err = r.take(int(binary.BigEndian.Uint16(b))); err != nil {
		return "", err
	}
	s, err := serial.String(b)
	if err != nil {
		return "", r.fail(start, "%v", err)
	}
	return s, nil
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }
