package kryo5

import (
	"encoding/binary"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// addParts adds the classes that consist of parts, as all of java.time do.
func (k *catalog) addParts() {
	for _, t := range jdk.All() {
		if t.Parts == nil {
			continue
		}
		k.add(class{
			name: t.Class,
			read: func(d *decoder, _ *class, _ *layout.Type) (any, error) { return t.Read(partInput{d}, true) },
			write: func(e *encoder, c *class, v any, _ *layout.Type) error {
				if jdk.Of(v) != t {
					return wrongKind(c, v)
				}
				out, err := t.Append(e.out, v, &partOutput)
				if err != nil {
					return encodeFault(v, "%v", err)
				}
				e.out = out
				return nil
			},
		})
	}
}

// partInput is what a decoder is to package jdk.
type partInput struct{ d *decoder }

// Byte implements [jdk.Input].
func (p partInput) Byte() (byte, error) { return p.d.byte() }

// Number implements [jdk.Input].
func (p partInput) Number(part jdk.Part) (int64, error) {
	switch part {
	case jdk.Epoch:
		n, err := p.d.uv64()
		return int64(n), err
	case jdk.Seconds:
		n, err := p.d.fixed64()
		return int64(n), err
	case jdk.Offset:
		n, err := p.d.int32()
		return int64(n), err
	default:
		n, err := p.d.uv32()
		return int64(int32(n)), err
	}
}

// Text implements [jdk.Input].
func (p partInput) Text() (string, error) { return p.d.text() }

// At implements [jdk.Input].
func (p partInput) At() int { return p.d.at }

// Fault implements [jdk.Input].
func (p partInput) Fault(at int, format string, args ...any) error {
	return p.d.fault(at, format, args...)
}

var partOutput = jdk.Output{
	Number: func(dst []byte, part jdk.Part, n int64) []byte {
		switch part {
		case jdk.Epoch:
			return appendUV64(dst, uint64(n))
		case jdk.Seconds:
			return binary.LittleEndian.AppendUint64(dst, uint64(n))
		case jdk.Offset:
			return binary.LittleEndian.AppendUint32(dst, uint32(n))
		default:
			return appendUV32(dst, uint32(n))
		}
	},
	Text: func(dst []byte, s string) ([]byte, error) {
		e := encoder{out: dst}
		err := e.string(s)
		return e.out, err
	},
}

// readCalendar reads a java.util.Calendar, which Java writes as the parts that
// make it.
func readCalendar(d *decoder, c *class, _ *layout.Type) (any, error) {
	out := &java.Calendar{Class: c.name}
	var err error
	if out.Zone, err = d.text(); err != nil {
		return nil, err
	}
	millis, err := d.uv64()
	if err != nil {
		return nil, err
	}
	out.Millis = int64(millis)
	if out.Lenient, err = d.flag(); err != nil {
		return nil, err
	}
	for _, part := range []*int32{&out.FirstDay, &out.MinimalDays} {
		if *part, err = d.weekday(c); err != nil {
			return nil, err
		}
	}
	out.Cutover, err = d.zz64()
	return out, err
}

// weekday reads a number from 1 to 7.
func (d *decoder) weekday(c *class) (int32, error) {
	start := d.at
	v, err := d.uv32()
	if err == nil && (v < 1 || v > 7) {
		err = d.faultIn(c, start, "%d is no day of a week", v)
	}
	return int32(v), err
}

func writeCalendar(e *encoder, c *class, v *java.Calendar) error {
	if v == nil || v.FirstDay < 1 || v.FirstDay > 7 || v.MinimalDays < 1 || v.MinimalDays > 7 || v.Zone == "" {
		return encodeFault(v, "its parts make no %s: FirstDay and MinimalDays are 1 to 7, Zone is an id", c.name)
	}
	if err := e.string(v.Zone); err != nil {
		return err
	}
	e.out = append(appendUV64(e.out, uint64(v.Millis)), flagByte(v.Lenient))
	e.out = appendUV32(appendUV32(e.out, uint32(v.FirstDay)), uint32(v.MinimalDays))
	e.out = appendZZ64(e.out, v.Cutover)
	return nil
}
