package serial

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// endTime reads the one block of a java.time.Ser.
func endTime(in *Instance, _ any) (any, error) {
	l := in.own()
	if len(l.Items) != 1 {
		return nil, errors.New("java.time.Ser is one block of bytes")
	}
	block, ok := l.Items[0].(java.Block)
	if !ok {
		return nil, errors.New("java.time.Ser is a block of bytes")
	}
	r := timeInput{in: block, flavor: in.Flavor}
	v, err := jdk.ReadSer(&r)
	if err == nil && len(r.in) > 0 {
		err = errors.New("bytes follow the time")
	}
	return v, err
}

// writeTime fills the one block of a java.time.Ser.
func writeTime(in *Instance, value any) error {
	flavor := in.Flavor
	out, err := jdk.AppendSer(nil, value, func(dst []byte, s string) ([]byte, error) { return appendUTF(dst, s, flavor) })
	if err != nil {
		return err
	}
	in.own().Items = []any{java.Block(out)}
	return nil
}

// timeInput reads a block.
type timeInput struct {
	in     []byte
	flavor Flavor
}

func (r *timeInput) take(n int) ([]byte, error) {
	if len(r.in) < n {
		return nil, errors.New("the time is cut short")
	}
	b := r.in[:n]
	r.in = r.in[n:]
	return b, nil
}

// Byte implements [jdk.Input].
func (r *timeInput) Byte() (byte, error) {
	b, err := r.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// Number implements [jdk.Input].
func (r *timeInput) Number(part jdk.Part) (int64, error) {
	size := 4
	if part == jdk.Epoch || part == jdk.Seconds {
		size = 8
	}
	b, err := r.take(size)
	switch {
	case err != nil:
		return 0, err
	case size == 8:
		return int64(binary.BigEndian.Uint64(b)), nil
	default:
		return int64(int32(binary.BigEndian.Uint32(b))), nil
	}
}

// Text implements [jdk.Input].
func (r *timeInput) Text() (string, error) {
	var size int
	if r.flavor == River {
		units, err := r.Number(jdk.Nanos)
		if err != nil {
			return "", err
		}
		if size = UnitsEnd(r.in, int(min(uint32(units), 1<<16))); size < 0 {
			return "", errText
		}
	} else {
		b, err := r.take(2)
		if err != nil {
			return "", err
		}
		size = int(binary.BigEndian.Uint16(b))
	}
	b, err := r.take(size)
	if err != nil {
		return "", err
	}
	return String(b)
}

// At implements [jdk.Input]: the place in a block is not known.
func (r *timeInput) At() int { return -1 }

// Fault implements [jdk.Input].
func (r *timeInput) Fault(_ int, format string, args ...any) error {
	return fmt.Errorf(format, args...)
}

// appendUTF appends what writeUTF writes.
func appendUTF(dst []byte, s string, flavor Flavor) ([]byte, error) {
	size, units := TextSize(s)
	if size > math.MaxUint16 {
		return dst, fmt.Errorf("a zone id of %d bytes is too long", size)
	}
	if flavor == River {
		dst = binary.BigEndian.AppendUint32(dst, uint32(units))
	} else {
		dst = binary.BigEndian.AppendUint16(dst, uint16(size))
	}
	return AppendText(dst, s), nil
}
