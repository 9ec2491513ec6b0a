package java

// maxPlainDepth bounds the nesting that [Plain] follows.
const maxPlainDepth = 10_000

// Plain returns v with its containers as plain Go ones: maps whose keys are all
// Strings as map[string]any (where a key repeats, the last one counts, as in
// Java), lists, sets and arrays of objects as []any, at any
// depth. A map with other keys stays a *Map with plain values. Everything else
// stays as it is: scalars, arrays of primitives, beans, enums. Class names and
// order are lost: encoding the result gives java.util.HashMap and
// java.util.ArrayList.
//
// One list or map of v becomes one Go slice or map wherever it occurs, so v may
// share parts and contain itself. What nests deeper than 10,000 levels stays as
// it is.
func Plain(v any) any {
	var p plainer
	return p.plain(v)
}

// plainer makes values plain; what it has made already, it finds again.
type plainer struct {
	memo[any, any]
	depth int
}

func (p *plainer) plain(v any) any {
	switch v := v.(type) {
	case *List:
		if v == nil {
			return nil
		}
		if out, ok := p.made(v); ok {
			return out
		}
		return p.list(v)
	case *Map:
		if v == nil {
			return nil
		}
		if out, ok := p.made(v); ok {
			return out
		}
		return p.mapping(v)
	}
	return v
}

func (p *plainer) list(l *List) any {
	if p.depth >= maxPlainDepth {
		return l
	}
	out := make([]any, len(l.Elements))
	p.keep(l, out)
	p.depth++
	for i, e := range l.Elements {
		out[i] = p.plain(e)
	}
	p.depth--
	return out
}

func (p *plainer) mapping(m *Map) any {
	if p.depth >= maxPlainDepth {
		return m
	}
	p.depth++
	defer func() { p.depth-- }()
	if !stringsOnly(m) {
		return p.entries(m)
	}
	out := make(map[string]any, len(m.Entries))
	p.keep(m, out)
	for _, e := range m.Entries {
		out[e.Key.(string)] = p.plain(e.Value)
	}
	return out
}

// memo keeps what came of each object, noted before it is filled, so that cycles find it. The
// first ones are searched one by one.
type memo[K comparable, V any] struct {
	few [8]struct {
		from K
		to   V
	}
	n    int
	many map[K]V
}

func (m *memo[K, V]) made(from K) (to V, ok bool) {
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

func (m *memo[K, V]) keep(from K, to V) {
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

func stringsOnly(m *Map) bool {
	for _, e := range m.Entries {
		if _, ok := e.Key.(string); !ok {
			return false
		}
	}
	return true
}

// entries keeps a map with other keys, and makes its values plain.
func (p *plainer) entries(m *Map) *Map {
	out := &Map{Class: m.Class, Entries: make([]Entry, len(m.Entries)), Comparator: m.Comparator, Of: m.Of, Form: m.Form}
	p.keep(m, out)
	for i, e := range m.Entries {
		out.Entries[i] = Entry{e.Key, p.plain(e.Value)}
	}
	return out
}
