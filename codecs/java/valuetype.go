package java

import (
	"math/big"
	"reflect"
	"slices"
)

// ValueType is a Go type of one Java value, not for a set of fields: one of
// this package's, [time.Time], [time.Duration] or *[big.Int]. It is what codecs and tools
// ask; programs use the types themselves.
type ValueType struct {
	Go reflect.Type
	// Declared is the Java type of a field of that Go type where no tag says another; zero
	// where the Go type may be any class of its kind, as [Enum] does.
	Declared TypeExpr
	// ZeroIsNull says that the zero value is null in Java.
	ZeroIsNull bool

	own bool // values of the Go type are the Java values themselves
}

// ValueTypes returns all such types.
func ValueTypes() []ValueType { return slices.Clone(valueTypes) }

// ValueTypeOf returns what is known of t, and whether t is such a type.
func ValueTypeOf(t reflect.Type) (ValueType, bool) {
	v := valuesByType[t]
	if v == nil {
		return ValueType{}, false
	}
	return *v, true
}

// IsValue reports whether t, or a pointer to it, is a [ValueType] or the type of a decimal
// library.
func IsValue(t reflect.Type) bool {
	return valuesByType[t] != nil || valuesByType[reflect.PointerTo(t)] != nil || isDecimal(t)
}

// valueTypes are the one place that knows them.
var valueTypes = []ValueType{
	{Go: timeType, Declared: TypeExpr{Class: ClassDate}, ZeroIsNull: true},
	{Go: durationType, Declared: TypeExpr{Class: "long"}},
	own[*big.Int]("java.math.BigInteger"),
	own[*Map]("java.util.Map"),
	own[*List]("java.util.List"),
	own[*Object](""),
	own[Enum]("").orNull(),
	own[Text]("").orNull(),
	own[Char]("char"),
	own[BigDecimal]("java.math.BigDecimal"),
	own[Date](ClassDate),
	own[UUID]("java.util.UUID"),
	own[ClassRef]("java.lang.Class").orNull(),
	own[Locale]("java.util.Locale"),
	own[Pattern]("java.util.regex.Pattern"),
	own[*BitSet]("java.util.BitSet"),
	own[*Calendar]("java.util.Calendar"),
	own[Instant]("java.time.Instant"),
	own[Duration]("java.time.Duration"),
	own[LocalDate]("java.time.LocalDate").orNull(),
	own[LocalTime]("java.time.LocalTime"),
	own[LocalDateTime]("java.time.LocalDateTime").orNull(),
	own[ZoneOffset]("java.time.ZoneOffset"),
	own[OffsetTime]("java.time.OffsetTime"),
	own[OffsetDateTime]("java.time.OffsetDateTime").orNull(),
	own[ZonedDateTime]("java.time.ZonedDateTime").orNull(),
	own[Year]("java.time.Year"),
	own[YearMonth]("java.time.YearMonth").orNull(),
	own[MonthDay]("java.time.MonthDay").orNull(),
	own[Period]("java.time.Period"),
}

func own[T any](class string) ValueType {
	return ValueType{Go: reflect.TypeFor[T](), Declared: TypeExpr{Class: class}, own: true}
}

func (v ValueType) orNull() ValueType {
	v.ZeroIsNull = true
	return v
}

var valuesByType = func() map[reflect.Type]*ValueType {
	m := make(map[reflect.Type]*ValueType, len(valueTypes))
	for i := range valueTypes {
		m[valueTypes[i].Go] = &valueTypes[i]
	}
	return m
}()

// isOwnType reports whether values of t are Java values as they are.
func isOwnType(t reflect.Type) bool {
	v := valuesByType[t]
	return v != nil && v.own
}

// scalarTypes are the declared types of Go's basic kinds.
var scalarTypes = map[reflect.Kind]string{
	reflect.Bool: "boolean", reflect.String: "java.lang.String",
	reflect.Int8: "byte", reflect.Int16: "short", reflect.Int32: "int", reflect.Int64: "long", reflect.Int: "int",
	reflect.Uint8: "short", reflect.Uint16: "int", reflect.Uint32: "long", reflect.Uint: "int", reflect.Uint64: "long",
	reflect.Float32: "float", reflect.Float64: "double",
}

// ScalarType returns the Java type of a field of a basic Go kind where no tag says
// another, int for reflect.Uint16, and the zero type for kinds that are no scalars. Its
// [TypeExpr.Boxed] is the class that values of the kind become.
func ScalarType(k reflect.Kind) TypeExpr { return TypeExpr{Class: scalarTypes[k]} }
