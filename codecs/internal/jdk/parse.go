package jdk

import (
	"math/big"
	"strings"
	"time"
)

// ParseText reads the text of a value of the class in Jackson's formats.
func (t *Type) ParseText(s string) (p Value, ok bool) {
	if t.Parse != nil {
		ok = t.Parse(s, &p)
	} else {
		s, ok = p.parse(s, t.Parts)
		ok = ok && s == ""
	}
	return p, ok && t.Valid(&p)
}

// parse reads parts at the head of s, and returns what is behind them.
func (p *Value) parse(s string, parts []Part) (rest string, ok bool) {
	for i, part := range parts {
		switch part {
		case Date:
			s, ok = p.parseDate(s)
		case Clock:
			if i > 0 {
				if s, ok = strings.CutPrefix(s, "T"); !ok {
					return "", false
				}
			}
			s, ok = p.parseClock(s)
		case Year: // with a month behind it
			var year, month int64
			if year, month, _, ok = DateFields(s + "-01"); ok && year == int64(int32(year)) {
				p.Year, p.Month = int32(year), uint8(month)
				return "", i+2 == len(parts)
			}
			return "", false
		case Month: // with a day behind it
			var month, day int64
			_, month, day, ok = DateFields("2000" + strings.TrimPrefix(s, "-"))
			ok = ok && strings.HasPrefix(s, "--") && p.SetDate(leapYear, month, day)
			p.Year = 0
			return "", ok && i+2 == len(parts)
		case Offset:
			p.Offset, ok = parseUTC(s)
			s = ""
		default:
			return "", false
		}
		if !ok {
			return "", false
		}
	}
	return s, true
}

// parseUTC reads an offset, in each of its forms for none.
func parseUTC(s string) (int32, bool) {
	if s == "+00:00" {
		return 0, true
	}
	return ParseOffset(s)
}

// parseDate reads a date that ends at the end of s, or where a T, an offset or a Z follows.
func (p *Value) parseDate(s string) (rest string, ok bool) {
	date := s
	if at := strings.IndexAny(s, "TZ"); at >= 0 {
		date, rest = s[:at], s[at:]
	} else if at = strings.LastIndexAny(s, "+-"); at > 0 && strings.Contains(s[at:], ":") {
		date, rest = s[:at], s[at:]
	}
	year, month, day, ok := DateFields(date)
	return rest, ok && p.SetDate(year, month, day)
}

// parseClock reads 03:04, 03:04:05 or 03:04:05.123456789 at the head of s.
func (p *Value) parseClock(s string) (rest string, ok bool) {
	var fields [3]int64
	count := 0
	for count < 3 {
		if len(s) < 2 {
			return "", false
		}
		if fields[count], ok = Digits(s[:2]); !ok {
			return "", false
		}
		s = s[2:]
		count++
		if count == 3 || !strings.HasPrefix(s, ":") {
			break
		}
		s = s[1:]
	}
	nanos := int64(0)
	if count == 3 && strings.HasPrefix(s, ".") {
		n := 1
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 1 || n > 10 {
			return "", false
		}
		nanos, _ = Digits((s[1:n] + "00000000")[:9])
		s = s[n:]
	}
	return s, count >= 2 && p.SetClock(fields[0], fields[1], fields[2], nanos)
}

// ParseClock reads a time of day at the head of s.
func ParseClock(s string) (p Value, rest string, ok bool) {
	rest, ok = p.parseClock(s)
	return p, rest, ok
}

var dateTime = []Part{Date, Clock}

// ParseInstant reads 2024-02-29T09:30:00Z.
func ParseInstant(s string, p *Value) bool {
	rest, ok := p.parse(s, dateTime)
	at := p.In(time.UTC)
	p.Seconds, p.Nanos = at.Unix(), int32(at.Nanosecond())
	return ok && rest == "Z"
}

// ParseZoned reads a date and time with an offset, and the id of a zone in brackets.
func ParseZoned(s string, p *Value) bool {
	rest, ok := p.parse(s, dateTime)
	rest, id, named := strings.Cut(rest, "[")
	offset, valid := parseUTC(rest)
	if !ok || !valid || named && !strings.HasSuffix(id, "]") {
		return false
	}
	p.Offset, p.HasOffset, p.Zone = offset, true, rest
	if named {
		p.Zone = strings.TrimSuffix(id, "]")
	}
	return true
}

