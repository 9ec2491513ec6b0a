package databind_test

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// ask shows a value as integration/java/src/vectors/cbor/Ask.java does, which asked Java for what it reads.
func ask(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return showText(v)
	case []byte:
		return fmt.Sprintf("bytes %x", v)
	case *java.Map:
		var b strings.Builder
		for _, e := range v.Entries {
			b.WriteString(showKey(e.Key) + "=" + ask(e.Value) + ";")
		}
		return v.Class + "{" + b.String() + "}"
	case *java.List:
		var b strings.Builder
		for _, e := range v.Elements {
			b.WriteString(ask(e) + ";")
		}
		return v.Class + "[" + b.String() + "]"
	}
	return showNumber(v)
}

func showNumber(v any) string {
	switch v := v.(type) {
	case int32:
		return fmt.Sprintf("java.lang.Integer %d", v)
	case int64:
		return fmt.Sprintf("java.lang.Long %d", v)
	case float32:
		return "java.lang.Float " + string(javatext.AppendFloat(nil, v))
	case float64:
		return "java.lang.Double " + string(javatext.AppendDouble(nil, v))
	case *big.Int:
		return "java.math.BigInteger " + v.String()
	case java.BigDecimal:
		return "java.math.BigDecimal " + v.String()
	case java.UUID:
		return "java.util.UUID " + v.String()
	case *java.Object: // a scalar of a class that Go has no type for
		if len(v.Fields) != 1 {
			return v.Class + "{}"
		}
		text := v.Fields[0].Value
		if b, ok := text.([]byte); ok && len(b) == len(java.UUID{}) {
			text = java.UUID(b)
		}
		return fmt.Sprintf("%s %v", v.Class, text)
	}
	return fmt.Sprintf("%T %v", v, v)
}

// showKey shows a key: Java makes a String of an integer one where no type is declared.
func showKey(k any) string {
	if s, ok := k.(string); ok {
		return showText(s)
	}
	return showText(fmt.Sprint(k))
}

func showText(s string) string {
	out := "\""
	for len(s) > 0 {
		c, n := utf8.DecodeRuneInString(s)
		unit, lone := javatext.Surrogate(s)
		switch {
		case lone:
			out, n = out+fmt.Sprintf("\\u%04x", unit), 3
		case c > 0xFFFF:
			out += fmt.Sprintf("\\u%04x\\u%04x", 0xD800+(c-0x10000)>>10, 0xDC00+(c-0x10000)&0x3FF)
		case c < 32 || c > 126 || c == '"' || c == '\\':
			out += fmt.Sprintf("\\u%04x", c)
		default:
			out += string(c)
		}
		s = s[n:]
	}
	return out + "\""
}
