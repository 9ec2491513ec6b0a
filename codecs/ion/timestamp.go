package ion

import (
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

// timestamp adds a timestamp as its text. With Jackson 2 Java makes of one an object of
// the Ion library, which has no other form here.
func (l *lexer) timestamp(start int) (int, error) {
	from := l.pos
	if !l.readTimestamp() || !l.endsAt(l.pos) {
		return 0, l.Fail(from, "not a timestamp: 2024T, 2024-01T, 2024-01-02, 2024-01-02T03:04Z, 2024-01-02T03:04:05.6+01:00 are")
	}
	if l.pos-from > l.Limits().StringBytes {
		return 0, l.StringTooLong(from)
	}
	n := l.pos - from
	if n == len("2024-01-02T") && l.p[l.pos-1] == 'T' {
		n-- // says nothing
	}
	return l.AddText(token.String, token.FlagASCII|token.FlagLiteral, start, from, n), nil
}

// readTimestamp moves over a timestamp and reports whether it is one.
func (l *lexer) readTimestamp() bool {
	year, ok := l.digitsOf(4, 1, 9999)
	if !ok || l.take('T') {
		return ok
	}
	if !l.take('-') {
		return false
	}
	month, ok := l.digitsOf(2, 1, 12)
	if !ok || l.take('T') {
		return ok
	}
	if !l.take('-') {
		return false
	}
	days := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	if _, ok = l.digitsOf(2, 1, days); !ok {
		return false
	}
	if !l.take('T') || l.pos == len(l.p) || !isDigit(l.p[l.pos]) {
		return true
	}
	if !l.clock(23) {
		return false
	}
	if l.take(':') {
		if _, ok = l.digitsOf(2, 0, 59); !ok {
			return false
		}
		if l.take('.') {
			from := l.pos
			for l.pos < len(l.p) && isDigit(l.p[l.pos]) {
				l.pos++
			}
			if l.pos == from {
				return false
			}
		}
	}
	if l.take('Z') {
		return true
	}
	return (l.take('+') || l.take('-')) && l.clock(23)
}

// clock reads 12:34.
func (l *lexer) clock(hours int) bool {
	if _, ok := l.digitsOf(2, 0, hours); !ok || !l.take(':') {
		return false
	}
	_, ok := l.digitsOf(2, 0, 59)
	return ok
}

// digitsOf reads a number of n digits between low and high.
func (l *lexer) digitsOf(n, low, high int) (int, bool) {
	if l.pos+n > len(l.p) || !allDigits(l.p[l.pos:l.pos+n]) {
		return 0, false
	}
	v := 0
	for _, c := range l.p[l.pos : l.pos+n] {
		v = v*10 + int(c-'0')
	}
	l.pos += n
	return v, v >= low && v <= high
}
