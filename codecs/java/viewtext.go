package java

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

// string writes s as JSON, with lone surrogates as escapes.
func (w *viewer) string(s string) {
	const hex = "0123456789abcdef"
	w.out = append(w.out, '"')
	for len(s) > 0 {
		r, n := javatext.DecodeRune(s)
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r == '\n':
			w.text(`\n`)
		case r == '\t':
			w.text(`\t`)
		case r < 0x20 || r == 0x7f || r >= 0xd800 && r < 0xe000 || r == 0x2028 || r == 0x2029:
			w.out = append(w.out, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			w.out = utf8.AppendRune(w.out, r)
		}
		s = s[n:]
	}
	w.out = append(w.out, '"')
}

func (w *viewer) long(v int64) {
	text := strconv.FormatInt(v, 10)
	if v > maxExact || v < -maxExact {
		text = `"` + text + `"`
	}
	w.typed("java.lang.Long", text)
}

func (w *viewer) double(f float64) {
	if !finite(f) {
		w.typed("java.lang.Double", `"`+infinite(f)+`"`)
		return
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	w.text(text)
}

func (w *viewer) float(f float32) {
	if !finite(float64(f)) {
		w.typed("java.lang.Float", `"`+infinite(float64(f))+`"`)
		return
	}
	w.typed("java.lang.Float", strconv.FormatFloat(float64(f), 'g', -1, 32))
}

func infinite(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return "NaN"
}

func (w *viewer) char(c Char) {
	w.open("java.lang.Character")
	w.charText(c)
	w.close()
}

func (w *viewer) charText(c Char) {
	if c >= 0xd800 && c < 0xe000 {
		w.text(strconv.Itoa(int(c)))
		return
	}
	w.string(string(rune(c)))
}

// timeJSON returns the JSON of dates and times.
func timeJSON(v any) string {
	switch v := v.(type) {
	case Date:
		if v.Nanos != 0 {
			return instantJSON(v.Time(), "2006-01-02T15:04:05.000000000Z", v.Millis)
		}
		return instantJSON(v.Time(), "2006-01-02T15:04:05.000Z", v.Millis)
	case Instant:
		return instantJSON(v.Time(), "2006-01-02T15:04:05.999999999Z", v.Seconds)
	case LocalDate:
		return `"` + v.String() + `"`
	case LocalTime:
		return `"` + v.String() + `"`
	case LocalDateTime:
		return `"` + v.Date.String() + "T" + v.Time.String() + `"`
	case Duration:
		return `"` + v.String() + `"`
	}
	return "null"
}

func instantJSON(t time.Time, layout string, number int64) string {
	if t.Year() < 0 || t.Year() > 9999 {
		return strconv.FormatInt(number, 10)
	}
	return `"` + t.Format(layout) + `"`
}

// String returns d in ISO 8601, for example 2024-02-29.
func (d LocalDate) String() string {
	sign, year := "", int64(d.Year)
	switch {
	case year < 0:
		sign, year = "-", -year
	case year > 9999:
		sign = "+"
	}
	return fmt.Sprintf("%s%04d-%02d-%02d", sign, year, d.Month, d.Day)
}

// String returns t in ISO 8601 with as many digits as needed, at least seconds.
func (t LocalTime) String() string {
	s := fmt.Sprintf("%02d:%02d:%02d", t.Hour, t.Minute, t.Second)
	if t.Nano == 0 {
		return s
	}
	return strings.TrimRight(s+fmt.Sprintf(".%09d", t.Nano), "0")
}

// String returns d in ISO 8601 seconds, for example PT-1.5S.
func (d Duration) String() string {
	seconds, nanos, sign := d.Seconds, int64(d.Nanos), ""
	if seconds < 0 {
		sign = "-"
		if nanos > 0 {
			seconds, nanos = seconds+1, 1e9-nanos
		}
	}
	s := fmt.Sprintf("PT%s%d", sign, absolute(seconds))
	if nanos != 0 {
		s = strings.TrimRight(s+fmt.Sprintf(".%09d", nanos), "0")
	}
	return s + "S"
}

func absolute(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
