package serialization

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// instance writes an object.
func (w *writer) instance(in *serial.Instance, id serial.ID, constant any) error {
	w.byte(tcObject)
	if err := w.desc(in.Desc); err != nil {
		return err
	}
	w.remember(id, constant)
	for i := range in.Levels {
		l := &in.Levels[i]
		for j := range l.Fields {
			f := &l.Desc.Fields[j]
			if err := w.field(f.Signature, l.Fields[j]); err != nil {
				return underEncode(java.Key(f.Name), err)
			}
		}
		if l.Desc.Flags&(serial.FlagWriteMethod|serial.FlagBlockData) != 0 {
			if err := w.items(l.Items); err != nil {
				return err
			}
		}
	}
	return nil
}

// field writes the value of one field.
func (w *writer) field(signature string, v any) error {
	if len(signature) > 1 {
		return w.value(v)
	}
	switch v := v.(type) {
	case bool:
		b := byte(0)
		if v {
			b = 1
		}
		w.byte(b)
	case int8:
		w.byte(byte(v))
	case int16:
		w.uint16(int(v))
	case java.Char:
		w.uint16(int(v))
	case int32:
		w.uint32(uint32(v))
	case float32:
		w.uint32(math.Float32bits(v))
	case int64:
		w.Out = binary.BigEndian.AppendUint64(w.Out, uint64(v))
	case float64:
		w.Out = binary.BigEndian.AppendUint64(w.Out, math.Float64bits(v))
	default:
		return encodeFail(v, "it is no primitive of type "+signature)
	}
	return nil
}

// items writes custom data.
func (w *writer) items(items []any) error {
	values := 0
	for _, v := range items {
		if b, ok := v.(java.Block); ok {
			w.block(b)
			continue
		}
		if err := w.value(v); err != nil {
			return underEncode("["+strconv.Itoa(values)+"]", err)
		}
		values++
	}
	w.byte(tcEndBlockData)
	return nil
}

// block writes bytes in the pieces in which Java writes them.
func (w *writer) block(b []byte) {
	for len(b) > 0 {
		n := min(len(b), blockSize)
		if n <= math.MaxUint8 {
			w.byte(tcBlockData)
			w.byte(byte(n))
		} else {
			w.byte(tcBlockDataLong)
			w.uint32(uint32(n))
		}
		w.Out = append(w.Out, b[:n]...)
		b = b[n:]
	}
}

// array writes an array of primitives or objects.
func (w *writer) array(v any, d *serial.Desc, id serial.ID) error {
	w.byte(tcArray)
	if err := w.desc(d); err != nil {
		return err
	}
	w.remember(id, nil)
	switch v := v.(type) {
	case []bool:
		w.length(len(v))
		for _, b := range v {
			n := byte(0)
			if b {
				n = 1
			}
			w.byte(n)
		}
	case []byte:
		w.length(len(v))
		w.Out = append(w.Out, v...)
	case []int16:
		writeEach(w, v, func(n int16) { w.uint16(int(n)) })
	case []java.Char:
		writeEach(w, v, func(n java.Char) { w.uint16(int(n)) })
	case []int32:
		writeEach(w, v, func(n int32) { w.uint32(uint32(n)) })
	case []float32:
		writeEach(w, v, func(n float32) { w.uint32(math.Float32bits(n)) })
	case []int64:
		writeEach(w, v, func(n int64) { w.Out = binary.BigEndian.AppendUint64(w.Out, uint64(n)) })
	case []float64:
		writeEach(w, v, func(n float64) { w.Out = binary.BigEndian.AppendUint64(w.Out, math.Float64bits(n)) })
	case *java.List:
		w.length(len(v.Elements))
		for i, e := range v.Elements {
			if err := w.value(e); err != nil {
				return underEncode(index(i), err)
			}
		}
	default:
		return encodeFail(v, "it is no array")
	}
	return nil
}

func (w *writer) length(n int) { w.uint32(uint32(n)) }

func writeEach[T any](w *writer, s []T, write func(T)) {
	w.length(len(s))
	for _, v := range s {
		write(v)
	}
}
