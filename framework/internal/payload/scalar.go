package payload

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/codecs/view"
)

// How much of a long value is shown; the rest is reported as a count.
const (
	maxBytesShown    = 64
	maxElementsShown = 64
	maxBitsShown     = 1 << 12 // of a number: making digits of it takes long
)

// textOf returns the text of a value without parts, as Java's toString would have it where
// that is one line, and its kind. It may be long and hold any character.
func textOf(v any) (Kind, string) {
	switch v := v.(type) {
	case nil:
		return KindNull, "null"
	case string:
		return KindText, v
	case bool:
		return KindBoolean, strconv.FormatBool(v)
	case int, int8, int16, int32, int64:
		return KindNumber, fmt.Sprint(v)
	case java.Char:
		return KindText, string(rune(v))
	case []byte:
		return KindBytes, bytesText(v)
	case java.Block:
		return KindBytes, bytesText(v)
	case java.Enum:
		if v.Name == "" {
			return KindEnum, strconv.Itoa(v.Ordinal)
		}
		return KindEnum, v.Name
	case *big.Int:
		return KindNumber, numberText(v, func() string { return v.String() })
	case java.BigDecimal:
		return KindNumber, numberText(v.Unscaled, v.String)
	}
	return restText(v)
}

func bytesText(b []byte) string {
	if len(b) <= maxBytesShown {
		return hex.EncodeToString(b)
	}
	return fmt.Sprintf("%x… (%d bytes)", b[:maxBytesShown], len(b))
}

func numberText(n *big.Int, text func() string) string {
	if n != nil && n.BitLen() > maxBitsShown {
		return fmt.Sprintf("a number of %d bits", n.BitLen())
	}
	if n == nil {
		return "0"
	}
	return text()
}

// restText is [textOf] of what is seldom met: it is what view.Of shows.
func restText(v any) (Kind, string) {
	kind := KindOther
	t, known := gotypes.ValueTypeOf(reflect.TypeOf(v))
	_, text := v.(fmt.Stringer)
	switch {
	case reflect.TypeOf(v).Kind() == reflect.Float32, reflect.TypeOf(v).Kind() == reflect.Float64:
		kind = KindNumber
	case known && t.Time:
		kind = KindTime
	case known && (text || t.Go.Kind() == reflect.String):
		kind = KindText
	}
	more := ""
	if s := reflect.ValueOf(v); s.Kind() == reflect.Slice && s.Len() > maxElementsShown {
		v, more = s.Slice(0, maxElementsShown).Interface(), fmt.Sprintf("… (%d elements)", s.Len())
	}
	return kind, plainText(view.Of(v)) + more
}

// plainText returns the text of a value in JSON, as view.Of writes it.
func plainText(view json.RawMessage) string {
	if len(view) > 0 && view[0] == '{' {
		var typed struct{ Value json.RawMessage }
		if json.Unmarshal(view, &typed) != nil || typed.Value == nil {
			return "…"
		}
		view = typed.Value
	}
	var text string
	if json.Unmarshal(view, &text) == nil {
		return text
	}
	return string(view)
}
