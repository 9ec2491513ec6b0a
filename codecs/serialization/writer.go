package serialization

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// writer writes values as one stream.
type writer struct {
	Out      []byte
	Depth    int
	MaxDepth int
	scratch  []byte // where payloads grow, kept between them
	started  bool
	next     int // next handle
	objects  serial.Seen[serial.ID]
	shared   serial.Seen[any] // constants, see serial.Constant
	descs    serial.SeenDescs
	texts    serial.Seen[string] // signatures of fields
	describe serial.Describer
}

func (w *writer) reset(out []byte, depth int) {
	w.Out, w.started, w.Depth, w.MaxDepth, w.next = out, false, 0, depth, 0
	w.objects.Reset()
	w.shared.Reset()
	w.descs.Reset()
	w.texts.Reset()
	w.describe.Reset()
}

func (w *writer) header() {
	w.Out = append(w.Out, magic...)
	w.started = true
}

func (w *writer) byte(b byte)     { w.Out = append(w.Out, b) }
func (w *writer) uint16(n int)    { w.Out = binary.BigEndian.AppendUint16(w.Out, uint16(n)) }
func (w *writer) uint32(n uint32) { w.Out = binary.BigEndian.AppendUint32(w.Out, n) }

// handle returns the next number of the table of back references.
func (w *writer) handle() int {
	w.next++
	return w.next - 1
}

func (w *writer) reference(handle int) {
	w.byte(tcReference)
	w.uint32(uint32(baseHandle + handle))
}

// known writes a back reference, if the object was written before.
func (w *writer) known(id serial.ID, constant any) bool {
	var h int
	ok := false
	switch {
	case constant != nil:
		h, ok = w.shared.Find(constant)
	case !id.IsZero():
		h, ok = w.objects.Find(id)
	}
	if ok {
		w.reference(h)
	}
	return ok
}

// remember gives an object the next handle.
func (w *writer) remember(id serial.ID, constant any) {
	h := w.handle()
	switch {
	case constant != nil:
		w.shared.Add(constant, h)
	case !id.IsZero():
		w.objects.Add(id, h)
	}
}

// value writes any value.
func (w *writer) value(v any) error {
	v, err := lowered(v)
	if err != nil {
		return err
	}
	if v == nil {
		w.byte(tcNull)
		return nil
	}
	if s, ok := v.(string); ok {
		w.string(s)
		return nil
	}
	constant := serial.Constant(v)
	id := serial.ID{}
	if constant == nil {
		id = serial.Identity(v)
	}
	return w.object(v, id, constant)
}

// object writes what is neither null nor a string.
func (w *writer) object(v any, id serial.ID, constant any) error {
	if w.known(id, constant) {
		return nil
	}
	if w.Depth++; w.Depth > w.MaxDepth {
		return encodeFail(v, "the value is nested too deeply, or contains itself through Go values: raise Limits.Depth if that is right")
	}
	described, err := w.describe.Describe(v)
	if err != nil {
		return encodeFail(v, serial.Unwritable(v, err).Error())
	}
	err = w.described(v, described, id, constant)
	w.Depth--
	return err
}

func (w *writer) described(v any, d serial.Described, id serial.ID, constant any) error {
	switch d.Kind {
	case serial.KindNull:
		w.byte(tcNull)
		return nil
	case serial.KindEnum:
		return w.enum(d.Name, d.Desc, constant)
	case serial.KindClass:
		return w.class(d.Desc)
	case serial.KindArray:
		return w.array(v, d.Desc, id)
	default:
		return w.instance(d.Instance, id, constant)
	}
}

// lowered returns the Java form of v.
func lowered(v any) (any, error) {
	switch v.(type) {
	case nil, *serial.Desc:
		return v, nil
	case map[string]any, []any, int:
	default:
		if java.ClassOf(v) != "" {
			return v, nil
		}
	}
	out, err := java.LowerShared(v)
	if err != nil {
		e := encodeFail(v, "it has no Java form")
		e.Err = err
		return nil, e
	}
	return out, nil
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
	if len(s) <= math.MaxUint16 && serial.Plain(s) {
		w.Out = append(w.Out, tcString, byte(len(s)>>8), byte(len(s)))
		w.Out = append(w.Out, s...)
		return
	}
	size, _ := serial.TextSize(s)
	if size > math.MaxUint16 {
		w.byte(tcLongString)
		w.Out = binary.BigEndian.AppendUint64(w.Out, uint64(size))
	} else {
		w.byte(tcString)
		w.uint16(size)
	}
	w.Out = serial.AppendText(w.Out, s)
}

