package databind

import (
	"math/big"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// parseDuration reads ISO 8601 as Duration.parse does: P2DT3H4M5.6S, PT-4.5S.
func parseDuration(s string) (any, bool) {
	negative := false
	switch {
	case strings.HasPrefix(s, "-"):
		negative, s = true, s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return nil, false
	}
	days, clock, timed := strings.Cut(s, "T")
	var nanos int64
	total := new(big.Int)
	add := func(n, unit int64) { total.Add(total, new(big.Int).Mul(big.NewInt(n), big.NewInt(unit))) }
	if days != "" {
		n, ok := signed(strings.TrimSuffix(days, "D"))
		if !ok || !strings.HasSuffix(days, "D") {
			return nil, false
		}
		add(n, 86400)
	}
	if timed && clock == "" {
		return nil, false
	}
	for _, unit := range [...]struct {
		letter  string
		seconds int64
	}{{"H", 3600}, {"M", 60}} {
		if part, rest, has := strings.Cut(clock, unit.letter); has {
			n, ok := signed(part)
			if !ok {
				return nil, false
			}
			add(n, unit.seconds)
			clock = rest
		}
	}
	if clock != "" {
		whole, fraction, ok := fractionOf(clock)
		if !ok {
			return nil, false
		}
		add(whole, 1)
		nanos = fraction
	}
	if negative {
		total.Neg(total)
		nanos = -nanos
	}
	if nanos < 0 {
		add(-1, 1)
		nanos += int64(time.Second)
	}
	return java.Duration{Seconds: total.Int64(), Nanos: int32(nanos)}, total.IsInt64()
}

// fractionOf reads 5S, -0.25S; the fraction has the sign of the whole.
func fractionOf(s string) (seconds, nanos int64, ok bool) {
	s, ok = strings.CutSuffix(s, "S")
	whole, fraction, has := strings.Cut(s, ".")
	seconds, number := signed(whole)
	if !ok || !number {
		return 0, 0, false
	}
	if has {
		if len(fraction) > 9 {
			return 0, 0, false
		}
		if nanos, ok = digits((fraction + "000000000")[:9]); !ok {
			return 0, 0, false
		}
		if strings.HasPrefix(whole, "-") {
			nanos = -nanos
		}
	}
	return seconds, nanos, true
}

// parsePeriod reads P1Y2M3D as Period.parse does; weeks are days.
func parsePeriod(s string) (any, bool) {
	negative := false
	if strings.HasPrefix(s, "-") {
		negative, s = true, s[1:]
	}
	s, ok := strings.CutPrefix(strings.TrimPrefix(s, "+"), "P")
	if !ok || s == "" {
		return nil, false
	}
	var n [4]int64
	for i, letter := range [...]string{"Y", "M", "W", "D"} {
		part, rest, has := strings.Cut(s, letter)
		if !has {
			continue
		}
		if n[i], ok = signed(part); !ok {
			return nil, false
		}
		if negative {
			n[i] = -n[i]
		}
		s = rest
	}
	days := n[2]*7 + n[3]
	for _, v := range [...]int64{n[0], n[1], days} {
		if v != int64(int32(v)) {
			return nil, false
		}
	}
	return java.Period{Years: int32(n[0]), Months: int32(n[1]), Days: int32(days)}, s == ""
}

// parseTimeBean reads the getters that Jackson before 2.12 wrote of a class of
// java.time.
func parseTimeBean(class string, o *java.Object) (any, bool) {
	number := func(name string) (int64, bool) {
		switch v, _ := o.Get(name); v := v.(type) {
		case int32:
			return int64(v), true
		case int64:
			return v, true
		case *java.Object: // a long whose class the JSON does not say
			if n, ok := ScalarValue(v); ok {
				n, ok := n.(int64)
				return n, ok
			}
		}
		return 0, false
	}
	numbers := func(names ...string) ([]int64, bool) {
		out := make([]int64, len(names))
		for i, name := range names {
			n, ok := number(name)
			if !ok {
				return out, false
			}
			out[i] = n
		}
		return out, true
	}
	inner := func(name, class string) (any, bool) {
		v, _ := o.Get(name)
		child, ok := v.(*java.Object)
		if !ok || child == nil {
			return nil, false
		}
		return parseTimeBean(class, child)
	}
	return timeBean(class, numbers, inner)
}

func timeBean(class string, numbers func(...string) ([]int64, bool), inner func(name, class string) (any, bool)) (any, bool) {
	switch class {
	case "java.time.LocalDate":
		n, ok := numbers("year", "month", "day")
		if !ok {
			return nil, false
		}
		return dateFrom(n)
	case "java.time.LocalTime":
		n, ok := numbers("hour", "minute", "second", "nano")
		if !ok {
			return nil, false
		}
		return clockFrom(n)
	case "java.time.LocalDateTime":
		d, dated := inner("date", "java.time.LocalDate")
		t, timed := inner("time", "java.time.LocalTime")
		if !dated || !timed {
			return nil, false
		}
		return java.LocalDateTime{Date: d.(java.LocalDate), Time: t.(java.LocalTime)}, true
	case "java.time.OffsetDateTime":
		t, ok := inner("dateTime", "java.time.LocalDateTime")
		z, zoned := inner("offset", "java.time.ZoneOffset")
		if !ok || !zoned {
			return nil, false
		}
		at := t.(java.LocalDateTime)
		return java.OffsetDateTime{Date: at.Date, Time: at.Time, Offset: z.(java.ZoneOffset)}, true
	case "java.time.ZoneOffset":
		n, ok := numbers("totalSeconds")
		return java.ZoneOffset(n[0]), ok && n[0] == int64(int32(n[0]))
	case "java.time.Instant", "java.time.Duration":
		n, ok := numbers("seconds", "nanos")
		if !ok || n[1] < 0 || n[1] >= int64(time.Second) {
			return nil, false
		}
		if class == "java.time.Instant" {
			return java.Instant{Seconds: n[0], Nanos: int32(n[1])}, true
		}
		return java.Duration{Seconds: n[0], Nanos: int32(n[1])}, true
	case "java.time.Year":
		n, ok := numbers("year")
		return java.Year(n[0]), ok && n[0] == int64(int32(n[0]))
	}
	return nil, false
}
