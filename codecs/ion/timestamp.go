package ion

import (
	"regexp"
	"slices"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/token"
)

// timestampAhead reports whether a timestamp, not a number, comes next: four digits
// and a dash or T.
func (l *lexer) timestampAhead() bool {
	if l.pos+4 >= len(l.p) {
		return false
	}
	return allDigits(l.p[l.pos:l.pos+4]) && (l.p[l.pos+4] == '-' || l.p[l.pos+4] == 'T')
}

// timestamps are the forms of timestamps, as package time describes them. It takes a
// fraction behind any second.
var timestamps = []string{"2006T", "2006-01T", time.DateOnly, "2006-01-02T", "2006-01-02T15:04Z07:00", time.RFC3339}

// clock is what package time is less strict about: two digits of an hour, and offsets
// below a day.
var clock = regexp.MustCompile(`T\d\d:.*(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// timestamp adds a timestamp as its text. With Jackson 2 Java makes of one an object of
// the Ion library, which has no other form here.
func (l *lexer) timestamp(start int) (int, error) {
	from := l.pos
	for !l.endsAt(l.pos) {
		l.pos++
	}
	if l.pos-from > l.Limits().StringBytes {
		return 0, l.StringTooLong(from)
	}
	text := string(l.p[from:l.pos])
	if !slices.ContainsFunc(timestamps, func(form string) bool {
		at, err := time.Parse(form, text)
		return err == nil && at.Year() > 0 && (len(text) <= len("2024-01-02T") || clock.MatchString(text))
	}) {
		return 0, l.Fail(from, "not a timestamp: 2024T, 2024-01T, 2024-01-02, 2024-01-02T03:04Z, 2024-01-02T03:04:05.6+01:00 are")
	}
	n := len(text)
	if n == len("2024-01-02T") && text[n-1] == 'T' {
		n-- // says nothing
	}
	return l.AddText(token.String, token.FlagASCII|token.FlagLiteral, start, from, n), nil
}
