package serialization

import (
	"encoding/binary"
	"math/big"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial/typed"
	"github.com/duequeue/duequeue/codecs/java"
)

// readText reads a string, or a back reference to one.
func readText(r *reader, _ *node, p memory.Place, lead byte) bool {
	switch lead {
	case tcString, tcLongString:
		s, err := r.text(lead)
		*memory.At[string](p) = s
		return err == nil
	case tcReference:
		h, err := r.handle()
		if err != nil || h.kind != stringHandle {
			return false
		}
		*memory.At[string](p) = h.text
		return true
	}
	return false
}

// boxes are the classes that hold one primitive.
var boxes = map[string]byte{
	"java.lang.Boolean": 'Z', "java.lang.Byte": 'B', "java.lang.Short": 'S', "java.lang.Integer": 'I', "java.lang.Long": 'J',
	"java.lang.Float": 'F', "java.lang.Double": 'D', "java.lang.Character": 'C',
}

// boxAt says where a box is in the payload.
type boxAt struct {
	code byte
	at   int
}

// readBox reads a boxed primitive, or a back reference to one.
func readBox(r *reader, n *node, p memory.Place, lead byte) bool {
	switch lead {
	case tcReference:
		v, _, _ := r.Back(lead)
		from, ok := v.(boxAt)
		return ok && n.StoreIn(&typed.Cursor{In: r.In, At: from.at}, from.code, p)
	case tcObject:
	default:
		return false
	}
	d, _, index := r.Open()
	if d == nil || !d.Canonical() {
		return false
	}
	code := boxes[d.Class]
	if code == 0 {
		return false
	}
	r.Keep(index, boxAt{code, r.At})
	return n.StoreIn(&r.Cursor, code, p)
}

// Integer implements [typed.Reader].
func (r *reader) Integer() *big.Int {
	lead := r.Take(1)
	if lead == nil {
		return nil
	}
	if lead[0] != tcObject {
		if v, _, _ := r.Back(lead[0]); v != nil {
			if shared, ok := v.(*big.Int); ok {
				return new(big.Int).Set(shared)
			}
		}
		return nil
	}
	d, _, index := r.Open()
	if d == nil || d.Class != "java.math.BigInteger" || !d.Canonical() {
		return nil
	}
	const sign, array = 16, 20 // offsets behind the four numbers that Java caches
	b := r.Take(array + 1)
	if b == nil || b[array] != tcArray {
		return nil
	}
	if d, err := r.desc(); err != nil || d == nil || d.Class != "[B" {
		return nil
	}
	r.Reserve()
	size, err := r.int32()
	if err != nil || size < 0 || size > maxTypedInteger {
		return nil
	}
	digits := r.Take(int(size) + 1)
	if digits == nil || digits[size] != tcEndBlockData {
		return nil
	}
	number := typed.Number(digits[:size], int32(binary.BigEndian.Uint32(b[sign:])))
	if number != nil {
		r.Keep(index, number)
	}
	return number
}

// maxTypedInteger bounds the bytes of a number that is read without asking the
// rules for larger ones.
const maxTypedInteger = 1024

func readEnum(r *reader, n *node, p memory.Place, lead byte) bool {
	v, err := r.Value(lead)
	constant, ok := v.(java.Enum)
	if err != nil || !ok || constant.Class != n.Enum.Name || n.Enum.Ordinal(constant.Name) < 0 {
		return false
	}
	*memory.At[string](p) = constant.Name
	return true
}

func readBytes(r *reader, _ *node, p memory.Place, lead byte) bool {
	v, err := r.Value(lead)
	if err != nil {
		return false
	}
	b, ok := v.([]byte)
	*memory.At[[]byte](p) = b
	return ok || v == nil
}

// readList reads an array of primitives, or a list that writes its size and its
// elements.
func readList(r *reader, n *node, p memory.Place, lead byte) bool {
	switch lead {
	case tcNull:
		return true
	case tcReference:
		return n.CopyOf(r, p, lead)
	case tcArray:
		return n.HasByValues() && typed.ReadByValues(r, n, p, lead)
	case tcObject:
	default:
		return false
	}
	d, _, index := r.Open()
	if d == nil || !d.Canonical() {
		return false
	}
	var size []byte
	switch d.Class {
	case java.ClassArrayList:
		size = r.Take(4)
	case "java.util.LinkedList", "java.util.ArrayDeque", "java.util.concurrent.CopyOnWriteArrayList":
	default:
		return false
	}
	block := r.Take(2 + 4)
	if block == nil || block[0] != tcBlockData || block[1] != 4 {
		return false
	}
	if size == nil { // where only the block has it
		size = block[2:]
	}
	return n.Elements(r, p, int(int32(binary.BigEndian.Uint32(size)))) && n.End(&r.Cursor) && n.Kept(r, p, index)
}
