package avro

import (
	"fmt"
	"math"

	"github.com/duequeue/duequeue/codecs/java"
)

// element counts one value of a container.
func (r *reader) element() error {
	if r.left == 0 {
		return r.fail(r.pos, "more than %d values (Limits.Elements)", r.lim.Elements)
	}
	r.left--
	return nil
}

func (r *reader) record(n *node) (any, error) {
	o := &java.Object{Class: n.name}
	if r.bare {
		o.Class = ""
	}
	o.Fields = make([]java.Field, 0, min(len(n.fields), r.left, 64))
	for i := range n.fields {
		f := &n.fields[i]
		if err := r.element(); err != nil {
			return nil, err
		}
		v, err := r.value(f.node)
		if err != nil {
			return nil, under(java.Key(f.name), err)
		}
		o.Fields = append(o.Fields, java.Field{Name: f.name, Value: v})
	}
	if n.form != formMap {
		return o, nil
	}
	m := &java.Map{Class: java.ClassHashMap, Entries: make([]java.Entry, len(o.Fields))}
	for i, f := range o.Fields {
		m.Entries[i] = java.Entry{Key: f.Name, Value: f.Value}
	}
	return m, nil
}

// blocks reads the blocks of an array or map; read reads one item.
func (r *reader) blocks(read func(i int) error) error {
	for i := 0; ; {
		start := r.pos
		count, err := r.varint(64)
		if err != nil || count == 0 {
			return err
		}
		if count < 0 { // the bytes of the block stand before it
			if count == math.MinInt64 {
				return r.fail(start, "a block of %d items", count)
			}
			count = -count
			size, err := r.varint(64)
			if err != nil {
				return err
			}
			if size < 0 || size > int64(len(r.b)-r.pos) {
				return r.fail(start, "a block of %d bytes, %d are left", size, len(r.b)-r.pos)
			}
		}
		if count > int64(r.left) {
			return r.fail(start, "a block of %d items: more than %d values (Limits.Elements)", count, r.lim.Elements)
		}
		for range count {
			if err := r.element(); err != nil {
				return err
			}
			if err := read(i); err != nil {
				return err
			}
			i++
		}
	}
}

func (r *reader) array(n *node) (any, error) {
	l := &java.List{Class: java.ClassArrayList}
	err := r.blocks(func(i int) error {
		v, err := r.value(n.elem)
		if err != nil {
			return under(fmt.Sprintf("[%d]", i), err)
		}
		l.Elements = append(l.Elements, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (r *reader) mapping(n *node) (any, error) {
	m := &java.Map{Class: java.ClassHashMap}
	seen := map[string]int{}
	err := r.blocks(func(int) error {
		key, err := r.string()
		if err != nil {
			return err
		}
		v, err := r.value(n.elem)
		if err != nil {
			return under(java.Key(key), err)
		}
		if at, twice := seen[key]; twice { // the last one counts, as in Java
			m.Entries[at].Value = v
			return nil
		}
		seen[key] = len(m.Entries)
		m.Entries = append(m.Entries, java.Entry{Key: key, Value: v})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (r *reader) union(n *node) (any, error) {
	start := r.pos
	i, err := r.varint(64)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= int64(len(n.types)) {
		return nil, r.fail(start, "branch %d of a union of %d", i, len(n.types))
	}
	return r.value(n.types[i])
}
