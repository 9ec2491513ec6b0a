package jdk

import (
	"math/big"
	"regexp"
	"strconv"
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
	n, err := strconv.ParseInt(s, 10, 32)
	p.Year = int32(n)
	return err == nil
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
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err == nil && len(s) <= 18
}

var (
	durationForm = regexp.MustCompile(`^([+-]?)P(?:([+-]?\d{1,18})D)?(T(?:([+-]?\d{1,18})H)?(?:([+-]?\d{1,18})M)?(?:([+-]?\d{1,18})(?:\.(\d{0,9}))?S)?)?$`)
	periodForm   = regexp.MustCompile(`^([+-]?)P(?:([+-]?\d{1,18})Y)?(?:([+-]?\d{1,18})M)?(?:([+-]?\d{1,18})W)?(?:([+-]?\d{1,18})D)?$`)
)

// ParseDuration reads ISO 8601 as Duration.parse does: P2DT3H4M5.6S, PT-4.5S.
func ParseDuration(s string, p *Value) bool {
	m := durationForm.FindStringSubmatch(s)
	if m == nil || strings.HasSuffix(s, "P") || m[3] == "T" {
		return false
	}
	total := new(big.Int)
	for i, unit := range map[int]int64{2: 86400, 4: 3600, 5: 60, 6: 1} {
		n, _ := strconv.ParseInt(m[i], 10, 64)
		total.Add(total, new(big.Int).Mul(big.NewInt(n), big.NewInt(unit)))
	}
	total.Mul(total, big.NewInt(int64(time.Second)))
	nanos, _ := strconv.ParseInt((m[7] + "000000000")[:9], 10, 64)
	if strings.HasPrefix(m[6], "-") { // the fraction has the sign of the whole
		nanos = -nanos
	}
	total.Add(total, big.NewInt(nanos))
	if m[1] == "-" {
		total.Neg(total)
	}
	seconds, rest := total.DivMod(total, big.NewInt(int64(time.Second)), new(big.Int))
	p.Seconds, p.Nanos = seconds.Int64(), int32(rest.Int64())
	return seconds.IsInt64()
}

// ParsePeriod reads P1Y2M3D as Period.parse does; weeks are days.
func ParsePeriod(s string, p *Value) bool {
	m := periodForm.FindStringSubmatch(s)
	if m == nil || strings.HasSuffix(s, "P") {
		return false
	}
	var n [4]int64
	for i := range n {
		if n[i], _ = strconv.ParseInt(m[i+2], 10, 64); m[1] == "-" {
			n[i] = -n[i]
		}
	}
	days := n[2]*7 + n[3]
	p.Years, p.Months, p.Days = int32(n[0]), int32(n[1]), int32(days)
	return n[0] == int64(p.Years) && n[1] == int64(p.Months) && days == int64(p.Days)
}
