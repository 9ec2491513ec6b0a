package databind

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// PatternError says why a pattern of dates is not carried.
type PatternError struct {
	Pattern string
	Letter  string // the letter at fault, as often as it stands there; empty where one is missing
	Reason  string
}

// Error formats all that is known in one line.
func (e *PatternError) Error() string {
	if e.Letter == "" {
		return fmt.Sprintf("the pattern %q: %s", e.Pattern, e.Reason)
	}
	return fmt.Sprintf("the pattern %q: %q %s", e.Pattern, e.Letter, e.Reason)
}

// pattern is a pattern of Java's SimpleDateFormat or DateTimeFormatter. Names of months and
// days and AM and PM are English.
type pattern struct {
	lenient bool // it is of SimpleDateFormat, which takes the 32nd of a month and what follows
	instant bool // it is for a class with an offset
	parts   []patternPart
	zone    *time.Location // of a SimpleDateFormat, or of an instant, nil for its own
	early   *time.Location // the same before 1900
}

// patternPart is a letter as often as it stands in a pattern, or a text.
type patternPart struct {
	letter byte // 0 for a text
	n      int
	text   string
}

// letters that are carried, and how often one may stand at most.
var (
	simpleLetters = map[byte]int{'y': 9, 'M': 4, 'd': 9, 'H': 9, 'h': 9, 'K': 9, 'k': 9, 'm': 9, 's': 9, 'S': 9, 'a': 9, 'E': 9, 'X': 3, 'Z': 9}
	dateLetters   = map[byte]int{'y': 9, 'u': 9, 'M': 4, 'd': 2, 'E': 4}
	offsetLetters = map[byte]int{'X': 3, 'x': 3, 'Z': 3}
	clockLetters  = map[byte]int{'H': 2, 'h': 2, 'K': 2, 'k': 2, 'm': 2, 's': 2, 'S': 9, 'n': 9, 'a': 1}
)

// simplePattern is that of new SimpleDateFormat(text) in a zone.
func simplePattern(text string, zone *time.Location) (*pattern, error) {
	p, err := parsePattern(text, func(letter byte) int { return simpleLetters[letter] })
	if err != nil {
		return nil, err
	}
	p.lenient, p.zone, p.early = true, zone, earlyZone(zone)
	return p, nil
}

// start1900 is where the transitions of a java.util.TimeZone begin, in milliseconds since 1970.
const start1900 = -2208988800000

// earlyZone returns the offset of a java.util.TimeZone before 1900: the standard one of today,
// where Go has the local mean time of the place.
func earlyZone(zone *time.Location) *time.Location {
	at := time.Date(2037, 1, 1, 0, 0, 0, 0, zone)
	if at.IsDST() {
		at = at.AddDate(0, 6, 0)
	}
	_, offset := at.Zone()
	return time.FixedZone("", offset)
}

// localPattern is that of DateTimeFormatter.ofPattern(text) for a class of java.time, in a zone
// where one is given.
func localPattern(text string, t *jdk.Type, zone *time.Location) (*pattern, error) {
	instant := t.Has(jdk.Epoch) || t.Has(jdk.Offset) || t.Has(jdk.Zone)
	date, clock := t.Has(jdk.Date) || instant, t.Has(jdk.Clock) || instant
	p, err := parsePattern(text, func(letter byte) int {
		n := 0
		if instant {
			n = offsetLetters[letter]
		}
		if date {
			n = max(n, dateLetters[letter])
		}
		if clock {
			n = max(n, clockLetters[letter])
		}
		return n
	})
	if err != nil {
		return nil, err
	}
	p.zone, p.instant = zone, instant
	missing := ""
	switch {
	case date && (!p.has("yu") || !p.has("M") || !p.has("d")):
		missing = "year, month and day"
	case clock && !p.has("Hk") && (!p.has("hK") || !p.has("a")):
		missing = "the hour"
	case instant && !p.has("XxZ") && (zone == nil || t.Has(jdk.Offset)):
		missing = "the offset"
	case strings.ContainsAny(unquoted(text), "[]{}#"):
		missing = "no brackets, which are not carried"
	}
	if missing != "" {
		return nil, &PatternError{Pattern: text, Reason: "Java reads a " + t.Class + " by a pattern with " + missing}
	}
	return p, nil
}