// ParseYear reads a year alone.
func ParseYear(s string, p *Value) bool {
	n, ok := signed(s)
	p.Year = int32(n)
	return ok && n == int64(p.Year)
}

// DateFields reads 2024-01-02, +12024-01-02 or -0005-01-02.
func DateFields(s string) (year, month, day int64, ok bool) {
	sign := int64(1)
	switch {
	case strings.HasPrefix(s, "-"):
		sign, s = -1, s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	parts := strings.Split(s, "-")
	if len(parts) != 3 || len(parts[0]) < 4 || len(parts[0]) > 10 || len(parts[1]) != 2 || len(parts[2]) != 2 {
		return 0, 0, 0, false
	}
	var n [3]int64
	for i, p := range parts {
		if n[i], ok = Digits(p); !ok {
			return 0, 0, 0, false
		}
	}
	return sign * n[0], n[1], n[2], true
}

// Digits reads a text of decimal digits only, at most 18.
func Digits(s string) (int64, bool) {
	n := int64(0)
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, s != "" && len(s) <= 18
}

// signed reads a whole number with an optional sign.
func signed(s string) (int64, bool) {
	plain := strings.TrimLeft(s, "+-")
	if len(s)-len(plain) > 1 {
		return 0, false
	}
	n, ok := Digits(plain)
	if strings.HasPrefix(s, "-") {
		n = -n
	}
	return n, ok
}

// ParseDuration reads ISO 8601 as Duration.parse does: P2DT3H4M5.6S, PT-4.5S.
func ParseDuration(s string, p *Value) bool {
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	s, ok := strings.CutPrefix(s, "P")
	days, clock, timed := strings.Cut(s, "T")
	if !ok || s == "" || timed && clock == "" {
		return false
	}
	total := new(big.Int)
	add := func(n, unit int64) { total.Add(total, new(big.Int).Mul(big.NewInt(n), big.NewInt(unit))) }
	if days != "" {
		n, ok := signed(strings.TrimSuffix(days, "D"))
		if !ok || !strings.HasSuffix(days, "D") {
			return false
		}
		add(n, 86400)
	}
	for _, unit := range [...]struct {
		letter  string
		seconds int64
	}{{"H", 3600}, {"M", 60}} {
		if part, rest, has := strings.Cut(clock, unit.letter); has {
			n, ok := signed(part)
			if !ok {
				return false
			}
			add(n, unit.seconds)
			clock = rest
		}
	}
	var nanos int64
	if clock != "" {
		whole, fraction, ok := fractionOf(clock)
		if !ok {
			return false
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
	p.Seconds, p.Nanos = total.Int64(), int32(nanos)
	return total.IsInt64()
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
		if nanos, ok = Digits((fraction + "000000000")[:9]); !ok {
			return 0, 0, false
		}
		if strings.HasPrefix(whole, "-") {
			nanos = -nanos
		}
	}
	return seconds, nanos, true
}

// ParsePeriod reads P1Y2M3D as Period.parse does; weeks are days.
func ParsePeriod(s string, p *Value) bool {
	negative := strings.HasPrefix(s, "-")
	if negative {
		s = s[1:]
	}
	s, ok := strings.CutPrefix(strings.TrimPrefix(s, "+"), "P")
	if !ok || s == "" {
		return false
	}
	var n [4]int64
	for i, letter := range [...]string{"Y", "M", "W", "D"} {
		part, rest, has := strings.Cut(s, letter)
		if !has {
			continue
		}
		if n[i], ok = signed(part); !ok {
			return false
		}
		if negative {
			n[i] = -n[i]
		}
		s = rest
	}
	days := n[2]*7 + n[3]
	p.Years, p.Months, p.Days = int32(n[0]), int32(n[1]), int32(days)
	return s == "" && n[0] == int64(p.Years) && n[1] == int64(p.Months) && days == int64(p.Days)
}
