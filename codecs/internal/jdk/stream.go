package jdk

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// SerClass is the class in whose name streams of Java hold all of java.time.
const SerClass = "java.time.Ser"

// Types of java.time.Ser that stand within a ZonedDateTime.
const (
	SerRegion = 7
	SerOffset = 8
)

// Parts of an offset: quarters of an hour, or seconds behind a mark.
const (
	quarter   = 900
	oddOffset = 127
)

// Input is what parts are read from.
type Input interface {
	Byte() (byte, error)
	Number(part Part) (int64, error) // an int, or of Epoch and Seconds a long
	Text() (string, error)
	// At returns the place in the payload.
	At() int
	// Fault returns the error that what stands at a place is wrong.
	Fault(at int, format string, args ...any) error
}

// Output is how a format writes parts.
type Output struct {
	Number func(dst []byte, part Part, n int64) []byte
	Text   func(dst []byte, s string) ([]byte, error)
}

// Read reads a value of the class from its parts. Strict refuses what Java takes and never
// writes.
func (t *Type) Read(in Input, strict bool) (any, error) { return t.read(in, t.Parts, strict) }

// ReadSer reads what java.time.Ser wrote.
func ReadSer(in Input) (any, error) {
	start := in.At()
	kind, err := in.Byte()
	if err != nil {
		return nil, err
	}
	t := bySer[kind]
	if t == nil {
		return nil, in.Fault(start, "java.time has no type %d", kind)
	}
	return t.read(in, t.Stream, false)
}

