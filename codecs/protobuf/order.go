package protobuf

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// span is one field of a message and where it stands.
type span struct {
	unknown    int // 1: behind all known fields
	number     protowire.Number
	start, end int
}

// order puts the fields of a message and of those within it into the order in which
// Java writes them: known fields by their numbers, then unknown ones by theirs. Go's library
// has the fields of a oneof behind all others, extensions before them and unknown fields as
// they came. Nothing changes its length, and what is no message stays as it is.
func order(b []byte, s *shape) {
	var fields []span
	for at := 0; at < len(b); {
		number, typ, head := protowire.ConsumeTag(b[at:])
		if head < 0 {
			return
		}
		value := b[at+head:]
		size := protowire.ConsumeFieldValue(number, typ, value)
		if size < 0 {
			return
		}
		f := span{1, number, at, at + head + size}
		if field := s.field(number); field != nil {
			if f.unknown = 0; field.inner != nil && !field.entry {
				orderInner(value[:size], number, typ, field.inner)
			}
		}
		fields = append(fields, f)
		at = f.end
	}
	byOrder := func(x, y span) int { return cmp.Or(cmp.Compare(x.unknown, y.unknown), cmp.Compare(x.number, y.number)) }
	if slices.IsSortedFunc(fields, byOrder) {
		return
	}
	slices.SortStableFunc(fields, byOrder)
	out := make([]byte, 0, len(b))
	for _, f := range fields {
		out = append(out, b[f.start:f.end]...)
	}
	copy(b, out)
}

// orderInner orders the message that the value of a field is.
func orderInner(value []byte, number protowire.Number, typ protowire.Type, s *shape) {
	switch typ {
	case protowire.BytesType:
		inner, _ := protowire.ConsumeBytes(value)
		order(inner, s)
	case protowire.StartGroupType:
		inner, _ := protowire.ConsumeGroup(number, value)
		order(inner, s)
	default:
	}
}
