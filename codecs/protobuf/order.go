package protobuf

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// span is one field of a message and where it stands.
type span struct {
	rank       uint64 // Java's order
	start, end int
}

// rank returns the place of a field in Java's order: known fields by their numbers,
// then unknown ones by theirs.
func rank(number protowire.Number, known bool) uint64 {
	if known {
		return uint64(number)
	}
	return 1<<32 | uint64(number)
}

// order puts the fields of a message and of those within it into the order in which
// Java writes them. Go's library has the fields of a oneof behind all others,
// extensions before them and unknown fields as they came. Nothing changes its length.
func order(b []byte, s *shape) {
	if !ordered(b, s) {
		m := movers.Get().(*mover)
		m.sort(b, s)
		movers.Put(m)
	}
}

// ordered orders the messages that the fields of b hold, and reports whether the fields
// themselves are in order, or b is not a message.
func ordered(b []byte, s *shape) bool {
	last, sorted := uint64(0), true
	for at := 0; at < len(b); {
		f, ok := fieldAt(b, at)
		if !ok {
			return true
		}
		field := s.field(f.number)
		next := rank(f.number, field != nil)
		sorted = sorted && last <= next
		last = next
		if field != nil && field.inner != nil && !field.entry && f.to-f.from >= minFields {
			order(b[f.from:f.to], field.inner)
		}
		at = f.end
	}
	return sorted
}

// minFields is how many bytes two fields take at least.
const minFields = 4

// mover is the memory in which fields change their places.
type mover struct {
	spans []span
	out   []byte
}

var movers = sync.Pool{New: func() any { return new(mover) }}

// maxMoved bounds the memory that a mover keeps.
const maxMoved = 1 << 16

// sort orders the fields of b, all of which [fieldAt] read before.
func (m *mover) sort(b []byte, s *shape) {
	m.spans, m.out = m.spans[:0], m.out[:0]
	for at := 0; at < len(b); {
		f, _ := fieldAt(b, at)
		m.spans = append(m.spans, span{rank(f.number, s.field(f.number) != nil), at, f.end})
		at = f.end
	}
	sortSpans(m.spans)
	first, stay := 0, 0 // what is in its place already, and its length
	for first < len(m.spans) && m.spans[first].start == stay {
		stay = m.spans[first].end
		first++
	}
	for i := first; i < len(m.spans); {
		start, end := m.spans[i].start, m.spans[i].end
		for i++; i < len(m.spans) && m.spans[i].start == end; i++ {
			end = m.spans[i].end
		}
		m.out = append(m.out, b[start:end]...)
	}
	copy(b[stay:], m.out)
	if cap(m.out) > maxMoved || cap(m.spans) > maxMoved/16 {
		m.spans, m.out = nil, nil
	}
}

// fewMoves is how many fields are put in their places one by one: the library misplaces
// one for each oneof.
const fewMoves = 16

// sortSpans sorts spans by their ranks; those of one rank keep their order.
func sortSpans(spans []span) {
	byRank := func(x, y span) int { return cmp.Compare(x.rank, y.rank) }
	moves := 0
	for i := 1; i < len(spans); i++ {
		moved := spans[i]
		if moved.rank >= spans[i-1].rank {
			continue
		}
		if moves++; moves > fewMoves {
			slices.SortStableFunc(spans, byRank)
			return
		}
		to, _ := slices.BinarySearchFunc(spans[:i], moved.rank+1, func(s span, rank uint64) int { return cmp.Compare(s.rank, rank) })
		copy(spans[to+1:i+1], spans[to:i])
		spans[to] = moved
	}
}

// wireField is one field of a message.
type wireField struct {
	number   protowire.Number
	from, to int // the bytes of a message, text or group that it holds
	end      int
}

// fieldAt returns the field that stands at offset at of a message.
func fieldAt(b []byte, at int) (f wireField, ok bool) {
	start := at
	tag, at := short(b, at)
	f.number = protowire.Number(tag >> 3)
	switch protowire.Type(tag & 7) {
	case protowire.VarintType:
		for f.end = at; f.end < len(b) && b[f.end] >= 0x80; {
			f.end++
		}
		if f.end++; f.end-at > 9 { // or of too many bytes
			return longField(b, start)
		}
	case protowire.Fixed32Type:
		f.end = at + 4
	case protowire.Fixed64Type:
		f.end = at + 8
	case protowire.BytesType:
		size, from := short(b, at)
		f.from, f.to, f.end = from, from+size, from+size
	default:
		return longField(b, start)
	}
	if f.number <= 0 || f.end > len(b) {
		return longField(b, start)
	}
	return f, true
}

// beyond is more than any offset.
const beyond = math.MaxInt32

// short returns the number of at most two bytes at offset at, and the offset behind it,
// which is beyond the end for longer ones.
func short(b []byte, at int) (n, next int) {
	if at < len(b) && b[at] < 0x80 {
		return int(b[at]), at + 1
	}
	if at+1 < len(b) && b[at+1] < 0x80 {
		return int(b[at]&0x7F) | int(b[at+1])<<7, at + 2
	}
	return 0, beyond
}

// longField is fieldAt for groups, for tags and lengths of more than two bytes, and for
// what is no field.
func longField(b []byte, at int) (f wireField, ok bool) {
	number, typ, head := protowire.ConsumeTag(b[at:])
	if head < 0 {
		return f, false
	}
	at += head
	size := protowire.ConsumeFieldValue(number, typ, b[at:])
	if size < 0 {
		return f, false
	}
	f.number, f.end = number, at+size
	var inner []byte
	switch typ {
	case protowire.BytesType:
		inner, _ = protowire.ConsumeBytes(b[at:])
		f.from, f.to = f.end-len(inner), f.end
	case protowire.StartGroupType:
		inner, _ = protowire.ConsumeGroup(number, b[at:])
		f.from, f.to = at, at+len(inner)
	default:
	}
	return f, true
}