// unquoted returns a pattern without what stands in quotes.
func unquoted(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "'") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

func (p *pattern) has(letters string) bool {
	for _, part := range p.parts {
		if part.letter != 0 && strings.IndexByte(letters, part.letter) >= 0 {
			return true
		}
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func parsePattern(text string, most func(letter byte) int) (*pattern, error) {
	p := &pattern{}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'' && i+1 < len(text) && text[i+1] == '\'':
			p.literal("'")
			i += 2
		case c == '\'':
			end := i + 1
			var quoted strings.Builder
			for ; end < len(text) && (text[end] != '\'' || end+1 < len(text) && text[end+1] == '\''); end++ {
				if text[end] == '\'' {
					end++
				}
				quoted.WriteByte(text[end])
			}
			if end == len(text) {
				return nil, &PatternError{Pattern: text, Letter: "'", Reason: "opens a text that does not end"}
			}
			p.literal(quoted.String())
			i = end + 1
		case letter(c):
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], string(c)))
			if limit := most(c); n > limit {
				return nil, &PatternError{Pattern: text, Letter: text[i : i+n], Reason: "is not carried there"}
			}
			if n == 2 && (c == 'y' || c == 'u') {
				return nil, &PatternError{Pattern: text, Letter: text[i : i+n], Reason: "is not carried: two digits are no year"}
			}
			p.parts = append(p.parts, patternPart{letter: c, n: n})
			i += n
		default:
			p.literal(text[i : i+1])
			i++
		}
	}
	if len(p.parts) == 0 {
		return nil, &PatternError{Pattern: text, Reason: "is empty"}
	}
	return p, nil
}

func (p *pattern) literal(text string) {
	if n := len(p.parts); n > 0 && p.parts[n-1].letter == 0 {
		p.parts[n-1].text += text
		return
	}
	p.parts = append(p.parts, patternPart{text: text})
}

// date returns a java.util.Date by the pattern, false for one before the year 1 or behind 9999,
// which Java writes in ways of its own.
func (p *pattern) date(millis int64) (string, bool) {
	zone := p.zone
	if millis < start1900 {
		zone = p.early
	}
	_, offset := time.UnixMilli(millis).In(zone).Zone()
	local := millis + int64(offset)*1000
	year, month, day := javaCalendar(local)
	at := time.UnixMilli(local).UTC()
	v := jdk.Value{Month: uint8(month), Day: uint8(day), Offset: int32(offset)}
	v.Year = int32(min(max(year, -1), 10000))
	v.Hour, v.Minute, v.Second, v.Nanos = uint8(at.Hour()), uint8(at.Minute()), uint8(at.Second()), int32(at.Nanosecond())
	return p.format(&v, at.Weekday())
}

// local returns a value of java.time by the pattern.
func (p *pattern) local(t *jdk.Type, v *jdk.Value) (string, bool) {
	if p.instant && p.zone != nil {
		shown := jdk.Value{}
		shown.SetTime(timeOf(t, v).In(p.zone))
		return p.format(&shown, shown.In(time.UTC).Weekday())
	}
	if !resolve(t, v) {
		return "", false
	}
	if !t.Has(jdk.Date) {
		return p.format(&jdk.Value{Year: 1, Hour: v.Hour, Minute: v.Minute, Second: v.Second, Nanos: v.Nanos}, 0)
	}
	return p.format(v, v.In(time.UTC).Weekday())
}

func (p *pattern) format(v *jdk.Value, day time.Weekday) (string, bool) {
	if v.Year < 1 || v.Year > 9999 {
		return "", false
	}
	var b strings.Builder
	for _, part := range p.parts {
		switch part.letter {
		case 0:
			b.WriteString(part.text)
		case 'M', 'E', 'a':
			b.WriteString(p.name(part, v, day))
		case 'X', 'x', 'Z':
			b.WriteString(offsetAs(part, v.Offset))
		case 'S':
			if !p.lenient {
				b.WriteString(fmt.Sprintf("%09d", v.Nanos)[:part.n])
				continue
			}
			fmt.Fprintf(&b, "%0*d", part.n, v.Nanos/1e6)
		default:
			fmt.Fprintf(&b, "%0*d", part.n, numberOf(part.letter, v))
		}
	}
	return b.String(), true
}

