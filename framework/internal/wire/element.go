package wire

import (
	"encoding/binary"
	"fmt"
)

// headBytes is what stands before the payload of a universal or old element:
// 8 bytes of id and 8 bytes of length.
const headBytes = 16

// MalformedError reports an element of the timeout set that fits no layout of
// any Redisson version. Such an element makes every Java client fail and repeat
// what came before it; the transfer moves it to the dead store.
type MalformedError struct {
	Size   int    // bytes of the element
	First  int    // its first byte; -1 when there is none
	Reason string // why it fits neither layout
}

// Error says size, first byte and reason.
func (e *MalformedError) Error() string {
	return fmt.Sprintf("malformed element of %d bytes (first byte %d): %s", e.Size, e.First, e.Reason)
}

// Pack returns the element that carries payload under id. For an id that
// [IDs.Next] made this is the universal element 07 | id[7] | u64le length |
// payload, which every Redisson from 3.8.1 to 4.7.0 reads.
func Pack(id ElementID, payload []byte) []byte {
	extra := 0
	if id.Kind == KindJava {
		extra = 1
	}
	e := make([]byte, 0, headBytes+extra+len(payload))
	if id.Kind == KindJava {
		e = append(e, byte(len(id.Raw)))
	}
	e = append(e, id.Raw[:]...)
	e = binary.LittleEndian.AppendUint64(e, uint64(len(payload)))
	return append(e, payload...)
}

// Parse takes an element of either layout apart. The payload shares memory with
// element. emptyOK says whether the queue's codec writes empty payloads: it
// decides the one shape of 17 bytes that is both a new element with an empty
// payload and an old one with the payload 00. The error is a [*MalformedError].
func Parse(element []byte, emptyOK bool) (ElementID, []byte, error) {
	return ParseBeginning(element, len(element), emptyOK)
}

// ParseBeginning is [Parse] for the beginning of an element of size bytes: the payload is what of
// it is there.
func ParseBeginning(element []byte, size int, emptyOK bool) (ElementID, []byte, error) {
	if len(element) > 0 && element[0] == 8 {
		if payload, ok := parseNew(element, size); ok {
			if len(payload) == 0 && !emptyOK {
				if old, ok := parseFirst(element, size); ok {
					return firstID(element), old, nil
				}
			}
			return ElementID{Kind: KindJava, Raw: [8]byte(element[1:9])}, payload, nil
		}
	}
	if payload, ok := parseFirst(element, size); ok {
		return firstID(element), payload, nil
	}
	if payload, ok := parseNew(element, size); ok {
		return ElementID{Kind: KindOther}, payload, nil
	}
	return ElementID{}, nil, malformed(element)
}

func firstID(element []byte) ElementID {
	return ElementID{Kind: KindFirst, Raw: [8]byte(element[:8])}
}

// parseFirst reads f64 id | u64le N | payload, which the universal element is too.
func parseFirst(e []byte, size int) ([]byte, bool) {
	if len(e) < headBytes || binary.LittleEndian.Uint64(e[8:]) != uint64(size-headBytes) {
		return nil, false
	}
	return e[headBytes:], true
}

// parseNew reads u8 B | id[B] | u64le N | payload.
func parseNew(e []byte, size int) ([]byte, bool) {
	if len(e) == 0 {
		return nil, false
	}
	head := 9 + int(e[0])
	if len(e) < head || binary.LittleEndian.Uint64(e[head-8:]) != uint64(size-head) {
		return nil, false
	}
	return e[head:], true
}

func malformed(e []byte) error {
	err := &MalformedError{Size: len(e), First: -1, Reason: "its length fits neither element layout"}
	if len(e) == 0 {
		err.Reason = "it is empty"
		return err
	}
	err.First = int(e[0])
	if len(e) < 9+int(e[0]) && len(e) < headBytes {
		err.Reason = "it is too short for an id and a length"
	}
	return err
}

// Repack returns the element with another payload, in its layout and under its id. payload is
// what [Parse] returned of it.
func Repack(element, payload, fresh []byte) []byte {
	head := len(element) - len(payload)
	e := append(make([]byte, 0, head+len(fresh)), element[:head-8]...)
	return append(binary.LittleEndian.AppendUint64(e, uint64(len(fresh))), fresh...)
}
