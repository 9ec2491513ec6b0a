package marshalling

// identities maps objects to their indexes in the instance table. It keeps what
// it has seen alive, so that no address is used twice while it is in use.
type identities[K comparable] struct {
	few  []seen[K]
	many map[K]int // used when there are more
}

type seen[K comparable] struct {
	id    K
	index int
}

// fewObjects is how many objects are searched one by one.
const fewObjects = 64

// find returns the index of id, or notes it as the one with index next. The
// zero K is never found.
func (s *identities[K]) find(id K, next int) (int, bool) {
	if id == *new(K) {
		return 0, false
	}
	if i, ok := s.lookup(id); ok {
		return i, true
	}
	s.add(id, next)
	return 0, false
}

// add notes id, which lookup does not find.
func (s *identities[K]) add(id K, next int) {
	if len(s.few) > fewObjects {
		s.many[id] = next
		return
	}
	s.few = append(s.few, seen[K]{id, next})
	if len(s.few) > fewObjects {
		if s.many == nil {
			s.many = make(map[K]int, 4*fewObjects)
		}
		for _, o := range s.few {
			s.many[o.id] = o.index
		}
	}
}

// put notes id with its index. The first index of an object stays.
func (s *identities[K]) put(id K, index int) { s.find(id, index) }

// lookup is find that notes nothing.
func (s *identities[K]) lookup(id K) (int, bool) {
	if len(s.few) > fewObjects {
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

func (s *identities[K]) reset() {
	clear(s.few)
	s.few, s.many = s.few[:0], emptied(s.many)
}
