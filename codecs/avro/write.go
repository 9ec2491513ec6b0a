package avro

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
)

// writer writes one payload.
type writer struct {
	codec string
	out   []byte
	depth int // containers that may still be opened
}

func (w *writer) fail(v any, format string, args ...any) error {
	return &codecs.EncodeError{Codec: w.codec, Type: reflect.TypeOf(v), Reason: fmt.Sprintf(format, args...)}
}

// refuse returns the error for a value that is none of type n.
func (w *writer) refuse(n *node, v any) error {
	return w.fail(v, "%s is not of the schema's %s", describe(v), n)
}

// describe names a value in errors.
func describe(v any) string {
	if v == nil {
		return "null"
	}
	if class := java.ClassOf(v); class != "" {
		return "a " + class
	}
	return fmt.Sprintf("a %T", v)
}

func (w *writer) varint(n int64) { w.out = binary.AppendVarint(w.out, n) }

func (w *writer) value(n *node, v any) error {
	v = plain(v)
	switch n.kind {
	case null:
		if v != nil {
			return w.refuse(n, v)
		}
		return nil
	case boolean:
		b, ok := v.(bool)
		if !ok {
			return w.refuse(n, v)
		}
		w.out = append(w.out, 0)
		if b {
			w.out[len(w.out)-1] = 1
		}
		return nil
	case integer, long:
		return w.whole(n, v)
	case float, double:
		return w.fraction(n, v)
	case text:
		return w.text(n, v)
	case data, fixed:
		return w.bytes(n, v)
	case enum:
		return w.enum(n, v)
	default:
		return w.container(n, v)
	}
}

// container writes a value that holds others.
func (w *writer) container(n *node, v any) error {
	if w.depth == 0 {
		return w.fail(v, "nested too deeply (Limits.Depth)")
	}
	w.depth--
	var err error
	switch n.kind {
	case record:
		err = w.record(n, v)
	case array:
		err = w.array(n, v)
	case mapping:
		err = w.mapping(n, v)
	default:
		err = w.union(n, v)
	}
	w.depth++
	return err
}

// plain returns the values of package java that stand for simpler ones as those.
func plain(v any) any {
	switch v := v.(type) {
	case java.Text:
		return v.Value
	case java.ClassRef:
		return string(v)
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
		return nil
	}
	return v
}

// wholeOf returns a whole number of any size up to 64 bits.
func wholeOf(v any) (int64, bool) {
	switch v := v.(type) {
	case java.Char:
		return int64(v), true
	case java.Date:
		return v.Millis, true
	}
	return jdk.Whole(v)
}

func (w *writer) whole(n *node, v any) error {
	i, ok := wholeOf(v)
	if _, date := v.(java.Date); !ok || date && n.kind == integer {
		return w.refuse(n, v)
	}
	if n.kind == integer && i != int64(int32(i)) {
		return w.fail(v, "%d is beyond the schema's int", i)
	}
	w.varint(i)
	return nil
}

func (w *writer) fraction(n *node, v any) error {
	var f float64
	switch v := v.(type) {
	case float32:
		f = float64(v)
	case float64:
		f = v
		if n.kind == float && float64(float32(f)) != f && !math.IsNaN(f) {
			return w.fail(v, "the number is no float: the schema's type has 32 bits")
		}
	case int8, int16, int32:
		i, _ := wholeOf(v)
		f = float64(i)
	default:
		return w.refuse(n, v)
	}
	if n.kind == float {
		w.out = binary.LittleEndian.AppendUint32(w.out, math.Float32bits(float32(f)))
		return nil
	}
	w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(f))
	return nil
}

func (w *writer) string(s string) error {
	if !utf8.ValidString(s) {
		return w.fail(s, "not UTF-8, or half of a surrogate pair, for which Java writes a question mark")
	}
	w.varint(int64(len(s)))
	w.out = append(w.out, s...)
	return nil
}

