package marshalling

import (
	"encoding/binary"
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Descriptions of the JDK classes whose bytes typed plans read themselves. A
// class that the stream describes otherwise is left to the other way.
var (
	descDate      = serial.Known(java.ClassDate)
	descSQLDate   = serial.Known("java.sql.Date")
	descSQLTime   = serial.Known("java.sql.Time")
	descDecimal   = serial.Known(classBigDecimal)
	descInteger   = serial.Known(classBigInteger)
	descUUID      = serial.Known(classUUID)
	descArrayList = serial.Known("java.util.Arrays$ArrayList")
	descCollSer   = serial.Known("java.util.CollSer")
	descHashSet   = serial.Known(java.ClassHashSet)
	descLinkedSet = serial.Known("java.util.LinkedHashSet")
	descHashMap   = serial.Known(java.ClassHashMap)
	descLinkedMap = serial.Known("java.util.LinkedHashMap")
)

// newOf reads the class behind lead byte 04 and gives the object an index. Its
// slot is filled by the caller.
func (d *decoder) newOf(lead byte) (*serial.Desc, int) {
	if lead != idNewObject {
		return nil, 0
	}
	c, err := d.readClass()
	if err != nil || !c.serializable() {
		return nil, 0
	}
	return c.desc, d.reserve()
}

// expect passes bytes that must stand next.
func (d *decoder) expect(want ...byte) bool {
	if len(d.in)-d.at < len(want) {
		return false
	}
	for i, b := range want {
		if d.in[d.at+i] != b {
			return false
		}
	}
	d.at += len(want)
	return true
}

func readTime(d *decoder, n *node, p memory.Place, lead byte) bool {
	if isBack(lead) {
		return d.copyOf(n, p, lead)
	}
	desc, index := d.newOf(lead)
	if desc == nil || desc != descDate && desc != descSQLDate && desc != descSQLTime || !d.expect(idBlockSmall, 8) {
		return false
	}
	millis, err := d.i64()
	if err != nil || !d.expect(idBlockEnd) {
		return false
	}
	*memory.At[time.Time](p) = time.UnixMilli(millis).UTC()
	return d.kept(n, p, index)
}

func readUUID(d *decoder, n *node, p memory.Place, lead byte) bool {
	if isBack(lead) {
		return d.copyOf(n, p, lead)
	}
	desc, index := d.newOf(lead)
	if desc == nil || desc != descUUID {
		return false
	}
	b, err := d.fixed(16)
	if err != nil || d.elements < 2 {
		return false
	}
	d.elements -= 2
	id := memory.At[java.UUID](p)
	copy(id[8:], b[:8]) // the least significant half stands first
	copy(id[:8], b[8:])
	return d.kept(n, p, index)
}

func readDecimal(d *decoder, n *node, p memory.Place, lead byte) bool {
	if isBack(lead) {
		return d.copyOf(n, p, lead)
	}
	desc, index := d.newOf(lead)
	if desc == nil || desc != descDecimal || d.elements < 2 {
		return false
	}
	d.elements -= 2
	next, err := d.u8()
	if err != nil {
		return false
	}
	unscaled := d.bigInteger(next)
	if unscaled == nil {
		return false
	}
	scale, err := d.i32()
	if err != nil || !d.expect(idBlockEnd) {
		return false
	}
	*memory.At[java.BigDecimal](p) = java.BigDecimal{Unscaled: unscaled, Scale: scale}
	return d.kept(n, p, index)
}

// bigInteger reads a BigInteger; nil leaves it to the other way.
func (d *decoder) bigInteger(lead byte) *big.Int {
	if isBack(lead) {
		o, ok := d.typedBack(lead)
		if !ok || !o.typed {
			return nil
		}
		if shared, ok := o.value.(*big.Int); ok {
			return new(big.Int).Set(shared)
		}
		return nil
	}
	desc, index := d.newOf(lead)
	if desc == nil || desc != descInteger || d.elements < 6 {
		return nil
	}
	d.elements -= 6
	head, err := d.fixed(16 + 3) // four numbers that say "not computed", array of up to 256 bytes
	if err != nil || head[16] != idArrayEmpty+1 && head[16] != idArrayEmpty {
		return nil
	}
	size := int(head[17])
	if head[16] == idArrayEmpty {
		if head[17] != idByte {
			return nil
		}
		size = 0
		d.at--
	} else if head[18] != idByte || size == 0 {
		return nil
	}
	d.reserve()
	digits, err := d.fixed(size)
	if err != nil {
		return nil
	}
	sign, err := d.i32()
	if err != nil || !d.expect(idBlockEnd) {
		return nil
	}
	number := integerOf(digits)
	if number.Sign() == 0 && sign != 0 || number.Sign() != 0 && sign != 1 && sign != -1 {
		return nil
	}
	if sign < 0 {
		number.Neg(number)
	}
	d.objects.list[index].value = number
	return number
}

func integerOf(digits []byte) *big.Int {
	if len(digits) > 8 {
		return new(big.Int).SetBytes(digits)
	}
	var b [8]byte
	copy(b[8-len(digits):], digits)
	return new(big.Int).SetUint64(binary.BigEndian.Uint64(b[:]))
}

func readEnum(d *decoder, n *node, p memory.Place, lead byte) bool {
	if isBack(lead) {
		o, ok := d.typedBack(lead)
		if c, isEnum := o.value.(*class); !ok || !o.typed || !isEnum || c.name != n.enum.Name {
			return false
		}
		*memory.At[string](p) = o.text
		return true
	}
	if lead != idNewObject {
		return false
	}
	c, err := d.readClass()
	if err != nil || c.kind != idEnumClass || c.name != n.enum.Name {
		return false
	}
	size, err := d.i32()
	if err != nil || size <= 0 {
		return false
	}
	text, err := d.fixed(int(size))
	if err != nil {
		return false
	}
	for i := range n.enum.Constants {
		if constant := n.enum.Constants[i].Name; constant == string(text) {
			*memory.At[string](p) = constant
			d.objects.push(object{text: constant, value: c, typed: true})
			return true
		}
	}
	return false
}

func readBytes(d *decoder, n *node, p memory.Place, lead byte) bool {
	if lead == idNull {
		return true
	}
	if lead < idArrayEmpty || lead > idArrayEmpty+3 {
		return d.copyOf(n, p, lead)
	}
	size, _, err := d.sizeAfter(lead - idArrayEmpty)
	if err != nil || !d.expect(idByte) {
		return false
	}
	b, err := d.fixed(size)
	if err != nil {
		return false
	}
	*memory.At[[]byte](p) = append(make([]byte, 0, size), b...)
	return d.kept(n, p, d.reserve())
}

// readOtherList reads lists that are instances of a class, and arrays.
func readOtherList(d *decoder, n *node, p memory.Place, lead byte) bool {
	switch {
	case isBack(lead):
		return d.copyOf(n, p, lead)
	case lead == idCollection:
		return d.emptyList(n, p)
	case lead == idEmptyList || lead == idEmptySet:
		return d.elementsTo(n, p, 0)
	case lead == idSingletonList || lead == idSingletonSet:
		index := d.reserve()
		return d.elementsTo(n, p, 1) && d.kept(n, p, index)
	case lead == idUnmodifiable || lead == idUnmodifiableList || lead == idUnmodifiableSet:
		return d.wrappedList(n, p)
	case lead >= idArrayEmpty && lead <= idArrayEmpty+3:
		return d.arrayTo(n, p, lead)
	}
	desc, index := d.newOf(lead)
	if desc == nil {
		return false
	}
	switch desc {
	case descArrayList:
		next, err := d.u8()
		return err == nil && d.charge(d.at, 1, 0) == nil && next >= idArrayEmpty && next <= idArrayEmpty+3 &&
			d.arrayTo(n, p, next) && d.kept(n, p, index)
	case descCollSer:
		tag, err := d.i32()
		if err != nil || tag < 1 || tag == 3 || tag > 4 || !d.expect(idBlockSmall, 4) {
			return false
		}
		return d.items(n, p, 1) && d.kept(n, p, index)
	case descHashSet, descLinkedSet:
		if !d.expect(idBlockSmall, 12) {
			return false
		}
		if _, err := d.i64(); err != nil { // buckets and load factor
			return false
		}
		return d.items(n, p, 0) && d.kept(n, p, index)
	}
	return false
}

// items reads a count and the elements that end a custom part.
func (d *decoder) items(n *node, p memory.Place, fields int) bool {
	count, err := d.i32()
	return err == nil && d.charge(d.at, fields+1, 0) == nil && d.elementsTo(n, p, int(count)) && d.expect(idBlockEnd)
}

// wrappedList reads an unmodifiable list or set as what it wraps.
func (d *decoder) wrappedList(n *node, p memory.Place) bool {
	index := d.reserve()
	if d.enter(d.at, 1, 1) != nil {
		return false
	}
	defer d.leave()
	lead, err := d.u8()
	return err == nil && lead != idNull && readSlice(d, n, p, lead) && d.kept(n, p, index)
}

func (d *decoder) emptyList(n *node, p memory.Place) bool {
	kind, err := d.u8()
	if err != nil {
		return false
	}
	switch kind {
	case idArrayList, idLinkedList, idVector, idStack, idArrayDeque:
		index := d.reserve()
		return d.elementsTo(n, p, 0) && d.kept(n, p, index)
	}
	return false
}

// arrayTo reads an array of objects.
func (d *decoder) arrayTo(n *node, p memory.Place, lead byte) bool {
	start := d.at
	count, _, err := d.sizeAfter(lead - idArrayEmpty)
	if err != nil {
		return false
	}
	component, err := d.readClass()
	if err != nil || component.kind == idVoid {
		return false
	}
	if component.kind >= idBoolean && component.kind <= idDouble { // packed
		d.at = start
		return n.any != nil && readAny(d, n, p, lead)
	}
	index := d.reserve()
	return d.elementsTo(n, p, count) && d.kept(n, p, index)
}

// readMap reads HashMap and LinkedHashMap with String keys.
func readMap(d *decoder, n *node, p memory.Place, lead byte) bool {
	if lead == idNull {
		return true
	}
	if isBack(lead) {
		return d.copyOf(n, p, lead)
	}
	desc, index := d.newOf(lead)
	if desc == nil || desc != descHashMap && desc != descLinkedMap {
		return false
	}
	if _, err := d.i64(); err != nil || !d.expect(idBlockSmall, 8) { // load factor and threshold
		return false
	}
	if _, err := d.i32(); err != nil { // buckets
		return false
	}
	count, err := d.i32()
	if err != nil || d.charge(d.at, 4, 0) != nil || d.fits(d.at, int(count), 2) != nil || d.enter(d.at, 2*int(count), 1) != nil {
		return false
	}
	defer d.leave()
	if !d.entriesTo(n, p, int(count)) || !d.expect(idBlockEnd) {
		return false
	}
	if desc == descLinkedMap {
		if _, err := d.u8(); err != nil { // in order of access
			return false
		}
	}
	return d.kept(n, p, index)
}

func (d *decoder) entriesTo(n *node, p memory.Place, count int) bool {
	if n.typ == mapType {
		out := make(map[string]any, count)
		*memory.At[map[string]any](p) = out
		for range count {
			var key string
			var value any
			if !d.typed(n.key, memory.Of(&key)) || !d.typed(n.elem, memory.Of(&value)) {
				return false
			}
			out[key] = value
		}
		return true
	}
	out := reflect.MakeMapWithSize(n.typ, count)
	elem := reflect.New(n.elem.typ)
	for range count {
		var key string
		if !d.typed(n.key, memory.Of(&key)) {
			return false
		}
		if !d.typed(n.elem, memory.To(elem)) {
			return false
		}
		out.SetMapIndex(reflect.ValueOf(key), elem.Elem())
		if n.elem.scalar() {
			elem.Elem().SetZero()
			continue
		}
		elem = reflect.New(n.elem.typ) // the instance table may point to the old one
	}
	memory.Value(n.typ, p).Set(out)
	return true
}

// scalar reports whether references never copy a variable of n.
func (n *node) scalar() bool {
	switch n.typ.Kind() {
	case reflect.String, reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int, reflect.Float32, reflect.Float64:
		return true
	}
	return false
}
