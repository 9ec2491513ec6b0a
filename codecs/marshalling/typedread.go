package marshalling

import (
	"encoding/binary"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/internal/serial/typed"
)

func readText(d *decoder, _ *node, p memory.Place, lead byte) bool {
	switch {
	case lead >= idString && lead <= idStringLarge:
		s, err := d.stringText(lead)
		*memory.At[string](p) = s
		return err == nil
	case lead == idEmptyString:
		*memory.At[string](p) = ""
		return true
	}
	v, text, ok := d.Back(lead)
	if !ok || v != nil || text == "" {
		return false
	}
	*memory.At[string](p) = text
	return true
}

func readBox(d *decoder, n *node, p memory.Place, lead byte) bool {
	if lead == idTrue || lead == idFalse {
		if n.Kind() != reflect.Bool {
			return false
		}
		*memory.At[bool](p) = lead == idTrue
		return true
	}
	if lead < idByteValue || lead > idDoubleValue {
		return false
	}
	return n.StoreIn(&d.Cursor, "BSIJCFD"[lead-idByteValue], p)
}

var knownInteger = serial.Known("java.math.BigInteger")

// Integer implements [typed.Reader].
func (d *decoder) Integer() *big.Int {
	lead, err := d.u8()
	if err != nil {
		return nil
	}
	if d.IsBack(lead) {
		if v, _, _ := d.Back(lead); v != nil {
			if shared, ok := v.(*big.Int); ok {
				return new(big.Int).Set(shared)
			}
		}
		return nil
	}
	if lead != idNewObject {
		return nil
	}
	desc, _, index := d.Open()
	if !typed.Is(desc, knownInteger) {
		return nil
	}
	head := d.Take(16 + 3) // four numbers that say "not computed", array of up to 256 bytes
	if head == nil || head[16] != idArrayEmpty+1 && head[16] != idArrayEmpty {
		return nil
	}
	size := int(head[17])
	if head[16] == idArrayEmpty {
		if head[17] != idByte {
			return nil
		}
		size = 0
		d.At--
	} else if head[18] != idByte || size == 0 {
		return nil
	}
	d.Reserve()
	tail := d.Take(size + 5)
	if tail == nil || tail[size+4] != idBlockEnd {
		return nil
	}
	number := typed.Number(tail[:size], int32(binary.BigEndian.Uint32(tail[size:])))
	if number == nil {
		return nil
	}
	d.Keep(index, number)
	return number
}

func readEnum(d *decoder, n *node, p memory.Place, lead byte) bool {
	if d.IsBack(lead) {
		v, text, ok := d.Back(lead)
		if c, isEnum := v.(*class); !ok || !isEnum || c.name != n.Enum.Name {
			return false
		}
		*memory.At[string](p) = text
		return true
	}
	if lead != idNewObject {
		return false
	}
	c, err := d.readClass()
	if err != nil || c.kind != idEnumClass || c.name != n.Enum.Name {
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
	for i := range n.Enum.Constants {
		if constant := n.Enum.Constants[i].Name; constant == string(text) {
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
		return n.CopyOf(d, p, lead)
	}
	size, _, err := d.sizeAfter(lead - idArrayEmpty)
	if err != nil {
		return false
	}
	b := d.Take(size + 1)
	if b == nil || b[0] != idByte {
		return false
	}
	*memory.At[[]byte](p) = append(make([]byte, 0, size), b[1:]...)
	return n.Kept(d, p, d.Reserve())
}

// readList reads lists, sets and arrays whose elements follow their count.
func readList(d *decoder, n *node, p memory.Place, lead byte) bool {
	if lead == idNull {
		return true
	}
	if lead < idCollection+1 || lead > idCollection+3 {
		return readOtherList(d, n, p, lead)
	}
	count, err := d.size(lead - idCollection - 1)
	return err == nil && d.collectionTo(n, p, count)
}

// collectionTo reads the type and the elements of a collection.
func (d *decoder) collectionTo(n *node, p memory.Place, count int) bool {
	kind, err := d.u8()
	if err != nil {
		return false
	}
	switch kind {
	case idArrayList, idLinkedList, idVector, idStack, idArrayDeque:
		index := d.Reserve()
		return n.KeptElements(d, p, count, index)
	}
	return false
}

// readOtherList reads lists that are instances of a class, and arrays.
func readOtherList(d *decoder, n *node, p memory.Place, lead byte) bool {
	switch {
	case d.IsBack(lead):
		return n.CopyOf(d, p, lead)
	case lead == idCollection:
		return d.collectionTo(n, p, 0)
	case lead == idEmptyList || lead == idEmptySet:
		return n.Elements(d, p, 0)
	case lead == idSingletonList || lead == idSingletonSet:
		index := d.Reserve()
		return n.KeptElements(d, p, 1, index)
	case lead == idUnmodifiable || lead == idUnmodifiableList || lead == idUnmodifiableSet:
		return d.wrappedList(n, p)
	case lead >= idArrayEmpty && lead <= idArrayEmpty+3:
		return d.arrayTo(n, p, lead)
	case lead != idNewObject:
		return false
	}
	desc, _, index := d.Open()
	if desc == nil || !desc.Canonical() {
		return false
	}
	switch desc.Class {
	case "java.util.Arrays$ArrayList":
		next, err := d.u8()
		return err == nil && next >= idArrayEmpty && next <= idArrayEmpty+3 &&
			d.arrayTo(n, p, next) && n.Kept(d, p, index)
	case "java.util.CollSer":
		b := d.Take(4 + 2)
		if b == nil || b[4] != idBlockSmall || b[5] != 4 {
			return false
		}
		if tag := binary.BigEndian.Uint32(b); tag < 1 || tag == 3 || tag > 4 {
			return false
		}
		return d.items(n, p) && n.Kept(d, p, index)
	case "java.util.HashSet", "java.util.LinkedHashSet":
		b := d.Take(2 + 8) // with buckets and load factor
		return b != nil && b[0] == idBlockSmall && b[1] == 12 && d.items(n, p) && n.Kept(d, p, index)
	}
	return false
}

// items reads a count and the elements that end a custom part.
func (d *decoder) items(n *node, p memory.Place) bool {
	count, err := d.i32()
	return err == nil && d.charge(d.At, 1, 0) == nil && n.Elements(d, p, int(count)) && n.End(&d.Cursor)
}

// wrappedList reads an unmodifiable list or set as what it wraps.
func (d *decoder) wrappedList(n *node, p memory.Place) bool {
	index := d.Reserve()
	if d.enter(d.At, 1, 1) != nil {
		return false
	}
	defer d.leave()
	lead, err := d.u8()
	return err == nil && lead != idNull && readList(d, n, p, lead) && n.Kept(d, p, index)
}

// arrayTo reads an array of objects.
func (d *decoder) arrayTo(n *node, p memory.Place, lead byte) bool {
	start := d.At
	count, _, err := d.sizeAfter(lead - idArrayEmpty)
	if err != nil {
		return false
	}
	component, err := d.readClass()
	if err != nil || component.kind == idVoid {
		return false
	}
	if component.kind >= idBoolean && component.kind <= idDouble { // packed
		d.At = start
		return n.HasByValues() && typed.ReadByValues(d, n, p, lead)
	}
	index := d.Reserve()
	return n.KeptElements(d, p, count, index)
}
