package serialization

import (
	"encoding/binary"
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
)

// readSlice reads an array of primitives, or a list that writes its size and its
// elements.
func (n *typedNode) readSlice(r *reader, dst reflect.Value) error {
	if r.at < len(r.in) && r.in[r.at] == tcNull {
		r.at++
		dst.SetZero()
		return nil
	}
	if primitiveArrays[n.typ] != "" && r.at < len(r.in) && r.in[r.at] == tcArray {
		v, err := r.value()
		if err != nil || reflect.TypeOf(v) != n.typ {
			return errTyped
		}
		dst.Set(reflect.ValueOf(v))
		return nil
	}
	if err := r.enter(); err != nil {
		return err
	}
	d, err := r.open(nil)
	if err != nil {
		return err
	}
	declared, counted := int32(0), false
	switch d.Class {
	case java.ClassArrayList:
		if declared, err = r.int32(); err != nil {
			return err
		}
		counted = true
	case "java.util.LinkedList", "java.util.ArrayDeque", "java.util.concurrent.CopyOnWriteArrayList":
	default:
		return errTyped
	}
	if !d.Canonical() {
		return errTyped
	}
	b, err := r.block(4)
	if err != nil {
		return err
	}
	if !counted {
		declared = int32(binary.BigEndian.Uint32(b))
	}
	if declared < 0 || int(declared) > len(r.in)-r.at {
		return errTyped
	}
	if err = r.charge(int(declared)); err != nil {
		return err
	}
	dst.Set(reflect.MakeSlice(n.typ, 0, min(int(declared), 64)))
	for i := range int(declared) {
		if i == dst.Cap() {
			dst.Grow(1)
		}
		dst.SetLen(i + 1)
		if err = n.element.read(r, dst.Index(i)); err != nil {
			return err
		}
	}
	r.depth--
	return r.end()
}

// readMap reads a HashMap or LinkedHashMap.
func readMap(key, value *typedNode) func(r *reader, dst reflect.Value) error {
	return func(r *reader, dst reflect.Value) error {
		if r.at < len(r.in) && r.in[r.at] == tcNull {
			r.at++
			dst.SetZero()
			return nil
		}
		if err := r.enter(); err != nil {
			return err
		}
		d, err := r.open(nil)
		if err != nil {
			return err
		}
		linked := d.Class == "java.util.LinkedHashMap"
		if !linked && d.Class != java.ClassHashMap || !d.Canonical() {
			return errTyped
		}
		if _, err = r.take(8); err != nil { // load factor and threshold
			return err
		}
		b, err := r.block(8)
		if err != nil {
			return err
		}
		size := int32(binary.BigEndian.Uint32(b[4:]))
		if size < 0 || int(size) > (len(r.in)-r.at)/2 {
			return errTyped
		}
		if err = r.charge(2 * int(size)); err != nil {
			return err
		}
		if err = readEntries(r, key, value, int(size), dst); err != nil {
			return err
		}
		if err = r.end(); err != nil {
			return err
		}
		if linked {
			_, err = r.take(1)
		}
		r.depth--
		return err
	}
}

func readEntries(r *reader, key, value *typedNode, size int, dst reflect.Value) error {
	t := dst.Type()
	m := reflect.MakeMapWithSize(t, min(size, 64))
	dst.Set(m)
	k, v := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	for range size {
		k.SetZero()
		v.SetZero()
		if err := key.read(r, k); err != nil {
			return err
		}
		if !k.Comparable() {
			return errTyped
		}
		if err := value.read(r, v); err != nil {
			return err
		}
		m.SetMapIndex(k, v)
	}
	return nil
}
