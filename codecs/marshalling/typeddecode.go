package marshalling

import (
	"encoding/binary"
	"math"
	"reflect"
	"unsafe"

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

// typed reads one object into *p.
func (d *decoder) typed(n *node, p unsafe.Pointer) bool {
	if d.at >= len(d.in) {
		return false
	}
	lead := d.in[d.at]
	d.at++
	return n.read(d, n, p, lead)
}

// reserve takes the next index for an object that is being read.
func (d *decoder) reserve() int { return d.objects.push(object{value: unresolved{}, typed: true}) }

// pointerTo returns a pointer of the Go type to p, which is a variable of n.
func (n *node) pointerTo(p unsafe.Pointer) any {
	out := n.pointer // a nil pointer of the type
	(*[2]unsafe.Pointer)(unsafe.Pointer(&out))[1] = p
	return out
}

// copyOf resolves a reference to a value that this plan has read before.
func (d *decoder) copyOf(n *node, p unsafe.Pointer, lead byte) bool {
	o, ok := d.typedBack(lead)
	if !ok || !o.typed {
		return false
	}
	from := reflect.ValueOf(o.value)
	if from.Kind() != reflect.Pointer || from.Type().Elem() != n.typ {
		return false
	}
	reflect.NewAt(n.typ, p).Elem().Set(from.Elem())
	return true
}

func isBack(lead byte) bool {
	return lead == idObjectNear || lead == idObjectNearish || lead == idObjectFar
}

func (d *decoder) typedBack(lead byte) (object, bool) {
	if !isBack(lead) {
		return object{}, false
	}
	i, err := d.reference(lead, d.objects.size)
	if err != nil {
		return object{}, false
	}
	o, name := d.objects.at(i)
	if o == nil {
		return object{text: name}, name != ""
	}
	return *o, true
}

// readAny reads an object over java values.
func readAny(d *decoder, n *node, p unsafe.Pointer, lead byte) bool {
	v, err := d.valueAfter(lead)
	if err != nil || v == nil && !n.nils {
		return false
	}
	boxed := &java.Map{Entries: []java.Entry{{Key: "v", Value: v}}}
	return n.any.Assign(boxed, reflect.NewAt(n.box, p).Interface()) == nil
}

func readString(d *decoder, _ *node, p unsafe.Pointer, lead byte) bool {
	switch {
	case lead >= idString && lead <= idStringLarge:
		s, err := d.stringText(lead)
		*(*string)(p) = s
		return err == nil
	case lead == idEmptyString:
		*(*string)(p) = ""
		return true
	}
	o, ok := d.typedBack(lead)
	if !ok || o.typed || o.text == "" {
		return false
	}
	*(*string)(p) = o.text
	return true
}

func readBoxed(d *decoder, n *node, p unsafe.Pointer, lead byte) bool {
	if lead == idTrue || lead == idFalse {
		if n.typ.Kind() != reflect.Bool {
			return false
		}
		*(*bool)(p) = lead == idTrue
		return true
	}
	if lead < idByteValue || lead > idDoubleValue {
		return false
	}
	return d.store(boxedKinds[lead-idByteValue], n.typ.Kind(), p)
}

// store reads a primitive of the stream into a Go variable that can hold it.
func (d *decoder) store(kind byte, to reflect.Kind, p unsafe.Pointer) bool {
	width := widths[kind]
	if len(d.in)-d.at < width {
		return false
	}
	b := d.in[d.at:]
	d.at += width
	switch kind {
	case idLong:
		return storeInt(int64(binary.BigEndian.Uint64(b)), to, p)
	case idInt:
		return storeInt(int64(int32(binary.BigEndian.Uint32(b))), to, p)
	case idBoolean:
		if to == reflect.Bool {
			*(*bool)(p) = b[0] != 0
		}
		return to == reflect.Bool
	case idShort:
		return storeInt(int64(int16(binary.BigEndian.Uint16(b))), to, p)
	case idByte:
		return storeInt(int64(int8(b[0])), to, p)
	case idChar:
		if to == reflect.Uint16 {
			*(*uint16)(p) = binary.BigEndian.Uint16(b)
		}
		return to == reflect.Uint16
	case idDouble:
		if to == reflect.Float64 {
			*(*float64)(p) = math.Float64frombits(binary.BigEndian.Uint64(b))
		}
		return to == reflect.Float64
	case idFloat:
		f := math.Float32frombits(binary.BigEndian.Uint32(b))
		switch to {
		case reflect.Float32:
			*(*float32)(p) = f
			return true
		case reflect.Float64:
			*(*float64)(p) = float64(f)
			return f == f
		}
	}
	return false
}

func storeInt(v int64, to reflect.Kind, p unsafe.Pointer) bool {
	switch to {
	case reflect.Int64:
		*(*int64)(p) = v
	case reflect.Int32:
		*(*int32)(p) = int32(v)
		return v == int64(int32(v))
	case reflect.Int:
		*(*int)(p) = int(v)
		return v == int64(int(v))
	case reflect.Int16:
		*(*int16)(p) = int16(v)
		return v == int64(int16(v))
	case reflect.Int8:
		*(*int8)(p) = int8(v)
		return v == int64(int8(v))
	default:
		return false
	}
	return true
}

// readPointer makes the variable before it is read, so that it can be referred
// to from within.
func readPointer(d *decoder, n *node, p unsafe.Pointer, lead byte) bool {
	switch {
	case lead == idNull:
		*(*unsafe.Pointer)(p) = nil
		return true
	case isBack(lead) && n.elem.typ.Kind() != reflect.String:
		o, ok := d.typedBack(lead)
		if ok && o.typed && reflect.TypeOf(o.value) == n.typ {
			*(*unsafe.Pointer)(p) = reflect.ValueOf(o.value).UnsafePointer()
			return true
		}
		return false
	}
	made := reflect.New(n.elem.typ)
	*(*unsafe.Pointer)(p) = made.UnsafePointer()
	if n.elem.bean != nil {
		return readBeanInto(d, n.elem, made.UnsafePointer(), lead, true)
	}
	return n.elem.read(d, n.elem, made.UnsafePointer(), lead)
}

func readBean(d *decoder, n *node, p unsafe.Pointer, lead byte) bool {
	return readBeanInto(d, n, p, lead, false)
}

// readBeanInto reads a bean. Own is true for a variable that belongs to it
// alone: a pointer to it is the object, also while it is read.
func readBeanInto(d *decoder, n *node, p unsafe.Pointer, lead byte, own bool) bool {
	if lead != idNewObject || d.depth >= d.limits.Depth {
		return false
	}
	c, err := d.readClass()
	if err != nil || !c.serializable() || c.desc.Shaped() || c.values > d.elements {
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

func (d *decoder) fields(l *layout, p unsafe.Pointer) bool {
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
			at := unsafe.Add(p, f.offset)
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

// readSlice reads lists and arrays whose elements follow their count.
func readSlice(d *decoder, n *node, p unsafe.Pointer, lead byte) bool {
	if lead == idNull {
		return true
	}
	if lead < idCollection+1 || lead > idCollection+3 {
		return readOtherList(d, n, p, lead)
	}
	count, err := d.size(lead - idCollection - 1)
	if err != nil {
		return false
	}
	kind, err := d.u8()
	if err != nil {
		return false
	}
	switch kind {
	case idArrayList, idLinkedList, idVector, idStack, idArrayDeque:
	default:
		return false
	}
	index := d.reserve()
	return d.elementsTo(n, p, count) && d.kept(n, p, index)
}

// kept makes the variable that p points to the object of an index.
func (d *decoder) kept(n *node, p unsafe.Pointer, index int) bool {
	d.objects.list[index].value = n.pointerTo(p)
	return true
}

func (d *decoder) elementsTo(n *node, p unsafe.Pointer, count int) bool {
	if d.enter(d.at, count, 1) != nil {
		return false
	}
	defer d.leave()
	elem := n.elem
	if n.typ == stringsType {
		out := make([]string, count)
		*(*[]string)(p) = out
		for i := range out {
			if !d.typed(elem, unsafe.Pointer(&out[i])) {
				return false
			}
		}
		return true
	}
	slice := reflect.MakeSlice(n.typ, count, count)
	reflect.NewAt(n.typ, p).Elem().Set(slice)
	first := slice.UnsafePointer()
	for i := range count {
		if !d.typed(elem, unsafe.Add(first, uintptr(i)*elem.size)) {
			return false
		}
	}
	return true
}

var stringsType = reflect.TypeFor[[]string]()
