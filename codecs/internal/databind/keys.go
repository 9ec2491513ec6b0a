package databind

import (
	"math/big"
	"reflect"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// readKey makes of a map's key, which is a text in all payloads, a value for the key
// type of a Go map: the reverse of what Jackson writes keys as.
func readKey(key string, t reflect.Type) (any, bool) {
	switch t {
	case reflect.TypeFor[java.Char]():
		c, ok := character(key)
		return c, ok
	case reflect.TypeFor[*big.Int]():
		return new(big.Int).SetString(key, 10)
	case decimalType:
		d, ok := parseDecimal(key)
		return d, ok
	case timeType, reflect.TypeFor[java.Date]():
		millis, ok := parseDate(key)
		if t == timeType {
			return java.Date{Millis: millis}, ok
		}
		return java.Date{Class: java.ClassDate, Millis: millis}, ok
	case reflect.TypeFor[java.Enum]():
		return java.Enum{Name: key, Ordinal: -1}, key != ""
	case reflect.TypeFor[java.ClassRef]():
		return java.ClassRef(key), true
	case reflect.TypeFor[time.Duration]():
		return nil, false
	}
	if of := jdk.OfType(t); of != nil && of.Parts != nil {
		p, ok := of.ParseText(key)
		return of.Join(&p), ok
	}
	switch t.Kind() {
	case reflect.Bool:
		return key == "true", key == "true" || key == "false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseInt(key, 10, 64)
		return n, err == nil
	case reflect.Float32, reflect.Float64:
		f, err := javatext.ParseDouble(key)
		if t.Kind() == reflect.Float32 {
			return float32(f), err == nil
		}
		return f, err == nil
	}
	return nil, false
}
