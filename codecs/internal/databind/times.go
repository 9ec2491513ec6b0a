package databind

import (
	"math/big"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// timesForm is how a mapper writes java.time: its Dates, or those of Jackson 3.
type timesForm uint8

const (
	// timesNone: the mapper has no module for java.time. From Jackson 2.12 on it
	// fails, older ones wrote the getters of each class as a bean, which they could
	// not read back.
	timesNone timesForm = iota
	// timesNumbers is JavaTimeModule of Jackson 2 as it comes: arrays of numbers,
	// seconds with a fraction.
	timesNumbers
	// timesText is the same module without WRITE_DATES_AS_TIMESTAMPS: ISO 8601,
	// but Durations stay numbers.
	timesText
	// times3 is Jackson 3: ISO 8601, but years and months are numbers.
	times3
	// timesISO is a field with shape = STRING: ISO 8601 for all.
	timesISO
)

// timeClass reports whether a class is one that parseTime knows.
func timeClass(class string) bool { return jdk.TimeClass(class) != nil }

// bareTime returns what a value of java.time is on the wire, without its class: a
// string, an int32, a decimal, or a list of those. A text with an offset is in that zone, unless
// it is nil. It reports false where the offset of a zone is not known, which Java writes.
func bareTime(t *jdk.Type, v any, form timesForm, zone *time.Location) (bare any, ok bool) {
	p := t.Split(v)
	if form == timesNone || !resolve(t, &p) {
		return nil, false
	}
	way := byte('t')
	if form != timesISO {
		way = t.Jackson[form-1]
	}
	if way == 't' && zone != nil && t.Has(jdk.Date) && (t.Has(jdk.Offset) || t.Has(jdk.Zone)) {
		p.SetTime(timeOf(t, &p).In(zone))
	}
	switch way {
	case 'a':
		return numbersOf(t, &p), true
	case 's':
		return secondsOf(t.Unix(&p)), true
	case 'n':
		return p.Year, true
	default:
		return t.WriteText(&p), true
	}
}

// resolve sets the offset that Jackson writes for a time in a zone; it writes no zone
// id. False where it is not known.
func resolve(t *jdk.Type, p *jdk.Value) bool {
	if !t.Has(jdk.Zone) || p.HasOffset {
		return true
	}
	offset, ok := jdk.ParseOffset(p.Zone)
	p.Offset = offset
	return ok || p.Zone == "UTC" || p.Zone == "GMT" || p.Zone == "UT"
}

// numbersOf returns the parts as numbers, without a second and nanosecond that are zero; an
// offset is a text.
func numbersOf(t *jdk.Type, p *jdk.Value) (out []any) {
	for _, part := range t.Parts {
		switch part {
		case jdk.Date:
			out = append(out, p.Year, int32(p.Month), int32(p.Day))
		case jdk.Clock:
			out = append(out, int32(p.Hour), int32(p.Minute))
			if p.Second != 0 || p.Nanos != 0 {
				out = append(out, int32(p.Second))
			}
			if p.Nanos != 0 {
				out = append(out, p.Nanos)
			}
		case jdk.Year:
			out = append(out, p.Year)
		case jdk.Month:
			out = append(out, int32(p.Month))
		case jdk.Offset:
			out = append(out, jdk.OffsetText(p.Offset))
		default:
		}
	}
	return out
}

// validTime reports whether Java has the value. As seconds, times with an offset are what
// an Instant can be, which has a year more at either end.
func validTime(t *jdk.Type, v any, form timesForm) bool {
	p := t.Split(v)
	if form != timesNumbers || t.Jackson[form-1] != 's' || !t.Has(jdk.Date) || !resolve(t, &p) {
		return t.Valid(&p)
	}
	seconds, _ := t.Unix(&p)
	p.Year %= 400 // the calendar repeats
	return t.Valid(&p) && jdk.ValidInstant(seconds)
}

// secondsOf returns seconds with nine digits of fraction; Jackson gives 0 one.
func secondsOf(seconds int64, nanos int32) java.BigDecimal {
	if seconds == 0 && nanos == 0 {
		return java.BigDecimal{Scale: 1}
	}
	total := new(big.Int).Mul(big.NewInt(seconds), big.NewInt(int64(time.Second)))
	return java.BigDecimal{Unscaled: total.Add(total, big.NewInt(int64(nanos))), Scale: 9}
}

// parseTime returns the value of a class of java.time that is bare on the wire: a
// string, a whole number, a decimal, a list of those, or the bean that Jackson
// before 2.12 wrote. It understands the forms of all mappers, and reports false for
// what is none of them.
func parseTime(t *jdk.Type, bare any) (v any, ok bool) {
	var p jdk.Value
	switch b := bare.(type) {
	case string:
		p, ok = t.ParseText(b)
	case []any:
		ok = t.Jackson[0] == 'a' && parseNumbers(t, b, &p) && t.Valid(&p)
	case *java.Object:
		ok = parseBean(t, b, &p) && t.Valid(&p)
	case int32:
		if strings.Contains(t.Jackson, "n") {
			p.Year = b
			ok = t.Valid(&p)
		} else {
			p, ok = parseSeconds(t, java.BigDecimal{Unscaled: big.NewInt(int64(b))})
		}
	case int64:
		p, ok = parseSeconds(t, java.BigDecimal{Unscaled: big.NewInt(b)})
	case java.BigDecimal:
		p, ok = parseSeconds(t, b)
	}
	if !ok {
		return nil, false
	}
	return t.Join(&p), true
}

// parseSeconds reads seconds with a fraction.
func parseSeconds(t *jdk.Type, d java.BigDecimal) (p jdk.Value, ok bool) {
	seconds, nanos, ok := splitSeconds(d)
	if !ok || t.Jackson[0] != 's' {
		return p, false
	}
	return t.FromUnix(seconds, nanos)
}

// minSecondsScale is the scale below which Jackson takes seconds for zero.
const minSecondsScale = -63

// splitSeconds returns whole seconds and 0…999,999,999 nanoseconds; digits beyond are
// cut off, as Jackson does.
func splitSeconds(d java.BigDecimal) (seconds int64, nanos int32, ok bool) {
	if d.Unscaled == nil || d.Scale < minSecondsScale {
		return 0, 0, true
	}
	if d.Scale < -18 || d.Scale > 400 || d.Unscaled.BitLen() > 4096 {
		return 0, 0, false
	}
	n := new(big.Int).Set(d.Unscaled)
	ten := big.NewInt(10)
	if shift := int64(9 - d.Scale); shift >= 0 {
		n.Mul(n, new(big.Int).Exp(ten, big.NewInt(shift), nil))
	} else {
		n.Quo(n, new(big.Int).Exp(ten, big.NewInt(-shift), nil))
	}
	whole, rest := new(big.Int).DivMod(n, big.NewInt(int64(time.Second)), new(big.Int))
	return whole.Int64(), int32(rest.Int64()), whole.IsInt64()
}

// parseNumbers reads what numbersOf returns.
func parseNumbers(t *jdk.Type, list []any, p *jdk.Value) bool {
	offset := t.Has(jdk.Offset)
	if offset && len(list) > 0 {
		text, _ := list[len(list)-1].(string)
		p.Offset, offset = jdk.ParseOffset(text)
		if list = list[:len(list)-1]; !offset {
			return false
		}
	}
	n := make([]int64, 0, 8)
	for _, e := range list {
		v, ok := e.(int32)
		if !ok {
			return false
		}
		n = append(n, int64(v))
	}
	for _, part := range t.Parts {
		ok := false
		switch {
		case part == jdk.Offset:
			ok = len(n) == 0
		case part == jdk.Date && len(n) >= 3:
			ok = p.SetDate(n[0], n[1], n[2])
			n = n[3:]
		case part == jdk.Clock && len(n) >= 2 && len(n) <= 4:
			of := append(n, 0, 0)
			ok = p.SetClock(of[0], of[1], of[2], of[3])
			n = nil
		case part == jdk.Year && len(n) > 0:
			p.Year, ok = int32(n[0]), true
			n = n[1:]
		case part == jdk.Month && len(n) > 0:
			p.Month, ok = uint8(n[0]), n[0] >= 1 && n[0] <= 12
			n = n[1:]
		}
		if !ok {
			return false
		}
	}
	return len(n) == 0
}

// parseBean reads the fields that Jackson before 2.12 wrote of a class of java.time, some
// of them within others.
func parseBean(t *jdk.Type, o *java.Object, p *jdk.Value) bool {
	numbers := map[string]int64{}
	gather(o, numbers, 0)
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := numbers[name]; !ok {
				return false
			}
		}
		return true
	}
	for _, part := range t.Parts {
		ok := false
		switch part {
		case jdk.Date:
			ok = has("year", "month", "day") && p.SetDate(numbers["year"], numbers["month"], numbers["day"])
		case jdk.Clock:
			ok = has("hour", "minute", "second", "nano") && p.SetClock(numbers["hour"], numbers["minute"], numbers["second"], numbers["nano"])
		case jdk.Offset:
			p.Offset = int32(numbers["totalSeconds"])
			ok = has("totalSeconds") && numbers["totalSeconds"] == int64(p.Offset)
		case jdk.Year:
			p.Year = int32(numbers["year"])
			ok = has("year") && numbers["year"] == int64(p.Year)
		case jdk.Epoch, jdk.Seconds:
			p.Seconds, ok = numbers["seconds"], has("seconds")
		case jdk.Nanos:
			p.Nanos = int32(numbers["nanos"])
			ok = has("nanos") && numbers["nanos"] == int64(p.Nanos)
		default:
		}
		if !ok {
			return false
		}
	}
	return true
}

// gather collects the numbers of an object and of those within it.
func gather(o *java.Object, numbers map[string]int64, depth int) {
	for _, f := range o.Fields {
		switch v := f.Value.(type) {
		case int32:
			numbers[f.Name] = int64(v)
		case int64:
			numbers[f.Name] = v
		case *java.Object:
			if n, ok := ScalarValue(v); ok { // a long whose class the JSON does not say
				if n, ok := n.(int64); ok {
					numbers[f.Name] = n
				}
			} else if v != nil && depth < 2 {
				gather(v, numbers, depth+1)
			}
		}
	}
}
