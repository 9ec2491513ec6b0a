package kryo5

import (
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// goMap writes a Go map in the order of Java's HashMap.
func (e *encoder) goMap(m map[string]any, form *entryForm) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	e.out = appendUV32(e.out, uint32(len(m))+1)
	if len(m) <= fewEntries {
		return e.fewEntries(m, form)
	}
	base := len(e.keys)
	for k := range m {
		e.keys = append(e.keys, k)
	}
	keys := e.keys[base:]
	keyorder.Strings(keys)
	for _, k := range keys {
		if err := e.goEntry(k, m[k], form); err != nil {
			return err
		}
	}
	clear(keys)
	e.keys = e.keys[:base]
	return nil
}

// fewEntries is how many entries Java's first table of sixteen holds at most without a
// tree, as HashOrderStrings has it.
const fewEntries = 8

// goEntry is an entry of a small Go map being written.
type goEntry struct {
	key    string
	value  any
	bucket int32
}

// fewEntries writes the entries of a small map in the order of Java's HashMap: by bucket,
// within one by key, as HashOrderStrings does.
func (e *encoder) fewEntries(m map[string]any, form *entryForm) error {
	base := len(e.entries)
	for k, v := range m {
		h := keyorder.StringHash(k)
		entry := goEntry{k, v, (h ^ int32(uint32(h)>>16)) & 15}
		e.entries = append(e.entries, entry)
		sorted := e.entries[base:]
		i := len(sorted) - 1
		for ; i > 0 && (sorted[i-1].bucket > entry.bucket || sorted[i-1].bucket == entry.bucket && sorted[i-1].key > k); i-- {
			sorted[i] = sorted[i-1]
		}
		sorted[i] = entry
	}
	end := len(e.entries)
	for i := base; i < end; i++ { // the entries move where an inner map makes them grow
		if err := e.goEntry(e.entries[i].key, e.entries[i].value, form); err != nil {
			return err
		}
	}
	clear(e.entries[base:end])
	e.entries = e.entries[:base]
	return nil
}

func (e *encoder) goEntry(key string, v any, form *entryForm) error {
	if err := e.name(key, form); err != nil {
		return err
	}
	var err error
	if form.value != nil {
		err = e.exactly(form.value, v, form.valueCtx)
	} else {
		err = e.value(v, form.valueCtx)
	}
	if err != nil {
		return java.UnderEncode(java.Key(key), err)
	}
	return nil
}

// name writes a key that is a String.
func (e *encoder) name(key string, form *entryForm) error {
	var err error
	switch {
	case form.key != nil && form.key.id != idString:
		err = encodeFault(key, "found a java.lang.String where the type says %s", form.key.name)
	case e.references && form.key == nil:
		err = e.value(key, nil)
	case e.references:
		err = e.exactly(form.key, key, nil)
	default:
		if form.key == nil {
			e.out = append(e.out, idString)
		}
		err = e.string(key)
	}
	if err != nil {
		return java.UnderEncode("[key]", err)
	}
	return nil
}

func writeMap(e *encoder, c *class, v any, ctx *layout.Type) error {
	switch v := v.(type) {
	case *java.Map:
		if v != nil {
			return e.javaMap(c, v, ctx)
		}
	case map[string]any:
		form, ok := newEntryForm(&e.scope, ctx, e.world.must)
		if !ok {
			return encodeFault(v, oneArgument)
		}
		return e.goMap(v, &form)
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
			return encodeFault(m, oneArgument)
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

// write writes the entries in the order of Java's HashMap.
func (n *mapNode) write(e *encoder, _ *class, p memory.Place) error {
	form, err := n.written(e)
	if err != nil {
		return err
	}
	if n.any != nil {
		return e.goMap(*memory.At[map[string]any](p), form)
	}
	m := n.variable(p)
	if err = e.enter(); err != nil {
		return err
	}
	base := len(e.keys)
	if n.texts {
		for k := range *memory.At[map[string]string](p) {
			e.keys = append(e.keys, k)
		}
	} else {
		for it := m.MapRange(); it.Next(); {
			e.keys = append(e.keys, it.Key().String())
		}
	}
	keys := e.keys[base:]
	keyorder.Strings(keys)
	e.out = appendUV32(e.out, uint32(len(keys))+1)
	if n.texts {
		err = n.writeTexts(e, form, *memory.At[map[string]string](p), keys)
	} else {
		err = n.writeEntries(e, form, m, keys)
	}
	clear(keys)
	e.keys = e.keys[:base]
	e.leave()
	return err
}

func (n *mapNode) writeTexts(e *encoder, form *entryForm, m map[string]string, keys []string) error {
	for _, k := range keys {
		if err := e.name(k, form); err != nil {
			return err
		}
		if form.value != nil && form.value.id != idString {
			return java.UnderEncode(java.Key(k), n.fault("found a java.lang.String where the type says %s", form.value.name))
		}
		if form.value == nil {
			e.out = append(e.out, idString)
		}
		if err := e.string(m[k]); err != nil {
			return java.UnderEncode(java.Key(k), err)
		}
	}
	return nil
}

func (n *mapNode) writeEntries(e *encoder, form *entryForm, m reflect.Value, keys []string) error {
	key := reflect.New(n.desc.Go.Key()).Elem()
	value := reflect.New(n.desc.Go.Elem())
	for _, k := range keys {
		if err := e.name(k, form); err != nil {
			return err
		}
		key.SetString(k)
		value.Elem().Set(m.MapIndex(key))
		if err := n.value.writeEntry(e, form.value, memory.To(value)); err != nil {
			return java.UnderEncode(java.Key(k), err)
		}
	}
	return nil
}

// writeEntry writes the value of an entry.
func (s *slot) writeEntry(e *encoder, known *class, p memory.Place) error {
	switch {
	case known == nil:
		return s.write(e, p)
	case s.value != nil:
		return s.writeValue(e, known, p)
	}
	actual, err := s.classOf(e, p)
	if err != nil {
		return err
	}
	return s.writeKnown(e, known, actual, p, true)
}
