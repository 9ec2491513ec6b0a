package marshalling

import "github.com/duequeue/duequeue/codecs/internal/serial"

// identities maps objects to their indexes in the instance table. It keeps what
// it has seen alive, so that no address is used twice while it is in use.
type identities struct {
	few  []seen
	many map[serial.ID]int
}

type seen struct {
	id    serial.ID
	index int
}

// fewObjects is how many objects are searched one by one.
const fewObjects = 24

// find returns the index of id, or notes it as the one with index next. The
// zero ID is never found.
func (s *identities) find(id serial.ID, next int) (int, bool) {
	if id.IsZero() {
		return 0, false
	}
	if i, ok := s.lookup(id); ok {
		return i, true
	}
	if s.many != nil {
		s.many[id] = next
		return 0, false
	}
	s.few = append(s.few, seen{id, next})
	if len(s.few) > fewObjects {
		s.many = make(map[serial.ID]int, 4*fewObjects)
		for _, o := range s.few {
			s.many[o.id] = o.index
		}
	}
	return 0, false
}

// put notes id with its index. The first index of an object stays.
func (s *identities) put(id serial.ID, index int) { s.find(id, index) }

// lookup is find that notes nothing.
func (s *identities) lookup(id serial.ID) (int, bool) {
	if s.many != nil {
		i, ok := s.many[id]
		return i, ok
	}
	for i := range s.few {
		if s.few[i].id == id {
			return s.few[i].index, true
		}
	}
	return 0, false
}

func (s *identities) reset() {
	clear(s.few)
	s.few, s.many = s.few[:0], nil
}
