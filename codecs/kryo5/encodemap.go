package kryo5

import (
	"math"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// goMap writes a Go map in the order of Java's HashMap.
func (e *encoder) goMap(m map[string]any) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	base := len(e.keys)
	keys := e.hashKeys(m)
	e.out = appendUV32(e.out, uint32(len(keys))+1)
	for _, k := range keys {
		var err error
		if e.references {
			err = e.value(k, nil)
		} else {
			e.out = append(e.out, idString)
			err = e.string(k)
		}
		if err != nil {
			return java.UnderEncode("[key]", err)
		}
		if err := e.value(m[k], nil); err != nil {
			return java.UnderEncode(java.Key(k), err)
		}
	}
	clear(keys)
	e.keys = e.keys[:base]
	return nil
}

// hashKeys returns the keys of a Go map in the order of Java's HashMap, in the
// scratch space that the caller gives back.
func (e *encoder) hashKeys(m map[string]any) []string {
	base := len(e.keys)
	for k := range m {
		e.keys = append(e.keys, k)
	}
	keys := e.keys[base:]
	java.HashOrderStrings(keys)
	return keys
}

func writeMap(e *encoder, c *class, v any, ctx *layout.Type) error {
	switch v := v.(type) {
	case *java.Map:
		if v != nil {
			return e.javaMap(c, v, ctx)
		}
	case map[string]any:
		m := &java.Map{Class: c.name, Entries: make([]java.Entry, 0, len(v))}
		base := len(e.keys)
		for _, k := range e.hashKeys(v) {
			m.Entries = append(m.Entries, java.Entry{Key: k, Value: v[k]})
		}
		clear(e.keys[base:])
		e.keys = e.keys[:base]
		return e.javaMap(c, m, ctx)
	}
	return wrongKind(c, v)
}

// javaMap writes a map in its own order.
func (e *encoder) javaMap(c *class, m *java.Map, ctx *layout.Type) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	n := len(m.Entries)
	var form entryForm
	switch {
	case n >= math.MaxInt32:
		return tooLong(c)
	case (c.zeroWidth || c.empty) && n != 0 || c.fixed == 1 && n != 1:
		return encodeFault(m, "a %s cannot have %d entries", c.name, n)
	case c.zeroWidth:
		return nil
	case c.fixed < 0:
		var ok bool
		if form, ok = newEntryForm(&e.scope, ctx, e.world.must); !ok {
			return encodeFault(m, "a map in a field whose type has one argument: Java cannot write it")
		}
		e.out = appendUV32(e.out, uint32(n)+1)
		if c.sorted {
			if err := e.mapComparator(m); err != nil {
				return err
			}
		}
	}
	if err := e.checkKeys(c, m); err != nil {
		return err
	}
	for i := range m.Entries {
		if err := e.entry(c, &m.Entries[i], &form); err != nil {
			return err
		}
	}
	if c.distinct {
		return checkDistinct(c, len(m.Entries), func(i int) any { return m.Entries[i].Key })
	}
	return nil
}

func (e *encoder) mapComparator(m *java.Map) error {
	return e.comparator(&class{shape: shape{sorted: true}}, m.Comparator, nil)
}

func (e *encoder) entry(c *class, entry *java.Entry, form *entryForm) error {
	if err := e.part(c, entry.Key, form.key, form.keyCtx); err != nil {
		return java.UnderEncode("[key]", err)
	}
	if err := e.part(c, entry.Value, form.value, form.valueCtx); err != nil {
		return java.UnderEncode(java.Key(shown(entry.Key)), err)
	}
	return nil
}

// part writes a key or a value, of a known class or with its own.
func (e *encoder) part(c *class, v any, known *class, ctx *layout.Type) error {
	switch {
	case known == nil:
		return e.value(v, ctx)
	case !c.immutable:
		return e.exactly(known, v, ctx)
	}
	own, v, err := e.resolve(v)
	switch {
	case err != nil:
		return err
	case own == nil || own != known && own.name != known.name:
		return encodeFault(v, "it is not the %s that the type says", known.name)
	}
	return e.object(known, v, ctx)
}

// checkDistinct refuses scalars that repeat. Containers are not compared.
func checkDistinct(c *class, n int, at func(i int) any) error {
	seen := make(map[any]bool, n)
	for i := range n {
		v := at(i)
		if _, ok := java.HashCode(v); !ok {
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
			return java.UnderEncode("[key]", err)
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
				return &codecs.EncodeError{Codec: name, Path: java.Key(shown(entry.Key)), Reason: "a " + c.name + " cannot hold null"}
			}
		}
	}
	return nil
}
