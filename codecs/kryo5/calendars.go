package kryo5

import (
	"encoding/binary"

	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// Parts of java.time.ZoneOffset: at most 18 hours, written in quarters of an hour
// or, where that does not go, in seconds behind a mark.
const (
	quarter   = 900
	oddOffset = 127
)

func (d *decoder) zoneOffset() (java.ZoneOffset, error) {
	start := d.at
	b, err := d.byte()
	if err != nil {
		return 0, err
	}
	seconds, odd := int32(int8(b))*quarter, b == oddOffset
	if odd {
		if seconds, err = d.int32(); err != nil {
			return 0, err
		}
	}
	if !javatime.ValidOffset(java.ZoneOffset(seconds)) || odd && seconds%quarter == 0 {
		return 0, d.fault(start, "%d seconds are no offset of a zone", seconds)
	}
	return java.ZoneOffset(seconds), nil
}

func (d *decoder) offsetTime() (java.OffsetTime, error) {
	t, err := d.localTime()
	if err != nil {
		return java.OffsetTime{}, err
	}
	offset, err := d.zoneOffset()
	return java.OffsetTime{Time: t, Offset: offset}, err
}

func (d *decoder) offsetDateTime() (java.OffsetDateTime, error) {
	at, err := d.localDateTime()
	if err != nil {
		return java.OffsetDateTime{}, err
	}
	offset, err := d.zoneOffset()
	return java.OffsetDateTime{Date: at.Date, Time: at.Time, Offset: offset}, err
}

func (d *decoder) zonedDateTime() (java.ZonedDateTime, error) {
	at, err := d.localDateTime()
	if err != nil {
		return java.ZonedDateTime{}, err
	}
	zone, err := d.text()
	return java.ZonedDateTime{Date: at.Date, Time: at.Time, Zone: zone}, err
}

func (d *decoder) year() (java.Year, error) {
	start := d.at
	v, err := d.uv32()
	if err == nil && !javatime.ValidYear(int32(v)) {
		err = d.fault(start, "%d is no year", int32(v))
	}
	return java.Year(int32(v)), err
}

func (d *decoder) yearMonth() (java.YearMonth, error) {
	y, err := d.year()
	if err != nil {
		return java.YearMonth{}, err
	}
	start := d.at
	m, err := d.byte()
	if err == nil && (m < 1 || m > 12) {
		err = d.fault(start, "%d is no month", m)
	}
	return java.YearMonth{Year: int32(y), Month: m}, err
}

func (d *decoder) monthDay() (java.MonthDay, error) {
	b, err := d.fixed(2)
	if err != nil {
		return java.MonthDay{}, err
	}
	v := java.MonthDay{Month: b[0], Day: b[1]}
	if !javatime.ValidMonthDay(v) {
		return java.MonthDay{}, d.fault(d.at-2, "month %d has no day %d", v.Month, v.Day)
	}
	return v, nil
}

func (d *decoder) period() (java.Period, error) {
	var parts [3]int32
	for i := range parts {
		v, err := d.uv32()
		if err != nil {
			return java.Period{}, err
		}
		parts[i] = int32(v)
	}
	return java.Period{Years: parts[0], Months: parts[1], Days: parts[2]}, nil
}

// writeTime writes the classes of java.time. Values that Java could not read back
// are errors.
func writeTime(e *encoder, c *class, v any, _ *layout.Type) error {
	if !javatime.Valid(v) {
		return encodeFault(v, "its parts make no %s", c.name)
	}
	switch v := v.(type) {
	case java.Instant:
		e.out = appendUV32(appendUV64(e.out, uint64(v.Seconds)), uint32(v.Nanos))
	case java.Duration:
		e.out = appendUV32(binary.LittleEndian.AppendUint64(e.out, uint64(v.Seconds)), uint32(v.Nanos))
	case java.LocalDate:
		e.out = appendLocalDate(e.out, v)
	case java.LocalTime:
		e.out = appendLocalTime(e.out, v)
	case java.LocalDateTime:
		e.out = appendLocalTime(appendLocalDate(e.out, v.Date), v.Time)
	case java.ZoneOffset:
		e.out = appendOffset(e.out, v)
	case java.OffsetTime:
		e.out = appendOffset(appendLocalTime(e.out, v.Time), v.Offset)
	case java.OffsetDateTime:
		e.out = appendOffset(appendLocalTime(appendLocalDate(e.out, v.Date), v.Time), v.Offset)
	case java.ZonedDateTime:
		e.out = appendLocalTime(appendLocalDate(e.out, v.Date), v.Time)
		return e.string(v.Zone)
	case java.Year:
		e.out = appendUV32(e.out, uint32(v))
	case java.YearMonth:
		e.out = append(appendUV32(e.out, uint32(v.Year)), v.Month)
	case java.MonthDay:
		e.out = append(e.out, v.Month, v.Day)
	case java.Period:
		e.out = appendUV32(appendUV32(appendUV32(e.out, uint32(v.Years)), uint32(v.Months)), uint32(v.Days))
	default:
		return wrongKind(c, v)
	}
	return nil
}

func appendOffset(dst []byte, o java.ZoneOffset) []byte {
	if o%quarter == 0 {
		return append(dst, byte(int8(o/quarter)))
	}
	return binary.LittleEndian.AppendUint32(append(dst, oddOffset), uint32(o))
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
