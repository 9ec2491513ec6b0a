package serial

// Seen finds where something was written before, by what tells it apart: one by one while
// there are few. It keeps what it has seen alive, so that no address is used twice while it is
// in use.
type Seen[K comparable] struct {
	few  []seen[K]
	many map[K]int // all of them, once there are more than a few
}

type seen[K comparable] struct {
	key K
	at  int
}

const (
	// fewSeen is up to where a search one by one is faster than a map.
	fewSeen = 64
	// maxSeen bounds the map that Reset keeps.
	maxSeen = 1024
)

// Find returns where key was written.
func (s *Seen[K]) Find(key K) (int, bool) {
	if len(s.many) > 0 {
		at, ok := s.many[key]
		return at, ok
	}
	for i := range s.few {
		if s.few[i].key == key {
			return s.few[i].at, true
		}
	}
	return 0, false
}

// Add notes key, which Find does not find.
func (s *Seen[K]) Add(key K, at int) {
	if len(s.many) == 0 && len(s.few) < fewSeen {
		s.few = append(s.few, seen[K]{key, at})
		return
	}
	if s.many == nil {
		s.many = make(map[K]int, 2*fewSeen)
	}
	if len(s.many) == 0 {
		for _, f := range s.few {
			s.many[f.key] = f.at
		}
	}
	s.many[key] = at
}

// Put is Add for what may have been written: its first place stays.
func (s *Seen[K]) Put(key K, at int) {
	if _, ok := s.Find(key); !ok {
		s.Add(key, at)
	}
}

// AddAll adds all of other, of which there are few, to an empty s.
func (s *Seen[K]) AddAll(other *Seen[K]) { s.few = append(s.few, other.few...) }

// Few reports whether there are few.
func (s *Seen[K]) Few() bool { return len(s.many) == 0 }

// Reset forgets all of it.
func (s *Seen[K]) Reset() {
	clear(s.few)
	switch s.few = s.few[:0]; {
	case len(s.many) > maxSeen: // one huge payload has grown it
		s.many = nil
	case len(s.many) > 0:
		clear(s.many)
	}
}

// SeenDescs finds where class descriptors were written. Java has one of each class, but
// hostile payloads may have several of one name.
type SeenDescs struct {
	Seen[*Desc]
	names map[string][]*Desc // once there are more than a few
}

// maxNamesakes bounds how many descriptors of one name are compared.
const maxNamesakes = 8

// Find returns where the class was written.
func (s *SeenDescs) Find(d *Desc) (int, bool) {
	if at, ok := s.Seen.Find(d); ok {
		return at, true
	}
	if s.Few() {
		for i := range s.few {
			if other := s.few[i].key; other.Class == d.Class && Same(other, d) {
				return s.few[i].at, true
			}
		}
		return 0, false
	}
	for _, other := range s.names[d.Class] {
		if Same(other, d) {
			at, ok := s.Seen.Find(other)
			s.Seen.Add(d, at) // found at once next time
			return at, ok
		}
	}
	return 0, false
}

// Add notes a class that Find does not find.
func (s *SeenDescs) Add(d *Desc, at int) {
	few := s.Few()
	if s.Seen.Add(d, at); s.Few() {
		return
	}
	if s.names == nil {
		s.names = map[string][]*Desc{}
	}
	if few {
		for i := range s.few {
			s.name(s.few[i].key)
		}
	}
	s.name(d)
}

func (s *SeenDescs) name(d *Desc) {
	if same := s.names[d.Class]; len(same) < maxNamesakes {
		s.names[d.Class] = append(same, d)
	}
}

// Reset forgets all of it.
func (s *SeenDescs) Reset() {
	s.Seen.Reset()
	clear(s.names)
}
