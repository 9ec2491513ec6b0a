package ion

import (
	"bytes"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// maxDigits bounds a number, since large ones take more than linear time.
const maxDigits = 10_000

// numbers is the form of numbers: hexadecimal or binary digits, or decimal ones with a
// fraction and an exponent.
var numbers = regexp.MustCompile(`^-?(?:0[xX]([0-9a-fA-F](?:_?[0-9a-fA-F])*)|0[bB]([01](?:_?[01])*)|` +
	`(?:0|[1-9](?:_?[0-9])*)(\.(?:[0-9](?:_?[0-9])*)?)?([eEdD][+-]?[0-9](?:_?[0-9])*)?)`)

// number reads a number or a timestamp, which begins with four digits and a dash or T.
func (l *lexer) number(start int) (int, error) {
	from := l.pos
	for !l.endsAt(l.pos) {
		l.pos++
	}
	p := l.p[from:l.pos]
	switch {
	case len(p) > 4 && allDigits(p[:4]) && (p[4] == '-' || p[4] == 'T'):
		return l.timestamp(start, from)
	case len(p) > maxDigits:
		return 0, l.Fail(from, "a number of more than %d characters", maxDigits)
	}
	if n, err := strconv.ParseInt(string(p), 10, 64); err == nil && bytes.TrimLeft(p, "-")[0] != '0' { // most are
		return l.Add(token.Int, start, uint64(n)), nil
	}
	m := numbers.FindSubmatch(p)
	if n := len(m[0]); n < len(p) {
		return 0, l.Fail(from+n, "%s right behind a number", show(p[n]))
	}
	sign := ""
	if p[0] == '-' {
		sign = "-"
	}
	switch text := plain.Replace(string(p)); {
	case m[1] != nil:
		return l.whole(start, sign+plain.Replace(string(m[1])), 16), nil
	case m[2] != nil:
		return l.whole(start, sign+plain.Replace(string(m[2])), 2), nil
	case m[4] != nil && m[4][0]|0x20 == 'e':
		return l.float(start, from, text)
	case m[3] != nil || m[4] != nil:
		return l.decimal(start, from, text)
	default:
		return l.whole(start, text, 10), nil
	}
}

// plain replaces what only Ion writes in numbers.
var plain = strings.NewReplacer("_", "", "+", "")

// whole adds a whole number: Java tells an Integer, a Long and a BigInteger by size.
func (l *lexer) whole(start int, digits string, base int) int {
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return l.Add(token.Int, start, uint64(n)) // its bits
	}
	n, _ := new(big.Int).SetString(digits, base)
	return l.AddBig(start, n)
}

func (l *lexer) float(start, from int, text string) (int, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, l.Fail(from, "not a float")
	}
	return l.AddFloat(start, f), nil
}

func (l *lexer) decimal(start, from int, text string) (int, error) {
	text = strings.Replace(strings.ToLower(text), "d", "e", 1)
	d, err := java.ParseBigDecimal(text)
	if _, exponent, ok := strings.Cut(text, "e"); ok && err == nil {
		_, err = strconv.ParseInt(exponent, 10, 32)
	}
	if err != nil {
		return 0, l.Fail(from, "a decimal whose exponent Java cannot hold")
	}
	return l.AddDecimal(start, d), nil
}

// timestamps are the forms of timestamps, as package time describes them. It takes a
// fraction behind any second.
var timestamps = []string{"2006T", "2006-01T", time.DateOnly, "2006-01-02T", "2006-01-02T15:04Z07:00", time.RFC3339}

// clock is what package time is less strict about: two digits of an hour, and offsets
// below a day.
var clock = regexp.MustCompile(`T\d\d:.*(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// timestamp adds a timestamp as its text. With Jackson 2 Java makes of one an object of
// the Ion library, which has no other form here.
func (l *lexer) timestamp(start, from int) (int, error) {
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
	return l.AddText(token.String, token.FlagLiteral, start, from, n), nil
}
