package java

import (
	"math/big"
	"reflect"
	"time"
)

var (
	anyType   = reflect.TypeFor[any]()
	timeType  = reflect.TypeFor[time.Time]()
	bytesType = reflect.TypeFor[[]byte]()
)

// ownTypes are the Go types that hold exactly one kind of Java value, as it is.
var ownTypes = map[reflect.Type]bool{
	reflect.TypeFor[*Map]():           true,
	reflect.TypeFor[*List]():          true,
	reflect.TypeFor[*Object]():        true,
	reflect.TypeFor[*big.Int]():       true,
	reflect.TypeFor[Enum]():           true,
	reflect.TypeFor[Char]():           true,
	reflect.TypeFor[BigDecimal]():     true,
	reflect.TypeFor[Date]():           true,
	reflect.TypeFor[Instant]():        true,
	reflect.TypeFor[LocalDate]():      true,
	reflect.TypeFor[LocalTime]():      true,
	reflect.TypeFor[LocalDateTime]():  true,
	reflect.TypeFor[Duration]():       true,
	reflect.TypeFor[UUID]():           true,
	reflect.TypeFor[Text]():           true,
	reflect.TypeFor[ClassRef]():       true,
	reflect.TypeFor[Locale]():         true,
	reflect.TypeFor[Pattern]():        true,
	reflect.TypeFor[*BitSet]():        true,
	reflect.TypeFor[*Calendar]():      true,
	reflect.TypeFor[ZoneOffset]():     true,
	reflect.TypeFor[OffsetTime]():     true,
	reflect.TypeFor[OffsetDateTime](): true,
	reflect.TypeFor[ZonedDateTime]():  true,
	reflect.TypeFor[Year]():           true,
	reflect.TypeFor[YearMonth]():      true,
	reflect.TypeFor[MonthDay]():       true,
	reflect.TypeFor[Period]():         true,
}

func isOwnType(t reflect.Type) bool { return ownTypes[t] }

func ownNode(t reflect.Type) *node {
	return &node{
		assign: func(v any, dst reflect.Value) error {
			switch {
			case v == nil && t.Kind() == reflect.Pointer:
				dst.SetZero()
			case v == nil || reflect.TypeOf(v) != t:
				return mismatch(v, dst)
			default:
				dst.Set(reflect.ValueOf(v))
			}
			return nil
		},
		lower: func(v reflect.Value, _ int) (any, error) {
			if t.Kind() == reflect.Pointer && v.IsNil() {
				return nil, nil
			}
			return v.Interface(), nil
		},
	}
}

// rawNode takes any Java value as it is.
func rawNode() *node {
	return &node{typ: anyType, assign: setAny, lower: lowerInterface}
}

// plainNode takes any Java value as [Plain] makes it.
func plainNode() *node {
	return &node{
		typ:    anyType,
		assign: func(v any, dst reflect.Value) error { return setAny(Plain(v), dst) },
		lower:  lowerInterface,
	}
}

func lowerInterface(v reflect.Value, depth int) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	return lowerAny(v.Elem(), depth)
}

func setAny(v any, dst reflect.Value) error {
	if v == nil {
		dst.SetZero()
		return nil
	}
	dst.Set(reflect.ValueOf(v))
	return nil
}

func pointerNode(t reflect.Type, elem *node) *node {
	return &node{
		assign: func(v any, dst reflect.Value) error {
			if v == nil {
				dst.SetZero()
				return nil
			}
			p := reflect.New(t.Elem())
			if err := elem.assign(v, p.Elem()); err != nil {
				return err
			}
			dst.Set(p)
			return nil
		},
		lower: func(v reflect.Value, depth int) (any, error) {
			if v.IsNil() {
				return nil, nil
			}
			if depth > maxLowerDepth {
				return nil, tooDeep(t)
			}
			return elem.lower(v.Elem(), depth+1)
		},
	}
}

func tooDeep(t reflect.Type) error {
	return &LowerError{Type: t, Reason: "nested too deeply, or a cycle of pointers"}
}
