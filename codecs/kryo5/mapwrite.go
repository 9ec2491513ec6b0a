package kryo5

import (
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/hashtable"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// written returns how the entries are written.
func (n *entrySlots) written(e *encoder) (*entryForm, error) {
	switch {
	case !n.sound:
		return nil, n.fault(oneArgument)
	case n.fixed:
		return &n.form, nil
	}
	form, _ := newEntryForm(&e.scope, n.ctx, e.world.must)
	return &form, nil
}

// goEntry is an entry of a small Go map being written.
type goEntry[V any] struct {
	key    string
	value  V
	bucket int32
}

// writeGoMap writes a Go map in the order of Java's HashMap.
func writeGoMap[V any](e *encoder, m map[string]V, form *entryForm, write func(*encoder, *entryForm, V) error) error {
	if err := e.enter(); err != nil {
		return err
	}
	e.out = appendUV32(e.out, uint32(len(m))+1)
	if len(m) <= hashtable.TreeifyThreshold {
		// Java's first table of sixteen neither grows nor makes trees for so few: by bucket, within
		// one by key, as keyorder.Strings does.
		var room [hashtable.TreeifyThreshold]goEntry[V]
		sorted := room[:0]
		for k, v := range m {
			entry := goEntry[V]{k, v, hashtable.Spread(keyorder.StringHash(k)) & (hashtable.Initial - 1)}
			sorted = append(sorted, entry)
			i := len(sorted) - 1
			for ; i > 0 && (sorted[i-1].bucket > entry.bucket || sorted[i-1].bucket == entry.bucket && sorted[i-1].key > k); i-- {
				sorted[i] = sorted[i-1]
			}
			sorted[i] = entry
		}
		for i := range sorted {
			if err := writeEntry(e, form, sorted[i].key, sorted[i].value, write); err != nil {
				return err
			}
		}
		e.leave()
		return nil
	}
	base := len(e.keys)
	for k := range m {
		e.keys = append(e.keys, k)
	}
	keys := e.keys[base:]
	keyorder.Strings(keys)
	for _, k := range keys {
		if err := writeEntry(e, form, k, m[k], write); err != nil {
			return err
		}
	}
	clear(keys)
	e.keys = e.keys[:base]
	e.leave()
	return nil
}

func writeEntry[V any](e *encoder, form *entryForm, key string, v V, write func(*encoder, *entryForm, V) error) error {
	if err := e.name(key, form); err != nil {
		return err
	}
	if err := write(e, form, v); err != nil {
		return errpath.UnderEncode(errpath.Key(key), err)
	}
	return nil
}

func (e *encoder) name(key string, form *entryForm) error {
	var err error
	switch {
	case e.references && form.key == nil:
		err = e.value(key, nil)
	case e.references || form.key != nil && form.key.id != idString:
		err = e.exactly(form.key, key, nil, true)
	default:
		if form.key == nil {
			e.out = append(e.out, idString)
		}
		err = e.string(key)
	}
	if err != nil {
		return errpath.UnderEncode("[key]", err)
	}
	return nil
}

func writeAnyValue(e *encoder, form *entryForm, v any) error {
	if form.value != nil {
		return e.exactly(form.value, v, form.valueCtx, true)
	}
	return e.value(v, form.valueCtx)
}

func writeTextValue(e *encoder, form *entryForm, v string) error {
	if form.value != nil && form.value.id != idString {
		return e.exactly(form.value, v, nil, true)
	}
	if form.value == nil {
		e.out = append(e.out, idString)
	}
	return e.string(v)
}

func writeMap(e *encoder, c *class, v any, ctx *layout.Type) error {
	if c.fixed == 1 {
		ctx = nil
	}
	form, err := e.tree.any(ctx).entries.written(e)
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case *java.Map:
		if v != nil {
			return e.javaMap(c, v, form)
		}
	case map[string]any:
		return writeGoMap(e, v, form, writeAnyValue)
	}
	return wrongKind(c, v)
}

