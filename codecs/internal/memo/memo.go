// Package memo remembers what came of the objects of one value, so that what is shared stays shared.
package memo

// Table keeps what came of each object, noted before it is filled, so that cycles find it. The
// first ones are searched one by one.
type Table[K comparable, V any] struct {
	few [8]struct {
		from K
		to   V
	}
	n    int
	many map[K]V
}

// Made returns what came of an object before.
func (m *Table[K, V]) Made(from K) (to V, ok bool) {
	if m.many != nil {
		to, ok = m.many[from]
		return to, ok
	}
	for i := range m.n {
		if m.few[i].from == from {
			return m.few[i].to, true
		}
	}
	return to, false
}

// Keep notes what comes of an object.
func (m *Table[K, V]) Keep(from K, to V) {
	if m.many == nil && m.n < len(m.few) {
		m.few[m.n].from, m.few[m.n].to = from, to
		m.n++
		return
	}
	if m.many == nil {
		m.many = make(map[K]V, 4*len(m.few))
		for _, f := range m.few {
			m.many[f.from] = f.to
		}
	}
	m.many[from] = to
}
