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
	few   [8]madePlain // the first ones, searched one by one
	n     int
	many  map[any]any
	depth int
}

type madePlain struct{ from, to any }

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

// made returns what v became before.
func (p *plainer) made(v any) (any, bool) {
	if p.many != nil {
		out, ok := p.many[v]
		return out, ok
	}
	for i := range p.n {
		if p.few[i].from == v {
			return p.few[i].to, true
		}
	}
	return nil, false
}

// keep notes what v became, before it is filled, so that cycles find it.
func (p *plainer) keep(v, out any) {
	switch {
	case p.many != nil:
		p.many[v] = out
	case p.n < len(p.few):
		p.few[p.n] = madePlain{v, out}
		p.n++
	default:
		p.many = make(map[any]any, 4*len(p.few))
		for _, m := range p.few {
			p.many[m.from] = m.to
		}
		p.many[v] = out
	}
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