func (e *encoder) javaMap(c *class, m *java.Map, form *entryForm) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	n := len(m.Entries)
	switch {
	case n >= math.MaxInt32:
		return tooLong(c)
	case (c.zeroWidth || c.empty) && n != 0 || c.fixed == 1 && n != 1:
		return encodeFault(m, "a %s cannot have %d entries", c.name, n)
	case c.zeroWidth:
		return nil
	case c.fixed < 0:
		e.out = appendUV32(e.out, uint32(n)+1)
	}
	if c.sorted {
		if err := e.comparator(m.Comparator, nil); err != nil {
			return err
		}
	}
	if err := e.checkKeys(c, m); err != nil {
		return err
	}
	for i := range m.Entries {
		entry := &m.Entries[i]
		if err := e.part(c, entry.Key, form.key, form.keyCtx); err != nil {
			return errpath.UnderEncode("[key]", err)
		}
		if err := e.part(c, entry.Value, form.value, form.valueCtx); err != nil {
			return errpath.UnderEncode(errpath.Key(shown(entry.Key)), err)
		}
	}
	if c.distinct {
		return checkDistinct(c, n, func(i int) any { return m.Entries[i].Key })
	}
	return nil
}

// part writes a key or a value, of a known class or with its own.
func (e *encoder) part(c *class, v any, known *class, ctx *layout.Type) error {
	if known == nil {
		return e.value(v, ctx)
	}
	return e.exactly(known, v, ctx, !c.immutable)
}

// checkDistinct refuses scalars that repeat. Containers are not compared.
func checkDistinct(c *class, n int, at func(i int) any) error {
	seen := make(map[any]bool, n)
	for i := range n {
		v := at(i)
		if _, ok := keyorder.HashCode(v); !ok {
			continue
		}
		if seen[v] {
			return encodeFault(v, "a %s occurs twice in a %s, which Java cannot read", java.ClassOf(v), c.name)
		}
		seen[v] = true
	}
	return nil
}

// checkKeys refuses what Java would fail to read.
func (e *encoder) checkKeys(c *class, m *java.Map) error {
	if !c.noNull && !c.noNullKey || m.Comparator != nil && !c.noNull {
		return nil
	}
	var common *class
	for _, entry := range m.Entries {
		k, _, err := e.resolve(entry.Key)
		if err != nil {
			return errpath.UnderEncode("[key]", err)
		}
		if k == nil {
			return &codecs.EncodeError{Codec: name, Path: "[key]", Reason: "a " + c.name + " cannot hold null"}
		}
		if c.natural && m.Comparator == nil && (common != nil && !ordered(common, k) || !k.comparable()) {
			return &codecs.EncodeError{Codec: name, Path: "[key]", Reason: "a " + c.name + " needs keys of one class that Java can compare"}
		}
		common = k
		if c.noNull {
			if v, _, err := e.resolve(entry.Value); err == nil && v == nil {
				return &codecs.EncodeError{Codec: name, Path: errpath.Key(shown(entry.Key)), Reason: "a " + c.name + " cannot hold null"}
			}
		}
	}
	return nil
}

func (n *mapNode) write(e *encoder, _ *class, p memory.Place, _ any) error {
	form, err := n.written(e)
	switch {
	case err != nil:
		return err
	case n.any != nil:
		return writeGoMap(e, *memory.At[map[string]any](p), form, writeAnyValue)
	case n.texts:
		return writeGoMap(e, *memory.At[map[string]string](p), form, writeTextValue)
	}
	if err = e.enter(); err != nil {
		return err
	}
	m := n.variable(p)
	base := len(e.keys)
	for it := m.MapRange(); it.Next(); {
		e.keys = append(e.keys, it.Key().String())
	}
	keys := e.keys[base:]
	keyorder.Strings(keys)
	e.out = appendUV32(e.out, uint32(len(keys))+1)
	key, value := reflect.New(n.desc.Go.Key()).Elem(), reflect.New(n.desc.Go.Elem())
	for _, k := range keys {
		if err := e.name(k, form); err != nil {
			return err
		}
		key.SetString(k)
		value.Elem().Set(m.MapIndex(key))
		if err := n.value.writeAs(e, form.value, memory.To(value)); err != nil {
			return errpath.UnderEncode(errpath.Key(k), err)
		}
	}
	clear(keys)
	e.keys = e.keys[:base]
	e.leave()
	return nil
}