func (t *Type) read(in Input, parts []Part, strict bool) (any, error) {
	r := reader{in: in, strict: strict}
	for _, part := range parts {
		start := in.At()
		r.part(part)
		if r.err == nil && !r.valid(part) {
			r.err = in.Fault(start, "%s is no %s", r.show(part), names[part])
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return t.Join(&r.Value), nil
}

// reader reads parts until the first error.
type reader struct {
	Value
	in     Input
	strict bool
	err    error
}

func (r *reader) byte() byte {
	if r.err != nil {
		return 0
	}
	b, err := r.in.Byte()
	r.err = err
	return b
}

func (r *reader) number(part Part) int64 {
	if r.err != nil {
		return 0
	}
	n, err := r.in.Number(part)
	r.err = err
	return n
}

func (r *reader) text() string {
	s, err := r.in.Text()
	r.err = err
	return s
}

func (r *reader) part(part Part) {
	switch part {
	case Date:
		r.Year, r.Month, r.Day = int32(r.number(Year)), r.byte(), r.byte()
	case Clock:
		r.clock()
	case Month:
		r.Month = r.byte()
	case Day:
		r.Day = r.byte()
	case Offset:
		r.Offset = r.offset()
	case Zone:
		r.Zone = r.text()
	case Region:
		r.region()
	case Epoch, Seconds:
		r.Seconds = r.number(part)
	default:
		*r.Int(part) = int32(r.number(part))
	}
}

// names of parts in errors.
var names = map[Part]string{
	Date: "date", Clock: "time of day", Year: "year", Month: "month", Day: "day of a month", Offset: "offset of a zone",
	Zone: "id of a zone", Epoch: "number of seconds of an Instant", Nanos: "number of nanoseconds of a second",
}

// clock reads hour, minute, second and nanosecond; the last part that is not zero
// is written with all bits turned, and ends the value.
func (r *reader) clock() {
	start := r.in.At()
	for i, to := range [...]*uint8{&r.Hour, &r.Minute, &r.Second} {
		b := r.byte()
		last := b >= 0x80
		if last {
			b = ^b
		}
		*to = b
		if last && i > 0 && b == 0 && r.strict {
			r.err = r.in.Fault(start, "a time ends in a part that is zero")
		}
		if last || r.err != nil {
			return
		}
	}
	if r.Nanos = int32(r.number(Nanos)); r.err == nil && r.Nanos == 0 && r.strict {
		r.err = r.in.Fault(start, "a time ends in a part that is zero")
	}
}

func (r *reader) offset() int32 {
	start := r.in.At()
	b := int8(r.byte())
	if b != oddOffset {
		return int32(b) * quarter
	}
	seconds := int32(r.number(Offset))
	if r.err == nil && seconds%quarter == 0 && r.strict {
		r.err = r.in.Fault(start, "an offset of %d seconds is written in seconds", seconds)
	}
	return seconds
}

func (r *reader) region() {
	start := r.in.At()
	r.HasOffset = true
	switch kind := r.byte(); {
	case r.err != nil:
	case kind == SerRegion:
		r.Zone = r.text()
	case kind == SerOffset:
		seconds := r.offset()
		if (&Value{Offset: seconds}).valid(Offset) {
			r.Zone = OffsetText(seconds)
		} else if r.err == nil {
			r.err = r.in.Fault(start, "an offset of %d seconds is more than 18 hours", seconds)
		}
	default:
		r.err = r.in.Fault(start, "%d is no kind of time zone", kind)
	}
}

// Append appends the parts of a value of the class. What Java could not read back is an error.
func (t *Type) Append(dst []byte, v any, out *Output) ([]byte, error) {
	p := t.Split(v)
	if !t.Valid(&p) {
		return dst, fmt.Errorf("its parts make no %s", t.Class)
	}
	return p.append(dst, t.Parts, out)
}

// AppendSer appends what java.time.Ser writes of v, with numbers as a DataOutput has them.
// Text appends what writeUTF writes.
func AppendSer(dst []byte, v any, text func(dst []byte, s string) ([]byte, error)) ([]byte, error) {
	t := OfClass(Class(v))
	if t == nil || t.Ser == 0 {
		return dst, fmt.Errorf("a %T is no time", v)
	}
	p := t.Split(v)
	if !t.Valid(&p) {
		return dst, fmt.Errorf("its parts make no %s", t.Class)
	}
	return p.append(append(dst, t.Ser), t.Stream, &Output{Number: appendNumber, Text: text})
}

func appendNumber(dst []byte, part Part, n int64) []byte {
	if part == Epoch || part == Seconds {
		return binary.BigEndian.AppendUint64(dst, uint64(n))
	}
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

func (p *Value) append(dst []byte, parts []Part, out *Output) (_ []byte, err error) {
	for _, part := range parts {
		switch part {
		case Date:
			dst = append(out.Number(dst, Year, int64(p.Year)), p.Month, p.Day)
		case Clock:
			dst = p.appendClock(dst, out)
		case Month:
			dst = append(dst, p.Month)
		case Day:
			dst = append(dst, p.Day)
		case Offset:
			if parts[len(parts)-1] == Region {
				if err = p.resolve(); err != nil {
					return dst, err
				}
			}
			dst = appendOffset(dst, p.Offset, out)
		case Zone:
			dst, err = out.Text(dst, p.Zone)
		case Region:
			dst, err = p.appendRegion(dst, out)
		case Epoch, Seconds:
			dst = out.Number(dst, part, p.Seconds)
		default:
			dst = out.Number(dst, part, int64(*p.Int(part)))
		}
	}
	return dst, err
}

func (p *Value) appendClock(dst []byte, out *Output) []byte {
	switch {
	case p.Nanos != 0:
		return out.Number(append(dst, p.Hour, p.Minute, p.Second), Nanos, int64(p.Nanos))
	case p.Second != 0:
		return append(dst, p.Hour, p.Minute, ^p.Second)
	case p.Minute != 0:
		return append(dst, p.Hour, ^p.Minute)
	}
	return append(dst, ^p.Hour)
}

func appendOffset(dst []byte, seconds int32, out *Output) []byte {
	if seconds%quarter == 0 {
		return append(dst, byte(int8(seconds/quarter)))
	}
	return out.Number(append(dst, oddOffset), Offset, int64(seconds))
}

// resolve sets the offset of a zone whose id is one.
func (p *Value) resolve() error {
	offset, fixed := offsetOf(p.Zone)
	switch {
	case !fixed && (p.Zone[0] == '+' || p.Zone[0] == '-'):
		return fmt.Errorf("%q is no id of a zone", p.Zone)
	case p.HasOffset:
	case fixed:
		p.Offset = offset
	default:
		return errors.New("the offset of its zone at that time is not known, and the stream carries it: set Offset and HasOffset")
	}
	return nil
}

func (p *Value) appendRegion(dst []byte, out *Output) ([]byte, error) {
	if offset, fixed := offsetOf(p.Zone); fixed {
		return appendOffset(append(dst, SerOffset), offset, out), nil
	}
	return out.Text(append(dst, SerRegion), p.Zone)
}

// offsetOf returns the offset that the id of a zone is, false for those of regions.
func offsetOf(zone string) (int32, bool) {
	if zone == "+00:00" || zone == "-00:00" { // as Java takes them, and never writes them
		return 0, true
	}
	return ParseOffset(zone)
}
