package serialization

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/java"
)

// readString reads a string, or a back reference to one.
func readString(r *reader, dst reflect.Value) error {
	tag, err := r.byte()
	if err != nil {
		return err
	}
	switch tag {
	case tcString, tcLongString:
		s, err := r.text(tag)
		if err == nil {
			dst.SetString(s)
		}
		return err
	case tcReference:
		h, err := r.handle()
		if err != nil || h.kind != stringHandle {
			return errTyped
		}
		dst.SetString(h.text)
		return nil
	}
	return errTyped
}

// boxes are the classes that hold one primitive.
var boxes = map[string]byte{
	"java.lang.Boolean": 'Z', "java.lang.Byte": 'B', "java.lang.Short": 'S', "java.lang.Integer": 'I',
	"java.lang.Long": 'J', "java.lang.Float": 'F', "java.lang.Double": 'D',
}

// readBox reads a boxed primitive, or a back reference to one.
func readBox(r *reader, dst reflect.Value) error {
	if r.at < len(r.in) && r.in[r.at] == tcReference {
		r.at++
		h, err := r.handle()
		if err != nil || h.kind != typedHandle {
			return errTyped
		}
		from, ok := h.value.(boxAt)
		if !ok {
			return errTyped
		}
		return setPrimitive(dst, from.code, r.in[from.at:from.at+width(from.code)])
	}
	d, err := r.open(nil)
	if err != nil {
		return err
	}
	code := boxes[d.Class]
	if code == 0 || !d.Canonical() {
		return errTyped
	}
	r.handles[len(r.handles)-1].value = boxAt{code, r.at}
	b, err := r.take(width(code))
	if err != nil {
		return err
	}
	return setPrimitive(dst, code, b)
}

// boxAt says where a box stands in the payload.
type boxAt struct {
	code byte
	at   int
}

// setPrimitive stores a primitive where the Go type holds it without loss.
func setPrimitive(dst reflect.Value, code byte, b []byte) error {
	if dst.Kind() == reflect.Pointer {
		to := reflect.New(dst.Type().Elem())
		dst.Set(to)
		dst = to.Elem()
	}
	var n int64
	switch code {
	case 'Z':
		if dst.Kind() != reflect.Bool {
			return errTyped
		}
		dst.SetBool(b[0] != 0)
		return nil
	case 'C':
		if dst.Type() != charType {
			return errTyped
		}
		dst.SetUint(uint64(binary.BigEndian.Uint16(b)))
		return nil
	case 'B':
		n = int64(int8(b[0]))
	case 'S':
		n = int64(int16(binary.BigEndian.Uint16(b)))
	case 'I':
		n = int64(int32(binary.BigEndian.Uint32(b)))
	case 'J':
		n = int64(binary.BigEndian.Uint64(b))
	case 'F':
		return setFloat(dst, float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
	case 'D':
		return setFloat(dst, math.Float64frombits(binary.BigEndian.Uint64(b)))
	default:
		return errTyped
	}
	switch dst.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if dst.OverflowInt(n) {
			return errTyped
		}
		dst.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n < 0 || dst.OverflowUint(uint64(n)) {
			return errTyped
		}
		dst.SetUint(uint64(n))
	default:
		return errTyped
	}
	return nil
}

func setFloat(dst reflect.Value, f float64) error {
	switch dst.Kind() {
	case reflect.Float64:
	case reflect.Float32:
		if float64(float32(f)) != f && f == f {
			return errTyped
		}
	default:
		return errTyped
	}
	dst.SetFloat(f)
	return nil
}

// readTime reads a java.util.Date or java.time.Instant.
func readTime(r *reader, dst reflect.Value) error {
	d, err := r.open(nil)
	if err != nil {
		return err
	}
	if d.Class == javatime.Class && d.Canonical() {
		return readInstant(r, dst)
	}
	if d.Class != java.ClassDate || !d.Canonical() {
		return errTyped
	}
	b, err := r.block(8)
	if err != nil {
		return err
	}
	*dst.Addr().Interface().(*time.Time) = time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC()
	return r.end()
}

// readInstant reads what a java.time.Instant writes in the name of its class.
func readInstant(r *reader, dst reflect.Value) error {
	b, err := r.block(13)
	if err != nil || b[0] != javatime.InstantType {
		return errTyped
	}
	seconds, nanos := int64(binary.BigEndian.Uint64(b[1:])), int32(binary.BigEndian.Uint32(b[9:]))
	if !javatime.ValidInstant(seconds, nanos) {
		return errTyped
	}
	*dst.Addr().Interface().(*time.Time) = time.Unix(seconds, int64(nanos)).UTC()
	return r.end()
}

// readDecimal reads a java.math.BigDecimal.
func readDecimal(r *reader, dst reflect.Value) error {
	d, err := r.open(nil)
	if err != nil {
		return err
	}
	if d.Class != "java.math.BigDecimal" || !d.Canonical() {
		return errTyped
	}
	scale, err := r.int32()
	if err != nil {
		return err
	}
	n, err := r.bigInt()
	if err != nil {
		return err
	}
	*dst.Addr().Interface().(*java.BigDecimal) = java.BigDecimal{Unscaled: n, Scale: scale}
	return r.end()
}

// bigInt reads a java.math.BigInteger that was not written before.
func (r *reader) bigInt() (*big.Int, error) {
	d, err := r.open(nil)
	if err != nil {
		return nil, err
	}
	if d.Class != "java.math.BigInteger" || !d.Canonical() {
		return nil, errTyped
	}
	const sign, array = 16, 20 // offsets behind the four numbers that Java caches
	b, err := r.take(array + 1)
	if err != nil {
		return nil, err
	}
	if b[array] != tcArray {
		return nil, errTyped
	}
	if d, err = r.desc(); err != nil {
		return nil, err
	}
	if d == nil || d.Class != "[B" {
		return nil, errTyped
	}
	r.push(handle{kind: typedHandle})
	size, err := r.int32()
	if err != nil {
		return nil, err
	}
	if size < 0 || size > maxTypedInteger {
		return nil, errTyped
	}
	magnitude, err := r.take(int(size))
	if err != nil {
		return nil, err
	}
	n := new(big.Int)
	if size <= 8 {
		var word [8]byte
		copy(word[8-size:], magnitude)
		n.SetUint64(binary.BigEndian.Uint64(word[:]))
	} else {
		n.SetBytes(magnitude)
	}
	signum := int(int32(binary.BigEndian.Uint32(b[sign:])))
	if signum < 0 {
		n.Neg(n)
	}
	if n.Sign() != signum {
		return nil, errTyped
	}
	return n, r.end()
}

// maxTypedInteger bounds the bytes of a number that is read without asking the
// rules for larger ones.
const maxTypedInteger = 1024
