package wire

import (
	"encoding/binary"
	"time"
)

// The kinds of element id, as they stand in due and trace records. A due record whose kind is
// the capital letter is a guess: ID and due time are those of an equal payload.
const (
	// KindFirst marks an element whose first 8 bytes are its id: the universal
	// layout (07 and 7 bytes) and Java's layout up to 3.21.0 (a double).
	KindFirst byte = 'u'
	// KindJava marks Java's layout since 3.21.1: length byte 08, then 8 bytes.
	KindJava byte = 'n'
	// KindOther marks an element whose id is not 8 bytes long; it has no id text.
	KindOther byte = 'x'
	// KindPushed stands in records of messages that Go put on the ready list directly;
	// their ids are those of the universal layout.
	KindPushed byte = 'p'
	// KindMinted stands in records of messages that came without an id and have one of
	// the universal layout since their first take. When they were due is unknown: the
	// record has the time of that take.
	KindMinted byte = 'g'
)

// universalLength is the first byte of a universal element: read as Java's new
// layout it announces 7 bytes of id, read as the old one it belongs to a double.
const universalLength = 7

// ElementID is the id of a pending element. The zero value means "unknown".
// IDs are comparable.
type ElementID struct {
	Kind byte    // KindFirst, KindJava or KindOther
	Raw  [8]byte // the 8 bytes named by Kind; zero for KindOther
}

// IsZero reports whether the id is unknown.
func (id ElementID) IsZero() bool { return id.Kind == 0 }

// Field returns the field of the message's record in the attempts hash.
func (id ElementID) Field() string {
	if id.Kind == KindJava {
		return "n" + string(id.Raw[:])
	}
	return "u" + string(id.Raw[:])
}

// ElementOf reads a field of the attempts hash.
func ElementOf(field string) ElementID {
	kind := KindFirst
	if field[0] == 'n' {
		kind = KindJava
	}
	return ElementID{Kind: kind, Raw: [8]byte([]byte(field[1:9]))}
}

// Offered returns when an id of ours was made, by the producer's clock; ok is false
// for ids that Java made, and for those of messages that came without one: theirs begin as
// the nonce of their first take, whose highest bit is set, as that of a time after 2055.
// One in 512 of the random ids of releases up to 3.21.0 looks like one of ours, of any time
// between 2000 and 2055.
func (id ElementID) Offered() (t time.Time, ok bool) {
	raw := id.Raw
	if !id.Universal() || raw[1] >= 0x80 {
		return time.Time{}, false
	}
	raw[0] = 0
	return idEpoch.Add(time.Duration(binary.BigEndian.Uint64(raw[:])>>tailBits) * tick), true
}

// Universal reports whether id belongs to the universal layout that Go writes.
func (id ElementID) Universal() bool {
	return id.Kind == KindFirst && id.Raw[0] == universalLength
}
