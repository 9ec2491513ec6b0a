package kryo5

import (
	"fmt"
	"math"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// goMap writes a Go map in the order of Java's HashMap.
func (e *encoder) goMap(m map[string]any) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer func() { e.depth-- }()
	base := len(e.keys)
	for k := range m {
		e.keys = append(e.keys, k)
	}
	keys := e.keys[base:]
	java.HashOrderStrings(keys)
	e.out = appendUV32(e.out, uint32(len(keys))+1)
	for _, k := range keys {
		e.out = append(e.out, idString)
		if err := e.string(k); err != nil {
			return underEncode("[key]", err)
		}
		if err := e.value(m[k]); err != nil {
			return underEncode(java.Key(k), err)
		}
	}
	clear(keys)
	e.keys = e.keys[:base]
	return nil
}

// javaMap writes a map in its own order.
func (e *encoder) javaMap(c *class, m *java.Map) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer func() { e.depth-- }()
	n := len(m.Entries)
	switch {
	case n >= math.MaxInt32:
		return tooLong(c)
	case c.zeroWidth && n != 0 || c.fixed == 1 && n != 1:
		return &codecs.EncodeError{Codec: name, Reason: fmt.Sprintf("a %s cannot have %d entries", c.name, n)}
	case c.zeroWidth:
		return nil
	case c.fixed < 0:
		e.out = appendUV32(e.out, uint32(n)+1)
		e.comparator(c)
	}
	if err := e.checkKeys(c, m); err != nil {
		return err
	}
	for _, entry := range m.Entries {
		if err := e.value(entry.Key); err != nil {
			return underEncode("[key]", err)
		}
		if err := e.value(entry.Value); err != nil {
			return underEncode(java.Key(shown(entry.Key)), err)
		}
	}
	if c.distinct {
		return checkDistinct(c, len(m.Entries), func(i int) any { return m.Entries[i].Key })
	}
	return nil
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
			return &codecs.EncodeError{Codec: name, Reason: fmt.Sprintf("%v stands twice in a %s, which Java cannot read", v, c.name)}
		}
		seen[v] = true
	}
	return nil
}

// checkKeys refuses what Java would fail to read.
func (e *encoder) checkKeys(c *class, m *java.Map) error {
	if !c.noNull && !c.noNullKey {
		return nil
	}
	var common *class
	for _, entry := range m.Entries {
		k, _, err := e.resolve(entry.Key)
		if err != nil {
			return underEncode("[key]", err)
		}
		if k == nil {
			return &codecs.EncodeError{Codec: name, Path: "[key]", Reason: "a " + c.name + " cannot hold null"}
		}
		if c.natural && (common != nil && common != k || !k.comparable()) {
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
