package javatext

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ErrSyntax is returned for text that Java's parser refuses.
var ErrSyntax = errors.New("not a number as Java writes it")

// AppendDouble appends f as Java's Double.toString prints it: "1.0", "1.0E21",
// "1.0E-5", "NaN", "-Infinity". The digits are the shortest that read back as
// f, which is what JDK 19 and later print; older ones print a longer form for
// a few values (JDK-4511638).
func AppendDouble(dst []byte, f float64) []byte { return appendFloat(dst, f, 64) }

// AppendFloat appends f as Java's Float.toString prints it. The remark about
// older JDKs at [AppendDouble] holds here too.
func AppendFloat(dst []byte, f float32) []byte { return appendFloat(dst, float64(f), 32) }

func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case f == 0:
		if math.Signbit(f) {
			return append(dst, "-0.0"...)
		}
		return append(dst, "0.0"...)
	}
	if a := math.Abs(f); a >= 1e-3 && a < 1e7 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
		for _, c := range dst[start:] {
			if c == '.' {
				return dst
			}
		}
		return append(dst, ".0"...)
	}
	return appendScientific(dst, f, bits)
}

// appendScientific turns Go's "d.ddde±dd" into Java's "d.dddE[-]d". Java
// prints two digits at least, and where one would do, the two closest ones:
// the smallest double is 4.9E-324, not 5.0E-324.
func appendScientific(dst []byte, f float64, bits int) []byte {
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'e', -1, bits)
	if !hasDot(s) {
		s = strconv.AppendFloat(buf[:0], f, 'e', 1, bits)
	}
	e := len(s) - 1
	for s[e] != 'e' {
		e--
	}
	dst = append(append(dst, s[:e]...), 'E')
	exp := s[e+1:]
	if exp[0] == '-' {
		dst = append(dst, '-')
	}
	exp = exp[1:]
	for len(exp) > 1 && exp[0] == '0' {
		exp = exp[1:]
	}
	return append(dst, exp...)
}

func hasDot(s []byte) bool {
	for _, c := range s {
		if c == '.' {
			return true
		}
	}
	return false
}

// ParseDouble reads text as Java's Double.valueOf does: blanks around it, a
// sign, "NaN" and "Infinity" in exactly this spelling, decimal and hexadecimal
// literals, a trailing d or f. What is too large becomes an infinity. "inf",
// underscores and the empty text are refused with [ErrSyntax].
func ParseDouble(text string) (float64, error) {
	s := strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	unsigned := s
	if unsigned != "" && (unsigned[0] == '+' || unsigned[0] == '-') {
		unsigned = unsigned[1:]
	}
	switch unsigned {
	case "NaN":
		return math.NaN(), nil
	case "Infinity":
		if s[0] == '-' {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	case "":
		return 0, ErrSyntax
	}
	hex := len(unsigned) > 1 && unsigned[0] == '0' && unsigned[1]|0x20 == 'x'
	if c := s[len(s)-1] | 0x20; (c == 'd' || c == 'f') && (!hex || strings.ContainsAny(s, "pP")) {
		s = s[:len(s)-1]
	}
	for i := range len(s) {
		if c := s[i]; !isFloatByte(c, hex) {
			return 0, ErrSyntax
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, ErrSyntax
	}
	return f, nil
}

// isFloatByte keeps out what strconv reads and Java does not: "inf", "nan",
// underscores.
func isFloatByte(c byte, hex bool) bool {
	switch {
	case c >= '0' && c <= '9', c == '.', c == '+', c == '-', c == 'e', c == 'E':
		return true
	case !hex:
		return false
	}
	return c|0x20 >= 'a' && c|0x20 <= 'f' || c|0x20 == 'x' || c|0x20 == 'p'
}
