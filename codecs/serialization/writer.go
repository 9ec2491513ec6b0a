package serialization

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// writer writes values as one stream.
type writer struct {
	out      []byte
	depth    int // objects that may still be within each other
	started  bool
	next     int // next handle
	objects  map[serial.ID]int
	shared   map[any]int // constants, see serial.Constant, and signatures of fields
	descs    map[*serial.Desc]int
	byName   map[string][]*serial.Desc
	describe serial.Describer
}

// signature is a string of the JVM's, which has one of each.
type signature string

// classKey is the key of a class object among the constants.
type classKey string

// emptied makes a writer that keeps nothing but the memory of its tables.
func (w *writer) emptied() *writer {
	*w = writer{
		objects: serial.EmptiedMap(w.objects), shared: serial.EmptiedMap(w.shared),
		descs: serial.EmptiedMap(w.descs), byName: serial.EmptiedMap(w.byName),
	}
	return w
}

func fail(v any, format string, args ...any) *codecs.EncodeError {
	return &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(v), Reason: fmt.Sprintf(format, args...)}
}

func (w *writer) byte(b byte)     { w.out = append(w.out, b) }
func (w *writer) uint16(n int)    { w.out = binary.BigEndian.AppendUint16(w.out, uint16(n)) }
func (w *writer) uint32(n uint32) { w.out = binary.BigEndian.AppendUint32(w.out, n) }
func (w *writer) uint64(n uint64) { w.out = binary.BigEndian.AppendUint64(w.out, n) }

func (w *writer) reference(handle int) {
	w.byte(tcReference)
	w.uint32(uint32(baseHandle + handle))
}

// known writes a back reference, if the object was written before.
func (w *writer) known(id serial.ID, constant any) bool {
	h, ok := w.shared[constant]
	if constant == nil {
		h, ok = w.objects[id]
	}
	if ok {
		w.reference(h)
	}
	return ok
}

// remember gives an object the next handle.
func (w *writer) remember(id serial.ID, constant any) {
	switch {
	case constant != nil:
		w.shared[constant] = w.next
	case !id.IsZero():
		w.objects[id] = w.next
	}
	w.next++
}

// value writes any value.
func (w *writer) value(v any) error {
	if !serial.IsJava(v) {
		var err error
		if v, err = bridge.LowerShared(v); err != nil {
			return err
		}
	}
	switch v := v.(type) {
	case nil:
		w.byte(tcNull)
		return nil
	case string:
		w.string(v)
		return nil
	}
	constant, id := serial.Constant(v), serial.ID{}
	if constant == nil {
		id = serial.Identity(v)
	}
	if w.known(id, constant) {
		return nil
	}
	if w.depth--; w.depth < 0 {
		return fail(v, "the value is nested too deeply, or contains itself through Go values: raise Limits.Depth if that is right")
	}
	described, err := w.describe.Describe(v)
	if err != nil {
		return fail(v, "%v", serial.Unwritable(v, err))
	}
	err = w.described(v, described, id, constant)
	w.depth++
	return err
}

func (w *writer) described(v any, d serial.Described, id serial.ID, constant any) error {
	switch d.Kind {
	case serial.KindNull:
		w.byte(tcNull)
	case serial.KindEnum:
		w.byte(tcEnum)
		if err := w.desc(d.Desc); err != nil {
			return err
		}
		w.remember(id, constant)
		w.string(d.Name)
	case serial.KindClass:
		if w.known(id, classKey(d.Desc.Class)) {
			return nil
		}
		w.byte(tcClass)
		if err := w.desc(d.Desc); err != nil {
			return err
		}
		w.remember(id, classKey(d.Desc.Class))
	case serial.KindArray:
		w.byte(tcArray)
		if err := w.desc(d.Desc); err != nil {
			return err
		}
		w.remember(id, nil)
		return w.elements(v)
	default:
		w.byte(tcObject)
		if err := w.desc(d.Desc); err != nil {
			return err
		}
		w.remember(id, constant)
		return w.levels(d.Instance)
	}
	return nil
}

