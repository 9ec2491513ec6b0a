package databind

import (
	"encoding/base64"
	"math"
	"math/big"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

var wholeRange = map[string][2]int64{
	"java.lang.Integer": {math.MinInt32, math.MaxInt32},
	"java.lang.Short":   {math.MinInt16, math.MaxInt16},
	"java.lang.Byte":    {math.MinInt8, math.MaxUint8}, // Jackson takes 128…255 as negative
}

// whole reads a whole number, or its text, as one of a class.
func (r *reader) whole(class string, i int) (any, error) {
	k := &r.toks[i]
	if k.Kind == token.Int && class == "java.lang.Long" {
		return k.Int(), nil
	}
	n := r.bigOf(k)
	if n == nil {
		return nil, r.failClass(i, class, "not a whole number")
	}
	if class == "java.math.BigInteger" {
		return n, nil
	}
	limits, narrow := wholeRange[class]
	if !n.IsInt64() || narrow && (n.Int64() < limits[0] || n.Int64() > limits[1]) {
		return nil, r.failClass(i, class, "a number of %d bits is out of range", n.BitLen())
	}
	switch v := n.Int64(); class {
	case "java.lang.Integer":
		return int32(v), nil
	case "java.lang.Short":
		return int16(v), nil
	case "java.lang.Byte":
		return int8(v), nil
	default:
		return v, nil
	}
}

// bigOf returns a whole number or the one that a text spells, nil for all else.
func (r *reader) bigOf(k *token.Token) *big.Int {
	switch k.Kind {
	case token.Int:
		return big.NewInt(k.Int())
	case token.Big:
		return r.tape.Big(k)
	case token.String:
		s := strings.TrimSpace(string(r.tape.Text(k)))
		if len(s) > maxNumber || strings.Contains(s, "_") {
			return nil
		}
		if n, ok := new(big.Int).SetString(s, 10); ok {
			return n
		}
	default:
	}
	return nil
}

// numberText returns a number as the payload spells it, or as Java prints it, and a
// text as it is.
func (r *reader) numberText(k *token.Token) (string, bool) {
	if k.Flags&token.FlagLiteral != 0 || k.Kind == token.String {
		s := strings.TrimSpace(string(r.tape.Text(k)))
		return s, len(s) <= maxNumber
	}
	switch v := r.scalar(k).(type) {
	case int32, int64, *big.Int:
		return r.bigOf(k).String(), true
	case float32:
		return string(javatext.AppendFloat(nil, v)), true
	case float64:
		return string(javatext.AppendDouble(nil, v)), true
	case java.BigDecimal:
		return v.String(), true
	}
	return "", false
}

func (r *reader) fraction(class string, i int) (any, error) {
	k := &r.toks[i]
	switch {
	case k.Kind == token.Decimal && class == classBigDecimal:
		return r.tape.Decimal(k), nil
	case k.Kind == token.Float && k.Flags&token.FlagLiteral == 0 && class == "java.lang.Double":
		return r.tape.Float(k), nil
	case k.Kind == token.Float && k.Flags&token.FlagLiteral == 0 && class == "java.lang.Float":
		return float32(r.tape.Float(k)), nil
	}
	text, ok := r.numberText(k)
	if !ok {
		return nil, r.failClass(i, class, "not a number")
	}
	if class == classBigDecimal {
		d, isDecimal := parseDecimal(text)
		if !isDecimal {
			return nil, r.failClass(i, class, "not a decimal number")
		}
		return d, nil
	}
	f, ok := javaFloat(text, class)
	if !ok {
		return nil, r.failClass(i, class, "not a number")
	}
	return f, nil
}

func (r *reader) other(class string, i int) (any, error) {
	k := &r.toks[i]
	switch class {
	case "java.lang.String":
		if k.Kind == token.String {
			return r.text(k), nil
		}
		if k.Kind == token.Bool {
			return boolText(k.Bool()), nil
		}
		if s, ok := r.numberText(k); ok {
			return s, nil
		}
	case "java.lang.Boolean":
		if k.Kind == token.Bool {
			return k.Bool(), nil
		}
		if k.Kind == token.Int {
			return k.Int() != 0, nil
		}
		switch s := strings.TrimSpace(string(r.tape.Text(k))); {
		case k.Kind != token.String:
		case s == "true" || s == "True" || s == "TRUE":
			return true, nil
		case s == "false" || s == "False" || s == "FALSE":
			return false, nil
		}
	case "java.lang.Character":
		if c, ok := character(r.scalar(k)); ok {
			return c, nil
		}
	default:
		if k.Kind == token.Bytes {
			return append([]byte{}, r.tape.Text(k)...), nil
		}
		if b, err := base64.StdEncoding.AppendDecode([]byte{}, r.tape.Text(k)); k.Kind == token.String && err == nil {
			return b, nil
		}
		return nil, r.failClass(i, class, "not base64")
	}
	return nil, r.failClass(i, class, "not of this class")
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