// utf writes a name.
func (w *writer) utf(s string) error {
	size, _ := serial.TextSize(s)
	if size > math.MaxUint16 {
		return encodeFail(s, "a name has more than 65,535 bytes")
	}
	w.uint16(size)
	w.Out = serial.AppendText(w.Out, s)
	return nil
}

// desc writes a class descriptor and those of its superclasses.
func (w *writer) desc(d *serial.Desc) error {
	if w.next == 0 && d != nil && len(d.Fields) > 0 {
		f := d.Memo(serial.JavaIO, makeForm).(*descForm)
		if f.first(w, d) {
			return nil
		}
	}
	return w.descAfter(d)
}

// descAfter writes a class descriptor that is not the first thing in the stream.
func (w *writer) descAfter(d *serial.Desc) error {
	for ; d != nil; d = d.Super {
		if h, ok := w.descs.Find(d); ok {
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
	f := d.Memo(serial.JavaIO, makeForm).(*descForm)
	if f.err != nil {
		return f.err
	}
	w.Out = append(w.Out, f.runs[0]...)
	w.descs.Add(d, w.handle())
	for i := range f.signatures {
		w.signature(&f.signatures[i])
		w.Out = append(w.Out, f.runs[i+1]...)
	}
	return nil
}

// descForm is the written form of a class descriptor without its superclass:
// runs of bytes with signatures of fields between them, which may be references.
type descForm struct {
	runs       [][]byte
	signatures []signature
	err        error
	// atStart is what it comes to where nothing was written before, as for the
	// bean that is the payload: always the same.
	atStart atomic.Pointer[startForm]
}

// startForm is a descriptor, with those of its superclasses, at the start of a
// stream, and the tables after it.
type startForm struct {
	out   []byte
	descs *serial.Seen[*serial.Desc]
	texts *serial.Seen[string]
	next  int
}

// first writes the descriptor at the start of a stream, and returns false where
// that is not worth while.
func (f *descForm) first(w *writer, d *serial.Desc) bool {
	s := f.atStart.Load()
	if s == nil {
		alone := &writer{}
		if alone.descAfter(d) != nil || !alone.descs.Few() || !alone.texts.Few() {
			return false
		}
		s = &startForm{out: alone.Out, descs: &alone.descs.Seen, texts: &alone.texts, next: alone.next}
		f.atStart.Store(s)
	}
	w.Out = append(w.Out, s.out...)
	w.descs.AddAll(s.descs)
	w.texts.AddAll(s.texts)
	w.next = s.next
	return true
}

type signature struct {
	text    string
	written []byte // as a string of the stream
}

func makeForm(d *serial.Desc) any {
	w, f := writer{}, &descForm{}
	w.byte(tcClassDesc)
	f.err = w.utf(d.Class)
	w.Out = binary.BigEndian.AppendUint64(w.Out, uint64(d.UID))
	w.byte(d.Flags)
	if len(d.Fields) > math.MaxUint16 {
		f.err = encodeFail(nil, "class "+d.Class+" has more than 65,535 fields")
		return f
	}
	w.uint16(len(d.Fields))
	for _, field := range d.Fields {
		if field.Signature == "" {
			f.err = encodeFail(nil, "field "+field.Name+" of "+d.Class+" has no signature")
			return f
		}
		w.byte(field.Signature[0])
		if err := w.utf(field.Name); err != nil {
			f.err = err
			return f
		}
		if len(field.Signature) > 1 {
			f.runs = append(f.runs, w.Out)
			w.Out = nil
			w.text(field.Signature)
			f.signatures = append(f.signatures, signature{field.Signature, w.Out})
			w.Out = nil
		}
	}
	w.byte(tcEndBlockData)
	f.runs = append(f.runs, w.Out)
	return f
}

// signature writes a string that Java keeps one of.
func (w *writer) signature(s *signature) {
	if h, ok := w.texts.Find(s.text); ok {
		w.reference(h)
		return
	}
	w.Out = append(w.Out, s.written...)
	w.texts.Add(s.text, w.handle())
}

func (w *writer) enum(constantName string, d *serial.Desc, constant any) error {
	w.byte(tcEnum)
	if err := w.desc(d); err != nil {
		return err
	}
	w.remember(serial.ID{}, constant)
	w.string(constantName)
	return nil
}

// classKey is the key of a class object among the constants.
type classKey string

func (w *writer) class(d *serial.Desc) error {
	if w.known(serial.ID{}, classKey(d.Class)) {
		return nil
	}
	w.byte(tcClass)
	if err := w.desc(d); err != nil {
		return err
	}
	w.remember(serial.ID{}, classKey(d.Class))
	return nil
}