func (w *writer) string(s string) {
	id := serial.StringID(s)
	var constant any
	if s == "" {
		constant = s
	}
	if w.known(id, constant) {
		return
	}
	w.text(s)
	w.remember(id, constant)
}

// text writes a string without its handle.
func (w *writer) text(s string) {
	size, _ := serial.TextSize(s)
	if size > math.MaxUint16 {
		w.byte(tcLongString)
		w.uint64(uint64(size))
	} else {
		w.byte(tcString)
		w.uint16(size)
	}
	w.out = serial.AppendText(w.out, s)
}

// name writes the name of a class or field.
func (w *writer) name(s string) error {
	size, _ := serial.TextSize(s)
	if size > math.MaxUint16 {
		return fail(s, "a name has more than 65,535 bytes")
	}
	w.uint16(size)
	w.out = serial.AppendText(w.out, s)
	return nil
}

// maxNamesakes bounds how many descriptors of one name are compared.
const maxNamesakes = 8

// written returns the handle of a descriptor. Java has one of each class, but hostile
// payloads may have several of one name.
func (w *writer) written(d *serial.Desc) (int, bool) {
	if h, ok := w.descs[d]; ok {
		return h, true
	}
	for _, other := range w.byName[d.Class] {
		if serial.Same(other, d) {
			w.descs[d] = w.descs[other]
			return w.descs[d], true
		}
	}
	return 0, false
}

// desc writes a class descriptor and those of its superclasses.
func (w *writer) desc(d *serial.Desc) error {
	for ; d != nil; d = d.Super {
		if h, ok := w.written(d); ok {
			w.reference(h)
			return nil
		}
		if err := w.newDesc(d); err != nil {
			return err
		}
	}
	w.byte(tcNull)
	return nil
}

func (w *writer) newDesc(d *serial.Desc) error {
	w.byte(tcClassDesc)
	if err := w.name(d.Class); err != nil {
		return err
	}
	w.uint64(uint64(d.UID))
	w.descs[d] = w.next
	w.next++
	if same := w.byName[d.Class]; len(same) < maxNamesakes {
		w.byName[d.Class] = append(same, d)
	}
	w.byte(d.Flags)
	if len(d.Fields) > math.MaxUint16 {
		return fail(nil, "class %s has more than 65,535 fields", d.Class)
	}
	w.uint16(len(d.Fields))
	for i := range d.Fields {
		f := &d.Fields[i]
		if f.Signature == "" {
			return fail(nil, "field %s of %s has no signature", errpath.Key(f.Name), d.Class)
		}
		w.byte(f.Signature[0])
		if err := w.name(f.Name); err != nil {
			return err
		}
		if len(f.Signature) > 1 && !w.known(serial.ID{}, signature(f.Signature)) {
			w.text(f.Signature)
			w.remember(serial.ID{}, signature(f.Signature))
		}
	}
	w.byte(tcEndBlockData)
	return nil
}

// levels writes what each class of an object has.
func (w *writer) levels(in *serial.Instance) error {
	for i := range in.Levels {
		l := &in.Levels[i]
		for j, v := range l.Fields {
			f := &l.Desc.Fields[j]
			if len(f.Signature) == 1 {
				w.out = serial.AppendPrimitive(w.out, v)
			} else if err := w.value(v); err != nil {
				return errpath.UnderEncode(errpath.Key(f.Name), err)
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

// items writes custom data.
func (w *writer) items(items []any) error {
	values := 0
	for _, v := range items {
		if b, ok := v.(java.Block); ok {
			w.block(b)
			continue
		}
		if err := w.value(v); err != nil {
			return errpath.UnderEncode(serial.Index(values), err)
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
		w.out = append(w.out, b[:n]...)
		b = b[n:]
	}
}

// elements writes what an array holds.
func (w *writer) elements(v any) error {
	l, ok := v.(*java.List)
	if !ok {
		_, n := serial.ArrayOf(v)
		w.uint32(uint32(n))
		w.out = serial.AppendPrimitives(w.out, v)
		return nil
	}
	w.uint32(uint32(len(l.Elements)))
	for i, e := range l.Elements {
		if err := w.value(e); err != nil {
			return errpath.UnderEncode(serial.Index(i), err)
		}
	}
	return nil
}
