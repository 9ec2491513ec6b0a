package jackson

import (
	"errors"
	"math/big"
	"strconv"
)

// number reads the literal at l.pos; whole says that it has neither fraction
// nor exponent.
func (l *lexer) number() (lit string, whole bool, err error) {
	start := l.pos
	i := start
	if l.b[i] == '-' {
		i++
	}
	digits := l.digits(i)
	switch {
	case digits == i:
		l.pos = i
		return "", false, l.unexpected("a digit")
	case l.b[i] == '0' && digits > i+1:
		return "", false, l.fail(i, "a number with a leading zero")
	}
	i, whole = digits, true
	if i < len(l.b) && l.b[i] == '.' {
		whole = false
		if digits = l.digits(i + 1); digits == i+1 {
			l.pos = digits
			return "", false, l.unexpected("a digit after the decimal point")
		}
		i = digits
	}
	if i < len(l.b) && l.b[i]|0x20 == 'e' {
		whole = false
		i++
		if i < len(l.b) && (l.b[i] == '+' || l.b[i] == '-') {
			i++
		}
		if digits = l.digits(i); digits == i {
			l.pos = digits
			return "", false, l.unexpected("a digit of the exponent")
		}
		i = digits
	}
	if i-start > maxNumber {
		return "", false, l.fail(start, "a number of %d characters; the limit is %d", i-start, maxNumber)
	}
	l.pos = i
	return string(l.b[start:i]), whole, nil
}

func (l *lexer) digits(i int) int {
	for i < len(l.b) && l.b[i] >= '0' && l.b[i] <= '9' {
		i++
	}
	return i
}

// natural returns the value that Java makes of a bare number where nothing is
// declared: Integer, Long or BigInteger by size, else Double.
func natural(lit string, whole bool) any {
	if !whole {
		return double(lit, 64)
	}
	if n, err := strconv.ParseInt(lit, 10, 64); err == nil {
		if n == int64(int32(n)) {
			return int32(n)
		}
		return n
	}
	n, _ := new(big.Int).SetString(lit, 10)
	return n
}

// double parses a JSON number; too large ones become infinite, as in Java.
func double(lit string, bits int) float64 {
	f, err := strconv.ParseFloat(lit, bits)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0 // lexer.number lets nothing else through
	}
	return f
}
