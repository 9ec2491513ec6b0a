package protobuf

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// span is one field of a message and where it stands.
type span struct {
	number     protowire.Number
	unknown    bool
	start, end int
}

func (s span) compare(t span) int {
	switch {
	case s.unknown != t.unknown && s.unknown:
		return 1
	case s.unknown != t.unknown:
		return -1
	}
	return int(s.number) - int(t.number)
}

// order puts the fields of a message and of those within it into the order in which
// Java writes them: known ones by their numbers, then unknown ones by theirs. Go's
// library has the fields of a oneof behind all others. Nothing changes its length.
func order(b []byte, s *shape) {
	last, sorted := span{}, true
	for at := 0; at < len(b); at = last.end {
		next, field, ok := nextField(b, at, s)
		if !ok {
			return
		}
		sorted = sorted && last.compare(next) <= 0
		last = next
		if field != nil && field.inner != nil {
			inside(b[next.start:next.end], field.inner)
		}
	}
	if sorted {
		return
	}
	var few [24]span
	spans := few[:0]
	for at := 0; at < len(b); at = last.end {
		last, _, _ = nextField(b, at, s)
		spans = append(spans, last)
	}
	slices.SortStableFunc(spans, span.compare)
	out := make([]byte, 0, len(b))
	for _, s := range spans {
		out = append(out, b[s.start:s.end]...)
	}
	copy(b, out)
}

// nextField returns the field that stands at offset at of a message.
func nextField(b []byte, at int, s *shape) (next span, field *member, ok bool) {
	number, typ, n := protowire.ConsumeTag(b[at:])
	if n < 0 {
		return next, nil, false
	}
	size := protowire.ConsumeFieldValue(number, typ, b[at+n:])
	if size < 0 {
		return next, nil, false
	}
	field = s.field(number)
	return span{number, field == nil, at, at + n + size}, field, true
}

// inside orders the message that a field holds.
func inside(b []byte, s *shape) {
	number, typ, head := protowire.ConsumeTag(b)
	var inner []byte
	switch typ {
	case protowire.BytesType:
		inner, _ = protowire.ConsumeBytes(b[head:])
	case protowire.StartGroupType:
		inner, _ = protowire.ConsumeGroup(number, b[head:])
	default:
	}
	order(inner, s)
}
