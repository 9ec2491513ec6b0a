package avro

import (
	"fmt"
	"math/big"

	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
)

// record writes a bean or map as the schema orders its fields. Java refuses a field
// that the schema does not have, unless it is null.
func (w *writer) record(n *node, v any) error {
	values := make([]any, len(n.fields))
	found := make([]bool, len(n.fields))
	put := func(name any, v any) error {
		s, ok := name.(string)
		i, known := n.index[s]
		switch {
		case ok && known:
			values[i], found[i] = v, true
		case v != nil:
			return under(java.Key(name), w.fail(v, "the schema's %s has no such field", n))
		}
		return nil
	}
	switch v := v.(type) {
	case *java.Object:
		for i := range v.Fields {
			if err := put(v.Fields[i].Name, v.Fields[i].Value); err != nil {
				return err
			}
		}
	case *java.Map:
		for i := range v.Entries {
			if err := put(v.Entries[i].Key, v.Entries[i].Value); err != nil {
				return err
			}
		}
	default:
		return w.refuse(n, v)
	}
	for i := range n.fields {
		f := &n.fields[i]
		if !found[i] && f.node.kind != null && f.node.null < 0 {
			return under(java.Key(f.name), w.fail(v, "missing, and the schema's %s cannot be null", f.node))
		}
		if err := w.value(f.node, values[i]); err != nil {
			return under(java.Key(f.name), err)
		}
	}
	return nil
}

func (w *writer) array(n *node, v any) error {
	if list, ok := java.ArrayList(v); ok {
		v = list
	}
	l, ok := v.(*java.List)
	if !ok {
		return w.refuse(n, v)
	}
	if len(l.Elements) > 0 {
		w.varint(int64(len(l.Elements)))
	}
	for i, e := range l.Elements {
		if err := w.value(n.elem, e); err != nil {
			return under(fmt.Sprintf("[%d]", i), err)
		}
	}
	w.varint(0)
	return nil
}

// mapping writes a map in the order of the HashMap that Jackson fills before it
// writes. Entries whose value is null are left out, as everywhere in Redisson's
// codecs of Jackson 2.
func (w *writer) mapping(n *node, v any) error {
	m, ok := v.(*java.Map)
	if !ok {
		return w.refuse(n, v)
	}
	entries := make(map[string]any, len(m.Entries))
	keys := make([]string, 0, len(m.Entries))
	for _, e := range m.Entries {
		key, ok := e.Key.(string)
		if !ok {
			return under(java.Key(e.Key), w.fail(e.Key, "the keys of Avro's maps are strings"))
		}
		if e.Value == nil {
			continue
		}
		if _, twice := entries[key]; !twice {
			keys = append(keys, key)
		}
		entries[key] = e.Value
	}
	if m.Class != java.ClassHashMap || len(keys) < len(m.Entries) {
		keyorder.Strings(keys)
	}
	if len(keys) > 0 {
		w.varint(int64(len(keys)))
	}
	for _, key := range keys {
		if err := w.string(key); err != nil {
			return under(java.Key(key), err)
		}
		if err := w.value(n.elem, entries[key]); err != nil {
			return under(java.Key(key), err)
		}
	}
	w.varint(0)
	return nil
}

func (w *writer) union(n *node, v any) error {
	at := n.null
	if v != nil {
		if at = n.branch(v); at < 0 {
			return w.fail(v, "%s is of no type of the schema's union", describe(v))
		}
	} else if at < 0 {
		return w.fail(v, "null, which the schema's union does not have")
	}
	w.varint(int64(at))
	return w.value(n.types[at], v)
}

// branch returns the branch of a union that a value goes into: the only one there
// is, or the first that has values like it; -1 if there is none.
func (n *node) branch(v any) int {
	only := -1
	for i, t := range n.types {
		if i == n.null {
			continue
		}
		if t.holds(v) {
			return i
		}
		if only == -1 {
			only = i
		} else {
			only = -2
		}
	}
	return max(only, -1)
}

// holds reports whether v is the Java value that the type is read as.
func (n *node) holds(v any) bool {
	switch v := v.(type) {
	case bool:
		return n.kind == boolean
	case int8, int16, int32, java.Char:
		return n.kind == integer
	case int64:
		return n.kind == long
	case java.Date:
		return n.kind == long && n.form == formDate
	case float32:
		return n.kind == float
	case float64:
		return n.kind == double
	case string:
		_, known := n.index[v]
		return n.kind == text && n.form == formKind || n.kind == enum && n.form == formName && known
	case []byte:
		return n.kind == data && n.form == formKind || n.kind == fixed && n.form == formKind && len(v) == n.size
	case java.UUID:
		return n.form == formUUID
	case java.BigDecimal:
		return n.form == formBigDecimal || n.form == formDecimal
	case *big.Int:
		return n.form == formBigInteger
	case java.Enum:
		_, known := n.index[v.Name]
		return n.kind == enum && known && (v.Class == n.name || v.Class == "")
	case *java.Object:
		return n.kind == record && (v.Class == n.name || v.Class == "")
	case *java.List:
		return n.kind == array
	case *java.Map:
		return n.kind == mapping || n.kind == record && n.form == formMap
	}
	return false
}
