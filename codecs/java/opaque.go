package java

import (
	"math/big"
	"reflect"
	"time"
)

// opaqueStructs are the struct types that are one Java value, not a set of fields.
var opaqueStructs = map[reflect.Type]bool{
	reflect.TypeFor[time.Time]():     true,
	reflect.TypeFor[big.Int]():       true,
	reflect.TypeFor[Map]():           true,
	reflect.TypeFor[List]():          true,
	reflect.TypeFor[Object]():        true,
	reflect.TypeFor[Enum]():          true,
	reflect.TypeFor[BigDecimal]():    true,
	reflect.TypeFor[Date]():          true,
	reflect.TypeFor[Instant]():       true,
	reflect.TypeFor[LocalDate]():     true,
	reflect.TypeFor[LocalTime]():     true,
	reflect.TypeFor[LocalDateTime](): true,
	reflect.TypeFor[Duration]():      true,
}

func opaqueStruct(t reflect.Type) bool { return opaqueStructs[t] }
