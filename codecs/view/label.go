package view

import (
	"cmp"
	"fmt"
	"math/big"
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/java"
)

// label returns a key as a path element for people: the field name for a plain identifier, else
// the key in brackets, or its class if it is not a scalar; at most 64 bytes.
func label(k any) string {
	s, ok := k.(string)
	if !ok {
		return errpath.Clip("[" + keyText(k) + "]")
	}
	head := s[:min(len(s), errpath.MaxKey)]
	for i := range len(head) {
		if c := s[i]; c != '_' && c != '$' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return errpath.Clip(fmt.Sprintf("[%q]", head))
		}
	}
	if s == "" {
		return `[""]`
	}
	return errpath.Clip(s)
}

// keyText shows a key that is no String.
func keyText(k any) string {
	switch k := k.(type) {
	case *big.Int:
		return numberText(k)
	case java.BigDecimal:
		if k.Unscaled != nil && k.Unscaled.BitLen() > 256 {
			return numberText(k.Unscaled)
		}
	case java.Text:
		return errpath.Clip(k.Value)
	case java.Enum:
		return errpath.Clip(cmp.Or(k.Name, strconv.Itoa(k.Ordinal)))
	case *java.Map, *java.List, *java.Object, *java.BitSet, java.Locale, java.Pattern, java.ZonedDateTime, java.Calendar:
		return errpath.Clip(cmp.Or(java.ClassOf(k), fmt.Sprintf("%T", k)))
	}
	if r := reflect.ValueOf(k); r.Kind() == reflect.Slice || r.Kind() == reflect.Map {
		return cmp.Or(java.ClassOf(k), fmt.Sprintf("%T", k))
	}
	return fmt.Sprint(k)
}

// numberText shows a number in an error message; a huge one by its size.
func numberText(v any) string {
	if b, ok := v.(*big.Int); ok && b.BitLen() > 256 {
		return fmt.Sprintf("a number of %d bits", b.BitLen())
	}
	return fmt.Sprint(v)
}
