package marshalling

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// input is the payload with a read position and the budgets of its reader.
type input struct {
	In     []byte
	At     int
	Left   int // values that may still come
	Depth  int
	limits codecs.Limits
	text   string // In[textAt:] as a string, which short strings are cut from
	textAt int
}

func (d *input) remaining() int { return len(d.In) - d.At }

// fault returns the error for what is at byte offset at.
func (d *input) fault(at int, format string, args ...any) error {
	return &codecs.DecodeError{Codec: name, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// classFault is [input.fault] about one class.
func (d *input) classFault(at int, class, format string, args ...any) error {
	return &codecs.DecodeError{Codec: name, Class: class, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

func (d *input) ended() error {
	return d.fault(len(d.In), "the payload ends in the middle of a value")
}

func (d *input) u8() (byte, error) {
	if d.At >= len(d.In) {
		return 0, d.ended()
	}
	b := d.In[d.At]
	d.At++
	return b, nil
}

func (d *input) fixed(n int) ([]byte, error) {
	if n < 0 || d.remaining() < n {
		return nil, d.ended()
	}
	b := d.In[d.At : d.At+n]
	d.At += n
	return b, nil
}

func (d *input) u16() (uint16, error) {
	b, err := d.fixed(2)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint16(b), nil
}

func (d *input) i32() (int32, error) {
	b, err := d.fixed(4)
	if err != nil {
		return 0, err
	}
	return int32(binary.BigEndian.Uint32(b)), nil
}

func (d *input) i64() (int64, error) {
	b, err := d.fixed(8)
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// size reads the count of a string, array or collection. Form 0 is one byte, 1
// two bytes and 2 four; of the short ones 0 stands for the next power.
func (d *input) size(form byte) (int, error) {
	start := d.At
	switch form {
	case 0:
		n, err := d.u8()
		if n == 0 {
			return 256, err
		}
		return int(n), err
	case 1:
		n, err := d.u16()
		if n == 0 {
			return 65536, err
		}
		return int(n), err
	}
	n, err := d.i32()
	if err == nil && n <= 0 {
		err = d.fault(start, "count %d where Java writes a positive one", n)
	}
	return int(n), err
}

// enter starts something that holds n values of at least width bytes each.
// Every call that succeeds is followed by one of leave.
func (d *input) enter(start, n, width int) error {
	if err := d.charge(start, n, width); err != nil {
		return err
	}
	if d.Depth >= d.limits.Depth {
		return d.fault(start, "nested more than %d levels deep: raise Limits.Depth if that is right", d.limits.Depth)
	}
	d.Depth++
	return nil
}

func (d *input) leave() { d.Depth-- }

// charge takes n values of at least width bytes each from the budget.
func (d *input) charge(start, n, width int) error {
	if err := d.fits(start, n, width); err != nil {
		return err
	}
	if n > d.Left {
		return &codecs.DecodeError{Codec: name, Offset: start, Limit: "Elements", Reason: fmt.Sprintf(
			"more than %d values in a payload of %d bytes: raise Limits.Elements if that is right", d.limits.Elements, len(d.In))}
	}
	d.Left -= n
	return nil
}

// fits reports n values of at least width bytes each that do not fit into what
// is left.
func (d *input) fits(start, n, width int) error {
	if n < 0 || n > 0 && width > 0 && n > d.remaining()/width {
		return d.fault(start, "%d values do not fit into the %d bytes left", n, d.remaining())
	}
	return nil
}

func underIndex(i int, err error) error { return java.UnderDecode("["+strconv.Itoa(i)+"]", err) }
