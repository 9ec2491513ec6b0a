package java

// Plain returns v with its containers as plain Go ones: maps whose keys are all
// Strings as map[string]any (where a key repeats, the last one counts, as in
// Java), lists, sets and arrays as []any, at any
// depth. A map with other keys stays a *Map with plain values. Everything else
// stays as it is: scalars, beans, enums. Class names and order are lost: encoding the result gives
// java.util.HashMap and java.util.ArrayList.
// The nesting of v must be bounded, as that of decoded values is.
func Plain(v any) any {
	switch v := v.(type) {
	case *List:
		if v == nil {
			return nil
		}
		out := make([]any, len(v.Elements))
		for i, e := range v.Elements {
			out[i] = Plain(e)
		}
		return out
	case *Map:
		if v == nil {
			return nil
		}
		return plainMap(v)
	}
	return v
}

func plainMap(m *Map) any {
	out := make(map[string]any, len(m.Entries))
	for _, e := range m.Entries {
		k, ok := e.Key.(string)
		if !ok {
			return plainEntries(m)
		}
		out[k] = Plain(e.Value)
	}
	return out
}

// plainEntries keeps a map with other keys, and makes its values plain.
func plainEntries(m *Map) *Map {
	out := &Map{Class: m.Class, Entries: make([]Entry, len(m.Entries))}
	for i, e := range m.Entries {
		out.Entries[i] = Entry{e.Key, Plain(e.Value)}
	}
	return out
}