// name returns a month, a day of the week or half a day.
func (p *pattern) name(part patternPart, v *jdk.Value, day time.Weekday) string {
	name := "AM"
	switch {
	case part.letter == 'M' && part.n < 3:
		return fmt.Sprintf("%0*d", part.n, v.Month)
	case part.letter == 'M':
		name = time.Month(v.Month).String()
	case part.letter == 'E':
		name = day.String()
	case v.Hour >= 12:
		name = "PM"
	}
	if part.n < 4 && len(name) > 3 {
		name = name[:3]
	}
	return name
}

// numberOf returns what a letter shows of a value.
func numberOf(letter byte, v *jdk.Value) int {
	hour := int(v.Hour)
	switch letter {
	case 'y', 'u':
		return int(v.Year)
	case 'd':
		return int(v.Day)
	case 'H':
		return hour
	case 'k':
		return (hour+23)%24 + 1
	case 'K':
		return hour % 12
	case 'h':
		return (hour+11)%12 + 1
	case 'm':
		return int(v.Minute)
	case 's':
		return int(v.Second)
	default: // n
		return int(v.Nanos)
	}
}

func offsetAs(part patternPart, seconds int32) string {
	if part.letter == 'X' && seconds == 0 {
		return "Z"
	}
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	hours, minutes := seconds/3600, seconds/60%60
	switch {
	case part.letter == 'Z' || part.n == 2:
		return fmt.Sprintf("%c%02d%02d", sign, hours, minutes)
	case part.n == 1:
		return fmt.Sprintf("%c%02d", sign, hours)
	default:
		return fmt.Sprintf("%c%02d:%02d", sign, hours, minutes)
	}
}

// patternRead is what a text says.
type patternRead struct {
	year, month, day             int
	hour, minute, second, nanos  int
	afternoon, halves, hasOffset bool
	offset                       int64
}

// millis reads a java.util.Date as SimpleDateFormat does, which looks at nothing behind it and
// takes the 32nd of a month for the 1st of the next one.
func (p *pattern) millis(text string) (int64, bool) {
	f, _, ok := p.read(strings.TrimSpace(text))
	if !ok || f.year > 9999 {
		return 0, false
	}
	zone := p.zone
	if f.hasOffset {
		zone = time.FixedZone("", int(f.offset))
	}
	at := time.Date(f.year, time.Month(f.month), f.day, f.hour, f.minute, f.second, f.nanos, zone)
	if !f.hasOffset && at.UnixMilli() < start1900 {
		at = time.Date(f.year, time.Month(f.month), f.day, f.hour, f.minute, f.second, f.nanos, p.early)
	}
	if at.UnixMilli() < gregorianStart && f.month >= 1 && f.month <= 12 {
		days := julianDays(int64(f.year), int64(f.month), int64(f.day)) - time.Date(f.year, time.Month(f.month), f.day, 0, 0, 0, 0, time.UTC).Unix()/86400
		at = at.AddDate(0, 0, int(days))
	}
	return at.UnixMilli(), true
}

func timeOf(t *jdk.Type, v *jdk.Value) time.Time {
	seconds, nanos := t.Unix(v)
	return time.Unix(seconds, int64(nanos))
}

