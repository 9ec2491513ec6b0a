package java

import "github.com/duequeue/duequeue/codecs/internal/memo"

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
	var p Plainer
	return p.Plain(v)
}

// Plainer makes several values plain: what they share stays shared.
type Plainer struct {
	made  memo.Table[any, any]
	depth int
}

// Plain is the function [Plain] for the next value.
func (p *Plainer) Plain(v any) any {
	switch v := v.(type) {
	case *List:
		if v == nil {
			return nil
		}
		if out, ok := p.made.Made(v); ok {
			return out
		}
		return p.list(v)
	case *Map:
		if v == nil {
			return nil
		}
		if out, ok := p.made.Made(v); ok {
			return out
		}
		return p.mapping(v)
	}
	return v
}

func (p *Plainer) list(l *List) any {
	if p.depth >= maxPlainDepth {
		return l
	}
	out := make([]any, len(l.Elements))
	p.made.Keep(l, out)
	p.depth++
	for i, e := range l.Elements {
		out[i] = p.Plain(e)
	}
	p.depth--
	return out
}

func (p *Plainer) mapping(m *Map) any {
	if p.depth >= maxPlainDepth {
		return m
	}
	p.depth++
	defer func() { p.depth-- }()
	if !stringsOnly(m) {
		return p.entries(m)
	}
	out := make(map[string]any, len(m.Entries))
	p.made.Keep(m, out)
	for _, e := range m.Entries {
		out[e.Key.(string)] = p.Plain(e.Value)
	}
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
func (p *Plainer) entries(m *Map) *Map {
	out := &Map{Class: m.Class, Entries: make([]Entry, len(m.Entries)), Comparator: m.Comparator, Of: m.Of, Form: m.Form}
	p.made.Keep(m, out)
	for i, e := range m.Entries {
		out.Entries[i] = Entry{e.Key, p.Plain(e.Value)}
	}
	return out
}
