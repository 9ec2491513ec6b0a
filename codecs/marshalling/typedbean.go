package marshalling

import (
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// layout says where the fields of one class in the stream go.
type layout struct {
	class  *class
	levels []layoutLevel
}

type layoutLevel struct {
	steps  []step
	custom bool
}

// step stores one field of the stream; a nil field passes over it.
type step struct {
	kind  byte
	field *beanField
}

const maxLayouts = 8

// layoutOf returns the layout of a class, made once for each class descriptor.
func (b *bean) layoutOf(c *class) *layout {
	known := b.layouts.Load()
	if known != nil {
		for _, l := range *known {
			if l.class == c {
				return l
			}
		}
	}
	l := &layout{class: c}
	for _, level := range c.chain {
		steps := make([]step, len(level.fields))
		for i, f := range level.fields {
			steps[i] = step{kind: f.kind, field: b.fieldFor(c, level, f.name)}
		}
		l.levels = append(l.levels, layoutLevel{steps: steps, custom: level.kind == idWriteObject})
	}
	list := []*layout{l}
	if known != nil && len(*known) < maxLayouts {
		list = append(list, *known...)
	}
	b.layouts.CompareAndSwap(known, &list)
	return l
}

// fieldFor finds the Go field for a field of the stream: that of its level, or
// else one of its name whose own level the stream does not have.
func (b *bean) fieldFor(c, level *class, name string) *beanField {
	var other *beanField
	for i := range b.fields {
		f := &b.fields[i]
		switch {
		case f.name != name:
		case f.level == level.name:
			return f
		case !c.declares(f.level, name):
			other = f
		}
	}
	return other
}

func (c *class) declares(level, name string) bool {
	for _, l := range c.chain {
		if l.name != level {
			continue
		}
		for _, f := range l.fields {
			if f.name == name {
				return true
			}
		}
	}
	return false
}

func readBean(d *decoder, n *node, p memory.Place, lead byte) bool {
	return readBeanInto(d, n, p, lead, false)
}

// readBeanInto reads a bean. Own is true for a variable that belongs to it
// alone: a pointer to it is the object, also while it is read.
func readBeanInto(d *decoder, n *node, p memory.Place, lead byte, own bool) bool {
	if lead != idNewObject || d.depth >= d.limits.Depth {
		return false
	}
	c, err := d.readClass()
	if err != nil || !c.serializable() || c.desc.Shaped() || c.values > d.elements || c.name == java.ReferenceClass {
		return false
	}
	d.elements -= c.values
	d.depth++
	index := d.reserve()
	if own {
		d.kept(n, p, index)
	}
	if !d.fields(n.bean.layoutOf(c), p) {
		return false
	}
	d.depth--
	if !own {
		d.objects.list[index].value = beanValue{}
	}
	return true
}

// beanValue stands for a bean read into a variable that is part of another one.
type beanValue struct{}

func (d *decoder) fields(l *layout, p memory.Place) bool {
	for i := range l.levels {
		level := &l.levels[i]
		for j := range level.steps {
			s := &level.steps[j]
			f := s.field
			if f == nil {
				if !d.pass(s.kind) {
					return false
				}
				continue
			}
			at := memory.Field(p, f.offset)
			if s.kind != idObjectClass {
				if !d.store(s.kind, f.kind, at) {
					return false
				}
				continue
			}
			if d.at >= len(d.in) {
				return false
			}
			lead := d.in[d.at]
			d.at++
			if lead == idNull {
				continue // the variable is zero
			}
			if !f.node.read(d, f.node, at, lead) {
				return false
			}
		}
		if level.custom {
			if _, err := d.custom(true); err != nil {
				return false
			}
		}
	}
	return true
}

// pass reads a field that the struct does not have.
func (d *decoder) pass(kind byte) bool {
	if kind == idObjectClass {
		_, err := d.value()
		return err == nil
	}
	_, err := d.fixed(widths[kind])
	return err == nil
}
