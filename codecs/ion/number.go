package ion

import (
	"math"
	"math/big"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// maxDigits bounds a number, since large ones take more than linear time.
const maxDigits = 10_000

// notANumber adds nan.
func (l *lexer) notANumber(start int) int { return l.AddFloat(start, math.NaN()) }

// infinity adds +inf or -inf.
func (l *lexer) infinity(start int, sign byte) int {
	if sign == '-' {
		return l.AddFloat(start, math.Inf(-1))
	}
	return l.AddFloat(start, math.Inf(1))
}

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
	point := -1
	if l.take('.') {
		kind, point = token.Decimal, l.pos
		if l.pos < len(l.p) && isDigit(l.p[l.pos]) {
			if err := l.digits(from, 10); err != nil {
				return 0, err
			}
		}
	}
	mantissa := l.pos
	if l.pos < len(l.p) {
		switch l.p[l.pos] {
		case 'e', 'E':
			kind = token.Float
		case 'd', 'D':
			kind = token.Decimal
		}
	}
	if mantissa < len(l.p) && class[l.p[mantissa]]&letter != 0 {
		if err := l.exponent(from); err != nil {
			return 0, err
		}
	}
	if !l.endsAt(l.pos) {
		return 0, l.Fail(l.pos, "%s right behind a number", show(l.p[l.pos]))
	}
	if l.pos-from > maxDigits {
		return 0, l.Fail(from, "a number of more than %d characters", maxDigits)
	}
	switch kind {
	case token.Float:
		return l.float(start, from)
	case token.Decimal:
		return l.decimal(start, from, point, mantissa)
	default:
		return l.whole(start, from)
	}
}

// exponent reads the exponent that begins with a letter at l.pos.
func (l *lexer) exponent(from int) error {
	switch l.p[l.pos] {
	case 'e', 'E', 'd', 'D':
	default:
		return l.Fail(l.pos, "%s right behind a number", show(l.p[l.pos]))
	}
	l.pos++
	if !l.take('+') {
		l.take('-')
	}
	return l.digits(from, 10)
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
	if !l.endsAt(l.pos) {
		return 0, l.Fail(l.pos, "%s right behind a number", show(l.p[l.pos]))
	}
	if l.pos-from > maxDigits {
		return 0, l.Fail(from, "a number of more than %d characters", maxDigits)
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
func (l *lexer) whole(start, from int) (int, error) {
	if l.pos-from <= 18 { // fits an int64
		n, negative := int64(0), false
		for _, c := range l.p[from:l.pos] {
			switch c {
			case '-':
				negative = true
			case '_':
			default:
				n = n*10 + int64(c-'0')
			}
		}
		if negative {
			n = -n
		}
		return l.Add(token.Int, start, uint64(n)), nil
	}
	n, _ := new(big.Int).SetString(clean(l.p[from:l.pos]), 10)
	return l.addWhole(start, n), nil
}

// float adds the float that stands from offset from to l.pos.
func (l *lexer) float(start, from int) (int, error) {
	f, err := strconv.ParseFloat(clean(l.p[from:l.pos]), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, l.Fail(from, "not a float")
	}
	return l.AddFloat(start, f), nil
}

// decimal adds the decimal that stands from offset from to l.pos. Point is where its
// fraction begins, -1 if there is none, mantissa where its exponent does.
func (l *lexer) decimal(start, from, point, mantissa int) (int, error) {
	buf := make([]byte, 0, 32)
	fraction := 0
	for i := from; i < mantissa; i++ {
		switch c := l.p[i]; c {
		case '_', '.':
		default:
			buf = append(buf, c)
			if point >= 0 && i >= point {
				fraction++
			}
		}
	}
	unscaled, ok := new(big.Int).SetString(string(buf), 10)
	if !ok {
		return 0, l.Fail(from, "not a decimal")
	}
	exponent := int64(0)
	if mantissa < l.pos {
		var err error
		exponent, err = strconv.ParseInt(clean(l.p[mantissa+1:l.pos]), 10, 32)
		if err != nil {
			return 0, l.Fail(from, "a decimal whose exponent Java cannot hold")
		}
	}
	scale := int64(fraction) - exponent
	if scale != int64(int32(scale)) {
		return 0, l.Fail(from, "a decimal whose scale Java cannot hold")
	}
	return l.AddDecimal(start, java.BigDecimal{Unscaled: unscaled, Scale: int32(scale)}), nil
}
