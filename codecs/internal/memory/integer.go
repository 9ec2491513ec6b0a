package memory

import (
	"math"
	"reflect"
)

// StoreInt stores v in the integer variable of that kind at p; false where it does
// not fit.
func StoreInt(kind reflect.Kind, p Place, v int64) bool {
	switch kind {
	case reflect.Int64:
		*At[int64](p) = v
		return true
	case reflect.Int:
		*At[int](p) = int(v)
		return int64(int(v)) == v
	case reflect.Int32:
		*At[int32](p) = int32(v)
		return int64(int32(v)) == v
	case reflect.Int16:
		*At[int16](p) = int16(v)
		return int64(int16(v)) == v
	case reflect.Int8:
		*At[int8](p) = int8(v)
		return int64(int8(v)) == v
	}
	return v >= 0 && storeUint(kind, p, uint64(v))
}

func storeUint(kind reflect.Kind, p Place, v uint64) bool {
	switch kind {
	case reflect.Uint8:
		*At[uint8](p) = uint8(v)
		return uint64(uint8(v)) == v
	case reflect.Uint16:
		*At[uint16](p) = uint16(v)
		return uint64(uint16(v)) == v
	case reflect.Uint32:
		*At[uint32](p) = uint32(v)
		return uint64(uint32(v)) == v
	case reflect.Uint64:
		*At[uint64](p) = v
		return true
	case reflect.Uint:
		*At[uint](p) = uint(v)
		return uint64(uint(v)) == v
	}
	return false
}

// LoadInt returns the integer at p; false where Java has no such number.
func LoadInt(kind reflect.Kind, p Place) (int64, bool) {
	switch kind {
	case reflect.Int64:
		return *At[int64](p), true
	case reflect.Int:
		return int64(*At[int](p)), true
	case reflect.Int32:
		return int64(*At[int32](p)), true
	case reflect.Int16:
		return int64(*At[int16](p)), true
	case reflect.Int8:
		return int64(*At[int8](p)), true
	case reflect.Uint8:
		return int64(*At[uint8](p)), true
	case reflect.Uint16:
		return int64(*At[uint16](p)), true
	case reflect.Uint32:
		return int64(*At[uint32](p)), true
	case reflect.Uint64:
		v := *At[uint64](p)
		return int64(v), v <= math.MaxInt64
	case reflect.Uint:
		v := *At[uint](p)
		return int64(v), v <= math.MaxInt64
	}
	return 0, false
}
