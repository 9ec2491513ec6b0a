package avro

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/java"
)

// errUnusual ends the blocks of an array or map; nobody sees it.
var errUnusual = errors.New("not the usual case")

func (c *slotCompiler) mapping(s *slot, n *node, t reflect.Type) {
	if t.Kind() != reflect.Map || t.Key() != reflect.TypeFor[string]() {
		return
	}
	elem := c.slot(n.elem, t.Elem(), false)
	if elem == nil || c.stuck {
		return
	}
	s.read = func(r *reader, v reflect.Value) bool {
		if r.depth == 0 {
			return false
		}
		r.depth--
		out := reflect.MakeMap(t)
		v.Set(out)
		err := r.blocks(func(int) error {
			key, err := r.string()
			if err != nil {
				return err
			}
			value := reflect.New(t.Elem()).Elem()
			if !elem.read(r, value) {
				return errUnusual
			}
			out.SetMapIndex(reflect.ValueOf(key), value)
			return nil
		})
		r.depth++
		return err == nil
	}
	s.write = func(w *writer, v reflect.Value) bool {
		if w.depth == 0 || v.IsNil() {
			return false
		}
		w.depth--
		keys := make([]string, 0, v.Len())
		for it := v.MapRange(); it.Next(); {
			if elem.null == nil || !elem.null(it.Value()) {
				keys = append(keys, it.Key().String())
			}
		}
		java.HashOrderStrings(keys)
		if len(keys) > 0 {
			w.varint(int64(len(keys)))
		}
		for _, key := range keys {
			if w.string(key) != nil || !elem.write(w, v.MapIndex(reflect.ValueOf(key))) {
				return false
			}
		}
		w.varint(0)
		w.depth++
		return true
	}
}

// scalar makes the slot of a type that holds no others.
func (c *slotCompiler) scalar(s *slot, n *node, t reflect.Type) {
	if java.ClassName(t, c.opts.Classes) != "" || t == reflect.TypeFor[time.Duration]() {
		return // a Go enum, or what package java takes for something else
	}
	switch {
	case n.kind == boolean && t.Kind() == reflect.Bool:
		s.read, s.write = readBool, writeBool
	case n.kind == integer && n.form == formKind && (t.Kind() == reflect.Int32 || t.Kind() == reflect.Int16 || t.Kind() == reflect.Int8):
		s.read, s.write = readInt, writeInt
	case n.kind == long && n.form == formKind && t.Kind() == reflect.Int64:
		s.read, s.write = readLong, writeInt
	case n.kind == long && n.form == formDate && t == reflect.TypeFor[time.Time]():
		s.read, s.write = readTime, writeTime
	case n.kind == float && t.Kind() == reflect.Float32:
		s.read, s.write = readFloat, writeFloat
	case n.kind == double && t.Kind() == reflect.Float64:
		s.read, s.write = readDouble, writeDouble
	case n.kind == text && n.form == formKind && t.Kind() == reflect.String:
		s.read, s.write = readText, writeText
	case n.kind == data && n.form == formKind && t == reflect.TypeFor[[]byte]():
		s.read, s.write = readBytes, writeBytes
	case n.kind == enum && n.form == formName && t.Kind() == reflect.String:
		s.read, s.write = n.readName, n.writeName
	}
}

func readBool(r *reader, v reflect.Value) bool {
	if r.pos == len(r.b) || r.b[r.pos] > 1 {
		return false
	}
	v.SetBool(r.b[r.pos] == 1)
	r.pos++
	return true
}

func writeBool(w *writer, v reflect.Value) bool {
	b := byte(0)
	if v.Bool() {
		b = 1
	}
	w.out = append(w.out, b)
	return true
}

func readInt(r *reader, v reflect.Value) bool {
	i, err := r.varint(32)
	if err != nil || v.OverflowInt(i) {
		return false
	}
	v.SetInt(i)
	return true
}

func readLong(r *reader, v reflect.Value) bool {
	i, err := r.varint(64)
	v.SetInt(i)
	return err == nil
}

func writeInt(w *writer, v reflect.Value) bool {
	w.varint(v.Int())
	return true
}

func readTime(r *reader, v reflect.Value) bool {
	i, err := r.varint(64)
	*v.Addr().Interface().(*time.Time) = java.Date{Millis: i}.Time()
	return err == nil
}

func writeTime(w *writer, v reflect.Value) bool {
	t := v.Interface().(time.Time)
	w.varint(t.UnixMilli())
	return !t.IsZero() // which stands for null
}

func readFloat(r *reader, v reflect.Value) bool {
	b, err := r.take(4)
	if err != nil {
		return false
	}
	f := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	v.SetFloat(f)
	return !math.IsNaN(f) // whose bits would change
}

func writeFloat(w *writer, v reflect.Value) bool {
	w.out = binary.LittleEndian.AppendUint32(w.out, math.Float32bits(float32(v.Float())))
	return !math.IsNaN(v.Float())
}

func readDouble(r *reader, v reflect.Value) bool {
	b, err := r.take(8)
	if err != nil {
		return false
	}
	v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	return true
}

func writeDouble(w *writer, v reflect.Value) bool {
	w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(v.Float()))
	return true
}

func readText(r *reader, v reflect.Value) bool {
	s, err := r.string()
	v.SetString(s)
	return err == nil
}

func writeText(w *writer, v reflect.Value) bool {
	s := v.String()
	if !utf8.ValidString(s) {
		return false
	}
	w.varint(int64(len(s)))
	w.out = append(w.out, s...)
	return true
}

func readBytes(r *reader, v reflect.Value) bool {
	b, err := r.sized("bytes")
	v.SetBytes(append([]byte{}, b...))
	return err == nil
}

func writeBytes(w *writer, v reflect.Value) bool {
	b := v.Bytes()
	w.varint(int64(len(b)))
	w.out = append(w.out, b...)
	return b != nil // which stands for null
}

func (n *node) readName(r *reader, v reflect.Value) bool {
	i, err := r.varint(64)
	if err != nil || i < 0 || i >= int64(len(n.symbols)) {
		return false
	}
	v.SetString(n.symbols[i])
	return true
}

func (n *node) writeName(w *writer, v reflect.Value) bool {
	i, ok := n.index[v.String()]
	w.varint(int64(i))
	return ok
}
