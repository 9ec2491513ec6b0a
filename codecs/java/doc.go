// Package java holds what every Java format shares: the values Java programs
// put into a queue, and the ways between them and Go types. It knows no bytes.
//
// # Values
//
// What Java wrote comes back as these Go values. They keep class names and
// order, so that encoding them again gives the bytes Java would write.
//
//	null                 nil
//	String               string (UTF-8; a lone surrogate as its three WTF-8 bytes)
//	Boolean              bool
//	Byte Short           int8 int16
//	Integer Long         int32 int64
//	Float Double         float32 float64
//	Character            Char
//	byte[]               []byte
//	BigDecimal           the type of that name here
//	BigInteger           *big.Int
//	java.util.Date …     Date
//	java.time.*          Instant, LocalDate, LocalTime, LocalDateTime, Duration
//	maps                 *Map
//	lists, sets, arrays  *List
//	enums                Enum
//	beans                *Object
//
// # Go types
//
// A [Plan] is compiled once per Go type and carries it both ways: [Plan.Assign]
// stores a decoded value in a Go variable, [Plan.Lower] turns a Go variable into
// the values above. Structs name their Java fields with the struct tag
//
//	java:"name[,type expression][,flags]"
//
// read by [FieldsOf]. Go maps have no order: they become what Java's
// new HashMap() would hold after being filled in sorted key order, see
// [HashOrder].
package java
