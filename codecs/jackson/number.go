package jackson

import (
	"math"
	"math/big"

	"github.com/duequeue/duequeue/codecs/internal/token"
)

// maxNumber bounds the characters of one number, as Jackson does since 2.15:
// reading n digits takes more than linear time.
const maxNumber = 1000

// number reads the number at s.pos.
func (s *scanner) number() error {
	start := s.pos
	whole, err := s.numberEnd()
	if err != nil {
		return err
	}
	lit := s.p[start:s.pos]
	if len(lit) > maxNumber {
		return s.b.Fail(start, "a number of %d characters; the limit is %d", len(lit), maxNumber)
	}
	if s.b.Nest() == 0 && s.pos < len(s.p) && !blank(s.p[s.pos]) {
		return s.b.Fail(start, "a number with %q right after it", s.p[s.pos])
	}
	if !whole {
		s.b.AddNumber(token.Float, start, start, len(lit), 0)
		return nil
	}
	if n, ok := parseWhole(lit); ok {
		s.b.AddNumber(token.Int, start, start, len(lit), uint64(n))
		return nil
	}
	n, _ := new(big.Int).SetString(string(lit), 10)
	k := &s.b.Tokens[s.b.AddBig(start, n)]
	k.Flags, k.Off, k.Len = k.Flags|token.FlagLiteral, uint32(start), uint32(len(lit))
	return nil
}

// numberEnd moves behind the number; whole says that it has neither fraction nor
// exponent.
func (s *scanner) numberEnd() (whole bool, err error) {
	i := s.pos
	if s.p[i] == '-' {
		i++
	}
	digits := s.digits(i)
	switch {
	case digits == i:
		s.pos = i
		return false, s.unexpected("a digit")
	case s.p[i] == '0' && digits > i+1:
		return false, s.b.Fail(i, "a number with a leading zero")
	}
	i, whole = digits, true
	if i < len(s.p) && s.p[i] == '.' {
		whole = false
		if digits = s.digits(i + 1); digits == i+1 {
			s.pos = digits
			return false, s.unexpected("a digit after the decimal point")
		}
		i = digits
	}
	if i < len(s.p) && s.p[i]|0x20 == 'e' {
		whole = false
		i++
		if i < len(s.p) && (s.p[i] == '+' || s.p[i] == '-') {
			i++
		}
		if digits = s.digits(i); digits == i {
			s.pos = digits
			return false, s.unexpected("a digit of the exponent")
		}
		i = digits
	}
	s.pos = i
	return whole, nil
}

func (s *scanner) digits(i int) int {
	for i < len(s.p) && s.p[i] >= '0' && s.p[i] <= '9' {
		i++
	}
	return i
}

// parseWhole returns the number of a literal if an int64 holds it.
func parseWhole(lit []byte) (int64, bool) {
	digits := lit
	if lit[0] == '-' {
		digits = lit[1:]
	}
	if len(digits) > 19 {
		return 0, false
	}
	var n uint64
	for _, c := range digits {
		n = 10*n + uint64(c-'0')
	}
	switch {
	case len(digits) < len(lit):
		return int64(-n), n <= 1<<63
	default:
		return int64(n), n <= math.MaxInt64
	}
}