func (w *writer) text(n *node, v any) error {
	switch v := v.(type) {
	case string:
		return w.string(v)
	case java.Enum:
		return w.string(v.Name)
	case java.Date:
		t := time.UnixMilli(v.Millis).UTC()
		if n.form != formISO || t.Year() < 1 || t.Year() > 9999 {
			return w.refuse(n, v)
		}
		return w.string(t.Format(isoDate))
	case java.UUID:
		return w.string(v.String())
	case java.BigDecimal:
		return w.string(v.String())
	case *big.Int:
		return w.string(v.String())
	case java.Char:
		return w.string(string(rune(v)))
	}
	return w.refuse(n, v)
}

func (w *writer) bytes(n *node, v any) error {
	var b []byte
	switch v := v.(type) {
	case []byte:
		b = v
	case java.UUID:
		b = v[:]
	case java.BigDecimal:
		if n.form != formDecimal {
			return w.refuse(n, v)
		}
		var ok bool
		if b, ok = unscaled(n, v); !ok {
			return w.fail(v, "%s does not fit the schema's decimal: scale %d, %d bytes if fixed", v, n.scale, n.size)
		}
	default:
		return w.refuse(n, v)
	}
	if n.kind == fixed {
		if len(b) != n.size {
			return w.fail(v, "%d bytes, the schema's %s has %d", len(b), n, n.size)
		}
	} else {
		w.varint(int64(len(b)))
	}
	w.out = append(w.out, b...)
	return nil
}

// unscaled returns the bytes of a decimal in the scale of the schema. It reports
// false where that would round, or does not fit.
func unscaled(n *node, d java.BigDecimal) ([]byte, bool) {
	i := d.Unscaled
	if i == nil {
		i = new(big.Int)
	}
	if more := int64(n.scale) - int64(d.Scale); more < 0 || more > maxDigits {
		return nil, false
	} else if more > 0 {
		i = new(big.Int).Mul(i, new(big.Int).Exp(big.NewInt(10), big.NewInt(more), nil))
	}
	bits := i.BitLen()
	if i.Sign() < 0 {
		bits = new(big.Int).Not(i).BitLen()
	}
	size := bits/8 + 1
	if n.kind == fixed {
		if size > n.size {
			return nil, false
		}
		size = n.size
	}
	out := make([]byte, size)
	if i.Sign() < 0 {
		i = new(big.Int).Add(i, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	return i.FillBytes(out), true
}

func (w *writer) enum(n *node, v any) error {
	var name string
	switch v := v.(type) {
	case string:
		name = v
	case java.Enum:
		if name = v.Name; name == "" && v.Ordinal >= 0 && v.Ordinal < len(n.symbols) {
			name = n.symbols[v.Ordinal]
		}
	default:
		return w.refuse(n, v)
	}
	i, ok := n.index[name]
	if !ok {
		return w.fail(v, "the schema's %s has no constant %s", n, errpath.Key(name))
	}
	w.varint(int64(i))
	return nil
}

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
			return errpath.UnderEncode(errpath.Key(name), w.fail(v, "the schema's %s has no such field", n))
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
			return errpath.UnderEncode(errpath.Key(f.name), w.fail(v, "missing, and the schema's %s cannot be null", f.node))
		}
		if err := w.value(f.node, values[i]); err != nil {
			return errpath.UnderEncode(errpath.Key(f.name), err)
		}
	}
	return nil
}

func (w *writer) array(n *node, v any) error {
	if list, ok := bridge.ArrayList(v); ok {
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
			return errpath.UnderEncode(fmt.Sprintf("[%d]", i), err)
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
			return errpath.UnderEncode(errpath.Key(e.Key), w.fail(e.Key, "the keys of Avro's maps are strings"))
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
			return errpath.UnderEncode(errpath.Key(key), err)
		}
		if err := w.value(n.elem, entries[key]); err != nil {
			return errpath.UnderEncode(errpath.Key(key), err)
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
