package serialization

import (
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// fieldWriter writes one field of a bean.
type fieldWriter struct {
	index []int
	write func(w *writer, v reflect.Value) error
}

// bean returns the writer of a struct that has a Java class.
func (c *writeCompiler) bean(d *java.Node) func(w *writer, v reflect.Value) error {
	desc, fields := c.descs.Find(d.Class), d.Fields
	if desc == nil || desc.Enum() {
		c.bad = true
		return nil
	}
	var writers []fieldWriter
	found := 0
	for _, level := range desc.Lineage(nil) {
		if level.Flags != serial.FlagSerializable {
			c.bad = true
		}
		for _, f := range level.Fields {
			i := slices.IndexFunc(fields, func(own java.NodeField) bool { return own.Name == f.Name && own.Level == level.Class })
			if i < 0 || fields[i].OmitEmpty {
				c.bad = true
				return nil
			}
			found++
			writers = append(writers, fieldWriter{fields[i].Index, c.field(fields[i], f.Signature)})
		}
	}
	if found != len(fields) {
		c.bad = true
	}
	return func(w *writer, v reflect.Value) error {
		if w.depth++; w.depth > w.maxDepth {
			return errTyped
		}
		id := w.self
		w.self = serial.ID{}
		w.byte(tcObject)
		if err := w.desc(desc); err != nil {
			return err
		}
		w.remember(id, nil)
		for i := range writers {
			f := &writers[i]
			if err := f.write(w, fieldOf(v, f.index)); err != nil {
				return err
			}
		}
		w.depth--
		return nil
	}
}

// implied are the declared types for which a field is written as its Go type says.
var implied = map[reflect.Kind][]string{
	reflect.Slice: {"java.util.List", java.ClassArrayList, "java.util.Collection"},
	reflect.Map:   {"java.util.Map", java.ClassHashMap},
}

// field returns the writer of a field with a declared type.
func (c *writeCompiler) field(f java.NodeField, signature string) func(w *writer, v reflect.Value) error {
	n := c.node(f.Node)
	if c.bad {
		return nil
	}
	switch {
	case len(signature) == 1:
		if n.primitive == nil || signature != implicit(f.Go) {
			c.bad = true
		}
		return n.primitive
	case f.Go == timeType && f.Type.String() == "java.time.Instant":
		return writeInstant
	case primitiveArrays[f.Go] != "" && primitiveArrays[f.Go] == signature:
		return writeOwn
	case !f.Type.IsZero():
		// A tag may repeat what the Go type implies; any other type is for values.
		bare := java.DescribeType(f.Go, java.TypeExpr{}, c.opts)
		usual := len(f.Type.Args) == 0 && f.Type.Dims == 0 && slices.Contains(implied[f.Go.Kind()], f.Type.Class)
		if f.Type.String() != bare.String() && !usual {
			c.bad = true
		}
	}
	if n.write == nil { // a class within itself: its writer is being made
		return func(w *writer, v reflect.Value) error { return n.write(w, v) }
	}
	return n.write
}

// primitiveArrays are the slices that are arrays of primitives where the declared
// type says so.
var primitiveArrays = map[reflect.Type]string{
	reflect.TypeFor[[]bool](): "[Z", reflect.TypeFor[[]int16](): "[S", reflect.TypeFor[[]int32](): "[I", reflect.TypeFor[[]int64](): "[J",
	reflect.TypeFor[[]float32](): "[F", reflect.TypeFor[[]float64](): "[D", reflect.TypeFor[[]java.Char](): "[C",
}

// implicit returns the primitive that a Go type implies, or "".
func implicit(t reflect.Type) string {
	if t == charType {
		return "C"
	}
	return signatures[t.Kind()]
}

// slice returns the writer of an ArrayList.
func (c *writeCompiler) slice(d *java.Node) func(w *writer, v reflect.Value) error {
	element := c.node(d.Elem)
	sized := d.Elem.Go.Size() > 0
	c.bad = c.bad || java.ClassName(d.Go, c.opts.Classes) != ""
	return func(w *writer, v reflect.Value) error {
		if v.IsNil() {
			w.byte(tcNull)
			return nil
		}
		var id serial.ID
		if sized {
			id = serial.SliceID(memory.To(v), v.Len())
		}
		if w.known(id, nil) {
			return nil
		}
		if err := w.openContainer(listDesc, id); err != nil {
			return err
		}
		n := v.Len()
		w.uint32(uint32(n))
		w.byte(tcBlockData)
		w.byte(4)
		w.uint32(uint32(n))
		for i := range n {
			if err := element.write(w, v.Index(i)); err != nil {
				return err
			}
		}
		w.byte(tcEndBlockData)
		w.depth--
		return nil
	}
}

// openContainer writes tag and class of a list or map.
func (w *writer) openContainer(d *serial.Desc, id serial.ID) error {
	if w.depth++; w.depth > w.maxDepth {
		return errTyped
	}
	w.byte(tcObject)
	err := w.desc(d)
	w.remember(id, nil)
	return err
}

// stringMap returns the writer of a HashMap whose keys are strings.
func (c *writeCompiler) stringMap(d *java.Node) func(w *writer, v reflect.Value) error {
	t := d.Go
	if t.Key() != reflect.TypeFor[string]() || java.ClassName(t, c.opts.Classes) != "" {
		c.bad = true
		return nil
	}
	element := c.node(d.Elem)
	return func(w *writer, v reflect.Value) error {
		if v.IsNil() {
			w.byte(tcNull)
			return nil
		}
		id := serial.PointerID(memory.To(v), 0)
		if w.known(id, nil) {
			return nil
		}
		if err := w.openContainer(mapDesc, id); err != nil {
			return err
		}
		keys := make([]string, 0, v.Len())
		for it := v.MapRange(); it.Next(); {
			keys = append(keys, it.Key().String())
		}
		java.HashOrderStrings(keys)
		w.hashTable(keys)
		slot := reflect.New(t.Elem()).Elem()
		for _, k := range keys {
			w.string(k)
			slot.Set(v.MapIndex(reflect.ValueOf(k)))
			if err := element.write(w, slot); err != nil {
				return err
			}
		}
		w.byte(tcEndBlockData)
		w.depth--
		return nil
	}
}

// hashTable writes what a HashMap says of itself before its entries.
func (w *writer) hashTable(keys []string) {
	buckets, threshold := serial.HashBucketsOf(keys), int32(0)
	if len(keys) > 0 {
		threshold = buckets / 4 * 3
	}
	w.uint32(0x3f400000) // load factor 0.75
	w.uint32(uint32(threshold))
	w.byte(tcBlockData)
	w.byte(8)
	w.uint32(uint32(buckets))
	w.uint32(uint32(len(keys)))
}
