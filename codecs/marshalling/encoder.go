package marshalling

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// encoder writes one payload. It is used by one goroutine at a time.
type encoder struct {
	codec    *Codec
	Out      []byte
	Depth    int
	MaxDepth int
	strings  Strings
	describe serial.Describer
	objects  serial.Seen[serial.ID]
	size     int // of the instance table
	enums    serial.Seen[constant]
	equal    map[any]int // values that Java keeps one object of, and equal texts
	levels   []writtenLevel
	names    map[string]int // of the levels up to named, when it is needed
	named    int
	unshared bool           // the value being written is that of an unshared field
	classes  []string       // the class table
	descs    []*serial.Desc // of the class table, nil for other classes; it may be shorter
	byName   map[string]int
}

// constant is an enum constant.
type constant struct{ class, name string }

// writtenLevel is a class descriptor with the index of its first name. Names
// that were references have none.
type writtenLevel struct {
	names []string
	first int
}

func (e *encoder) fail(format string, args ...any) error {
	return &codecs.EncodeError{Codec: name, Reason: fmt.Sprintf(format, args...)}
}

func (e *encoder) u8(b byte)    { e.Out = append(e.Out, b) }
func (e *encoder) u16(v uint16) { e.Out = binary.BigEndian.AppendUint16(e.Out, v) }
func (e *encoder) u32(v uint32) { e.Out = binary.BigEndian.AppendUint32(e.Out, v) }
func (e *encoder) u64(v uint64) { e.Out = binary.BigEndian.AppendUint64(e.Out, v) }

// enter goes one level deeper; leave follows each call that succeeds.
func (e *encoder) enter() error {
	if e.Depth >= e.MaxDepth {
		return e.fail("nested more than %d levels deep: raise Limits.Depth if that is right", e.MaxDepth)
	}
	e.Depth++
	return nil
}

func (e *encoder) leave() { e.Depth-- }

// next gives the object being written an index.
func (e *encoder) next() int {
	e.size++
	return e.size - 1
}

// count writes a lead byte and a count: lead for none, the next three for counts
// in one, two and four bytes.
func (e *encoder) count(lead byte, n int) {
	switch {
	case n == 0:
		e.u8(lead)
	case n <= 256:
		e.Out = append(e.Out, lead+1, byte(n))
	case n <= 65536:
		e.u8(lead + 2)
		e.u16(uint16(n))
	default:
		e.u8(lead + 3)
		e.u32(uint32(n))
	}
}

// back writes a reference to object index.
func (e *encoder) back(index int) {
	switch distance := e.size - index; {
	case distance <= 256:
		e.Out = append(e.Out, idObjectNear, byte(-distance))
	case distance <= 65536:
		e.u8(idObjectNearish)
		e.u16(uint16(-distance))
	default:
		e.u8(idObjectFar)
		e.u32(uint32(index))
	}
}

// classBack writes a reference to class index.
func (e *encoder) classBack(index int) {
	switch distance := len(e.classes) - index; {
	case distance <= 256:
		e.Out = append(e.Out, idClassNear, byte(-distance))
	case distance <= 65536:
		e.u8(idClassNearish)
		e.u16(uint16(-distance))
	default:
		e.u8(idClassFar)
		e.u32(uint32(index))
	}
}

// string writes a String value: a reference where it is the same object as one
// before.
func (e *encoder) string(s string) error {
	if s == "" {
		e.u8(idEmptyString)
		return nil
	}
	if !e.unshared {
		if index, known := e.knownString(s); known {
			e.back(index)
			return nil
		}
	}
	if err := e.text(s); err != nil {
		return err
	}
	e.size++
	return nil
}

// knownString finds s, or notes it under the next index.
func (e *encoder) knownString(s string) (int, bool) {
	switch e.strings {
	case Distinct:
		return 0, false
	case Equal:
		if i, ok := e.nameIndex(s); ok {
			return i, true
		}
		if i, ok := e.equal[s]; ok {
			return i, true
		}
		e.noteEqual(s)
		return 0, false
	case Identical:
	}
	id := serial.StringID(s)
	index, known := e.objects.Find(id)
	if !known {
		e.objects.Add(id, e.size)
	}
	return index, known
}

// noteEqual remembers a value Java keeps one object of under the next index.
func (e *encoder) noteEqual(v any) {
	if e.equal == nil {
		e.equal = map[any]int{}
	}
	e.equal[v] = e.size
}

// text writes a string in full.
func (e *encoder) text(s string) error {
	n, plain, ok := units(s)
	if !ok {
		return e.fail("a string is not UTF-8: Java would read something else; use []byte for bytes")
	}
	e.count(idEmptyString, n)
	if plain {
		e.Out = append(e.Out, s...)
		return nil
	}
	e.Out = serial.AppendText(e.Out, s)
	return nil
}

// text32 writes a text with a count of four bytes, as names outside protocol 4
// and writeUTF have it.
func (e *encoder) text32(s string) error {
	n, plain, ok := units(s)
	if !ok {
		return e.fail("a name of %d bytes is not UTF-8", len(s))
	}
	e.u32(uint32(n))
	if plain {
		e.Out = append(e.Out, s...)
		return nil
	}
	e.Out = serial.AppendText(e.Out, s)
	return nil
}

// fewNames is how many names of classes and fields are searched one by one.
const fewNames = 48

// nameIndex finds a name of a class or field among those written.
func (e *encoder) nameIndex(name string) (int, bool) {
	if e.named == 0 && len(e.levels) > 0 {
		last := &e.levels[len(e.levels)-1]
		if last.first+len(last.names)-e.levels[0].first <= fewNames {
			for i := range e.levels {
				if at := slices.Index(e.levels[i].names, name); at >= 0 {
					return e.levels[i].first + at, true
				}
			}
			return 0, false
		}
	}
	if e.names == nil {
		e.names = map[string]int{}
	}
	for ; e.named < len(e.levels); e.named++ {
		l := &e.levels[e.named]
		for i, n := range l.names {
			if _, ok := e.names[n]; !ok {
				e.names[n] = l.first + i
			}
		}
	}
	i, ok := e.names[name]
	return i, ok
}
