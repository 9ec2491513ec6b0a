package ion

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// maxDigits bounds a number, since large ones take more than linear time.
const maxDigits = 10_000

// number reads a number or timestamp and returns the index of its token.
func (l *lexer) number(start int) (int, error) {
	from := l.pos
	if l.timestampAhead() {
		return l.timestamp(start)
	}
	negative := l.take('-')
	if l.p[l.pos] == '0' && l.pos+1 < len(l.p) {
		switch l.p[l.pos+1] {
		case 'x', 'X':
			return l.radix(start, from, 16, negative)
		case 'b', 'B':
			return l.radix(start, from, 2, negative)
		}
	}
	whole := l.pos
	if err := l.digits(from, 10); err != nil {
		return 0, err
	}
	if l.p[whole] == '0' && l.pos > whole+1 {
		return 0, l.Fail(from, "a number with a zero before it")
	}
	kind := token.Int
	if l.take('.') {
		kind = token.Decimal
		if l.pos < len(l.p) && isDigit(l.p[l.pos]) {
			if err := l.digits(from, 10); err != nil {
				return 0, err
			}
		}
	}
	if l.pos < len(l.p) && class[l.p[l.pos]]&letter != 0 {
		switch l.p[l.pos] | 0x20 {
		case 'e':
			kind = token.Float
		case 'd':
			kind = token.Decimal
		default:
			return 0, l.Fail(l.pos, "%s right behind a number", show(l.p[l.pos]))
		}
		l.pos++
		if !l.take('+') {
			l.take('-')
		}
		if err := l.digits(from, 10); err != nil {
			return 0, err
		}
	}
	if err := l.ends(from); err != nil {
		return 0, err
	}
	switch kind {
	case token.Float:
		return l.float(start, from)
	case token.Decimal:
		return l.decimal(start, from)
	default:
		return l.whole(start, from), nil
	}
}

// ends checks that the number from offset from ends at l.pos, and is not too long.
func (l *lexer) ends(from int) error {
	switch {
	case !l.endsAt(l.pos):
		return l.Fail(l.pos, "%s right behind a number", show(l.p[l.pos]))
	case l.pos-from > maxDigits:
		return l.Fail(from, "a number of more than %d characters", maxDigits)
	}
	return nil
}

// digits moves over digits, single underscores among them.
func (l *lexer) digits(from, radix int) error {
	begin := l.pos
	for l.pos < len(l.p) {
		c := l.p[l.pos]
		if v := hexValue(c); v >= 0 && v < radix {
			l.pos++
			continue
		}
		if c == '_' && l.pos > begin && l.p[l.pos-1] != '_' {
			l.pos++
			continue
		}
		break
	}
	if l.pos == begin || l.p[l.pos-1] == '_' {
		return l.Fail(from, "a number with no digit where one is due")
	}
	return nil
}

// clean appends the characters of p[from:to] without underscores and plus signs to
// a scratch of its own.
func clean(p []byte) string {
	buf := make([]byte, 0, 32)
	for _, c := range p {
		if c != '_' && c != '+' {
			buf = append(buf, c)
		}
	}
	return string(buf)
}

// radix reads 0x… and 0b….
func (l *lexer) radix(start, from, base int, negative bool) (int, error) {
	l.pos += 2
	at := l.pos
	if err := l.digits(from, base); err != nil {
		return 0, err
	}
	if err := l.ends(from); err != nil {
		return 0, err
	}
	n, _ := new(big.Int).SetString(clean(l.p[at:l.pos]), base)
	if negative {
		n.Neg(n)
	}
	return l.addWhole(start, n), nil
}

// addWhole adds a whole number: Java tells an Integer, a Long and a BigInteger by size.
func (l *lexer) addWhole(start int, n *big.Int) int {
	if n.IsInt64() {
		return l.Add(token.Int, start, uint64(n.Int64()))
	}
	return l.AddBig(start, n)
}

// whole adds the whole number that stands from offset from to l.pos.
func (l *lexer) whole(start, from int) int {
	if l.pos-from > 18 { // it may not fit an int64
		n, _ := new(big.Int).SetString(clean(l.p[from:l.pos]), 10)
		return l.addWhole(start, n)
	}
	n, sign := int64(0), int64(1)
	for _, c := range l.p[from:l.pos] {
		switch c {
		case '-':
			sign = -1
		case '_':
		default:
			n = n*10 + int64(c-'0')
		}
	}
	return l.Add(token.Int, start, uint64(sign*n)) // its bits
}

// float adds the float that stands from offset from to l.pos.
func (l *lexer) float(start, from int) (int, error) {
	f, err := strconv.ParseFloat(clean(l.p[from:l.pos]), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, l.Fail(from, "not a float")
	}
	return l.AddFloat(start, f), nil
}

// decimal adds the decimal that stands from offset from to l.pos.
func (l *lexer) decimal(start, from int) (int, error) {
	text := strings.Map(func(c rune) rune {
		if c|0x20 == 'd' {
			return 'e'
		}
		return c
	}, clean(l.p[from:l.pos]))
	d, err := java.ParseBigDecimal(text)
	if _, exponent, ok := strings.Cut(text, "e"); ok && err == nil {
		_, err = strconv.ParseInt(exponent, 10, 32)
	}
	if err != nil {
		return 0, l.Fail(from, "a decimal whose exponent Java cannot hold")
	}
	return l.AddDecimal(start, d), nil
}