// parse reads a value of java.time as DateTimeFormatter does, which takes the 31st of each
// month for its last day.
func (p *pattern) parse(t *jdk.Type, text string) (v jdk.Value, ok bool) {
	f, rest, ok := p.read(strings.TrimSpace(text))
	if !ok || rest != "" {
		return v, false
	}
	if t.Has(jdk.Date) || p.instant {
		if f.month < 1 || f.month > 12 || f.day > 31 {
			return v, false
		}
		day := min(f.day, int(jdk.DaysOf(int32(f.year), uint8(f.month))))
		if !v.SetDate(int64(f.year), int64(f.month), int64(day)) {
			return v, false
		}
	}
	ok = !t.Has(jdk.Clock) && !p.instant || v.SetClock(int64(f.hour), int64(f.minute), int64(f.second), int64(f.nanos))
	if !ok || !p.instant {
		return v, ok
	}
	zone := p.zone
	if f.hasOffset {
		zone = time.FixedZone("", int(f.offset))
	}
	at := v.In(zone)
	if t.Has(jdk.Epoch) {
		return t.FromUnix(at.Unix(), v.Nanos)
	}
	if v.SetTime(at); v.Zone == "" {
		v.Zone = jdk.OffsetText(v.Offset)
		if p.zone != nil && p.zone != time.UTC {
			v.Zone = p.zone.String()
		}
	}
	return v, true
}

func (p *pattern) read(text string) (f patternRead, rest string, ok bool) {
	f = patternRead{year: 1970, month: 1, day: 1}
	for i, part := range p.parts {
		switch part.letter {
		case 0:
			text, ok = strings.CutPrefix(text, part.text)
		case 'E', 'a':
			text, ok = f.readName(part, text)
		case 'X', 'x', 'Z':
			end := len(text) - len(strings.TrimLeft(text, "+-:0123456789Z"))
			f.offset, ok = looseOffset(text[:end])
			ok, f.hasOffset, text = ok && end > 0, true, text[end:]
		default:
			if part.letter == 'M' && part.n >= 3 {
				text, ok = f.readName(part, text)
				break
			}
			text, ok = f.readNumber(part, p.digits(i), p.lenient, text)
		}
		if !ok {
			return f, text, false
		}
	}
	switch {
	case f.halves && f.afternoon:
		f.hour = f.hour%12 + 12
	case f.halves:
		f.hour %= 12
	}
	return f, text, true
}

// digits returns how many digits part i may have at most: as many as its letters where another
// number follows, and with DateTimeFormatter where there are several.
func (p *pattern) digits(i int) int {
	const most = 9
	part := p.parts[i]
	follows := i+1 < len(p.parts) && p.parts[i+1].letter != 0 && strings.IndexByte("EaXxZ", p.parts[i+1].letter) < 0
	if follows || !p.lenient && (part.n > 1 || part.letter == 'S') && part.letter != 'y' && part.letter != 'u' {
		return part.n
	}
	return most
}

func (f *patternRead) readName(part patternPart, text string) (rest string, ok bool) {
	if part.letter == 'a' {
		f.halves = true
		f.afternoon = len(text) >= 2 && strings.EqualFold(text[:2], "PM")
		ok = f.afternoon || len(text) >= 2 && strings.EqualFold(text[:2], "AM")
		return text[min(2, len(text)):], ok
	}
	for i := range 12 {
		name := time.Month(i + 1).String()
		if part.letter == 'E' {
			name = time.Weekday(i % 7).String()
		}
		for _, n := range [...]int{len(name), 3} {
			if len(text) >= n && strings.EqualFold(text[:n], name[:n]) {
				if part.letter == 'M' {
					f.month = i + 1
				}
				return text[n:], true
			}
		}
	}
	return text, false
}

func (f *patternRead) readNumber(part patternPart, most int, lenient bool, text string) (rest string, ok bool) {
	end := 0
	for end < len(text) && end < most && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil || !lenient && end < part.n {
		return text, false
	}
	switch part.letter {
	case 'y', 'u':
		f.year = n
	case 'M':
		f.month = n
	case 'd':
		f.day = n
	case 'H', 'K':
		f.hour = n
	case 'k':
		f.hour = n % 24
	case 'h':
		f.hour = n % 12
	case 'm':
		f.minute = n
	case 's':
		f.second = n
	case 'S':
		f.nanos = n * 1e6
		if !lenient {
			f.nanos, _ = strconv.Atoi((text[:end] + "00000000")[:9])
		}
	case 'n':
		f.nanos = n
	}
	return text[end:], true
}
