package serial

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/duequeue/duequeue/codecs/java"
)

// writeTime fills the one block of a java.time.Ser.
func writeTime(in *Instance, value any) error {
	w := timeWriter{flavor: in.Flavor}
	if err := w.value(value); err != nil {
		return err
	}
	in.own().Items = []any{java.Block(w.out)}
	return nil
}

type timeWriter struct {
	out    []byte
	flavor Flavor
}

func (w *timeWriter) bytes(b ...byte) { w.out = append(w.out, b...) }
func (w *timeWriter) int32(numbers ...int32) {
	for _, n := range numbers {
		w.out = binary.BigEndian.AppendUint32(w.out, uint32(n))
	}
}

func (w *timeWriter) seconds(kind byte, seconds int64, nanos int32) {
	w.bytes(kind)
	w.out = binary.BigEndian.AppendUint64(w.out, uint64(seconds))
	w.int32(nanos)
}

func (w *timeWriter) value(value any) error {
	switch v := value.(type) {
	case java.Duration:
		w.seconds(serDuration, v.Seconds, v.Nanos)
	case java.Instant:
		w.seconds(serInstant, v.Seconds, v.Nanos)
	case java.LocalDate:
		w.bytes(serLocalDate)
		w.date(v)
	case java.LocalTime:
		w.bytes(serLocalTime)
		w.time(v)
	case java.LocalDateTime:
		w.bytes(serLocalDateTime)
		w.date(v.Date)
		w.time(v.Time)
	case java.ZonedDateTime:
		return w.zoned(v)
	case java.Text:
		w.bytes(serZoneRegion)
		return w.text(v.Value)
	case java.ZoneOffset:
		w.bytes(serZoneOffset)
		w.offset(v)
	case java.OffsetTime:
		w.bytes(serOffsetTime)
		w.time(v.Time)
		w.offset(v.Offset)
	case java.OffsetDateTime:
		w.bytes(serOffsetDateTime)
		w.date(v.Date)
		w.time(v.Time)
		w.offset(v.Offset)
	case java.Year:
		w.bytes(serYear)
		w.int32(int32(v))
	case java.YearMonth:
		w.bytes(serYearMonth)
		w.int32(v.Year)
		w.bytes(v.Month)
	case java.MonthDay:
		w.bytes(serMonthDay, v.Month, v.Day)
	case java.Period:
		w.bytes(serPeriod)
		w.int32(v.Years, v.Months, v.Days)
	default:
		return fmt.Errorf("a %T is no time", value)
	}
	return nil
}

func (w *timeWriter) date(d java.LocalDate) {
	w.int32(d.Year)
	w.bytes(d.Month, d.Day)
}

func (w *timeWriter) time(t java.LocalTime) {
	switch {
	case t.Nano != 0:
		w.bytes(t.Hour, t.Minute, t.Second)
		w.int32(t.Nano)
	case t.Second != 0:
		w.bytes(t.Hour, t.Minute, ^t.Second)
	case t.Minute != 0:
		w.bytes(t.Hour, ^t.Minute)
	default:
		w.bytes(^t.Hour)
	}
}

func (w *timeWriter) offset(o java.ZoneOffset) {
	if o%900 == 0 {
		w.bytes(byte(int8(o / 900)))
		return
	}
	w.bytes(127)
	w.int32(int32(o))
}

func (w *timeWriter) zoned(z java.ZonedDateTime) error {
	offset, fixed := parseOffset(z.Zone)
	switch {
	case !z.HasOffset && fixed:
		z.Offset = offset
	case !z.HasOffset:
		return errors.New("the offset of its zone at that time is not known, and the stream carries it: set Offset and HasOffset")
	}
	w.bytes(serZonedDateTime)
	w.date(z.Date)
	w.time(z.Time)
	w.offset(z.Offset)
	if fixed {
		w.bytes(serZoneOffset)
		w.offset(offset)
		return nil
	}
	w.bytes(serZoneRegion)
	return w.text(z.Zone)
}

// text writes what writeUTF does.
func (w *timeWriter) text(s string) error {
	size, units := TextSize(s)
	if size > math.MaxUint16 {
		return fmt.Errorf("a zone id of %d bytes is too long", size)
	}
	if w.flavor == River {
		w.int32(int32(units))
	} else {
		w.bytes(byte(size>>8), byte(size))
	}
	w.out = AppendText(w.out, s)
	return nil
}

// offsetID returns the id of an offset: Z, +08:00 or +05:53:28.
func offsetID(o java.ZoneOffset) string {
	if o == 0 {
		return "Z"
	}
	sign := '+'
	if o < 0 {
		sign, o = '-', -o
	}
	id := fmt.Sprintf("%c%02d:%02d", sign, o/3600, o/60%60)
	if o%60 != 0 {
		id += fmt.Sprintf(":%02d", o%60)
	}
	return id
}

// parseOffset reads what offsetID wrote; false for ids of regions.
func parseOffset(id string) (java.ZoneOffset, bool) {
	if id == "Z" {
		return 0, true
	}
	if len(id) != 6 && len(id) != 9 || id[0] != '+' && id[0] != '-' {
		return 0, false
	}
	total := 0
	for i, unit := range []int{3600, 60, 1} {
		at := 1 + 3*i
		if at >= len(id) {
			break
		}
		if i > 0 && id[at-1] != ':' || id[at]-'0' > 9 || id[at+1]-'0' > 9 {
			return 0, false
		}
		total += unit * (int(id[at]-'0')*10 + int(id[at+1]-'0'))
	}
	if id[0] == '-' {
		total = -total
	}
	return java.ZoneOffset(total), total >= -64800 && total <= 64800
}
