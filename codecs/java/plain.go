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
	made  map[any]any
	depth int
}

func (p *plainer) plain(v any) any {
	switch v := v.(type) {
	case *List:
		if v == nil {
			return nil
		}
		return p.container(v, func() (any, func()) {
			out := make([]any, len(v.Elements))
			return out, func() {
				for i, e := range v.Elements {
					out[i] = p.plain(e)
				}
			}
		})
	case *Map:
		if v == nil {
			return nil
		}
		return p.container(v, func() (any, func()) {
			if !stringsOnly(v) {
				return p.entries(v)
			}
			out := make(map[string]any, len(v.Entries))
			return out, func() {
				for _, e := range v.Entries {
					out[e.Key.(string)] = p.plain(e.Value)
				}
			}
		})
	}
	return v
}

// container notes what start returns for v before it is filled.
func (p *plainer) container(v any, start func() (out any, fill func())) any {
	if out, ok := p.made[v]; ok {
		return out
	}
	if p.depth >= maxPlainDepth {
		return v
	}
	if p.made == nil {
		p.made = map[any]any{}
	}
	out, fill := start()
	p.made[v] = out
	p.depth++
	fill()
	p.depth--
	return out
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
func (p *plainer) entries(m *Map) (any, func()) {
	out := &Map{Class: m.Class, Entries: make([]Entry, len(m.Entries)), Comparator: m.Comparator, Of: m.Of}
	return out, func() {
		for i, e := range m.Entries {
			out.Entries[i] = Entry{e.Key, p.plain(e.Value)}
		}
	}
}
