package serialization

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// maxMappings bounds the classes whose mapping one struct keeps.
const maxMappings = 32

// typedBean reads beans into one struct type, by the names of their fields.
type typedBean struct {
	fields   []java.NodeField
	nodes    []*typedNode
	mappings beanMappings
}

// beanMapping is the way from one class to the struct.
type beanMapping struct {
	desc   *serial.Desc
	levels []levelMapping // the most general class first
	usable bool
}

type levelMapping struct {
	fields []fieldMapping
	custom bool // custom data follow the fields
}

type fieldMapping struct {
	code  byte // of a primitive; 'L' for objects
	index []int
	node  *typedNode // nil: nobody wants the field
}

func (c *typedCompiler) structBean(d *java.Node) *typedBean {
	b := &typedBean{fields: d.Fields}
	for _, f := range d.Fields {
		b.nodes = append(b.nodes, c.node(f.Node))
	}
	return b
}

// readSlot reads an object into dst; self is the pointer to it, where one exists.
func (b *typedBean) readSlot(r *reader, dst reflect.Value, self any) error {
	if err := r.enter(); err != nil {
		return err
	}
	d, err := r.open(self)
	if err != nil {
		return err
	}
	m := b.mapping(d, r.noFields)
	if !m.usable {
		return errTyped
	}
	dst.SetZero()
	for i := range m.levels {
		if err := b.readLevel(r, &m.levels[i], dst); err != nil {
			return err
		}
	}
	r.depth--
	return nil
}

func (b *typedBean) readLevel(r *reader, l *levelMapping, dst reflect.Value) error {
	if err := r.charge(len(l.fields)); err != nil {
		return err
	}
	for i := range l.fields {
		if err := readField(r, &l.fields[i], dst); err != nil {
			return err
		}
	}
	if !l.custom {
		return nil
	}
	_, err := r.items()
	return err
}

func readField(r *reader, f *fieldMapping, dst reflect.Value) error {
	switch {
	case f.code != 'L':
		b, err := r.take(width(f.code))
		if err != nil || f.node == nil {
			return err
		}
		return setPrimitive(fieldOf(dst, f.index), f.code, b)
	case f.node == nil:
		_, err := r.value()
		return err
	case r.at < len(r.in) && r.in[r.at] == tcNull:
		r.at++ // the zero value, in fields that cannot be nil too
		return nil
	}
	return f.node.read(r, fieldOf(dst, f.index))
}

func fieldOf(v reflect.Value, index []int) reflect.Value {
	if len(index) == 1 {
		return v.Field(index[0])
	}
	return v.FieldByIndex(index)
}

// mapping returns the way from class d, made at its first sight.
func (b *typedBean) mapping(d *serial.Desc, noFields map[string]bool) *beanMapping {
	known := b.mappings.Load()
	if known != nil {
		for _, m := range *known {
			if m.desc == d {
				return m
			}
		}
	}
	m := b.newMapping(d, noFields)
	var all []*beanMapping
	if known != nil {
		if len(*known) >= maxMappings {
			return m
		}
		all = append(all, *known...)
	}
	all = append(all, m)
	b.mappings.CompareAndSwap(known, &all) // a loser makes it again
	return m
}

func (b *typedBean) newMapping(d *serial.Desc, noFields map[string]bool) *beanMapping {
	// Externalizable classes have no fields, and references are none of a user's
	// beans: values say that.
	m := &beanMapping{desc: d, usable: !d.Shaped() && d.Flags&serial.FlagExternalizable == 0 && d.Class != java.ReferenceClass}
	names := map[string]int{} // how many classes have a field of that name
	for _, c := range d.Lineage(nil) {
		for _, f := range c.Fields {
			names[f.Name]++
		}
	}
	for _, c := range d.Lineage(nil) {
		l := levelMapping{custom: c.Flags&(serial.FlagWriteMethod|serial.FlagBlockData) != 0}
		for _, f := range c.Fields {
			if noFields[c.Class] {
				break
			}
			if names[f.Name] > 1 {
				m.usable = false // which of them is meant, values decide
			}
			fm := fieldMapping{code: 'L'}
			if len(f.Signature) == 1 {
				fm.code = f.Signature[0]
			}
			for i, g := range b.fields {
				if g.Name != f.Name {
					continue
				}
				if fm.node != nil {
					m.usable = false
				}
				fm.index, fm.node = g.Index, b.nodes[i]
				if fm.code != 'L' && !fm.node.plain {
					m.usable = false
				}
			}
			l.fields = append(l.fields, fm)
		}
		m.levels = append(m.levels, l)
	}
	return m
}
