package serialization

import (
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/internal/serial/typed"
	"github.com/duequeue/duequeue/codecs/java"
)

// node is the typed plan of one Go type, see package typed.
type node = typed.Node[*reader, *writer]

// format is java.io's form for typed plans.
var format = &typed.Format[*reader, *writer]{
	Null: tcNull, Object: tcObject, Block: tcBlockData, End: tcEndBlockData,
	ScaleFirst: true, ListEnd: true,
	ReadText: readText, ReadBox: readBox, ReadEnum: readEnum, ReadBytes: readBytes, ReadList: readList,
	WriteText: writeText, WriteBox: writeBox, WriteEnum: writeEnum, WriteAny: writeAny, ListHead: listHead,
	Class: func(d *serial.Desc) any { return d },
	Order: func(s *java.Serial) []java.SerialField { return s.Fields },
}

// Position implements [typed.Reader].
func (r *reader) Position() *typed.Cursor { return &r.Cursor }

// Open implements [typed.Reader].
func (r *reader) Open() (*serial.Desc, memory.Place, int) {
	start := r.At - 1
	d, err := r.desc()
	if err != nil || r.checkInstance(start, d) != nil {
		return nil, nil, 0
	}
	for c := d; c != nil; c = c.Super {
		if r.Left -= len(c.Fields); r.Left < 0 {
			return nil, nil, 0
		}
	}
	return d, memory.Of(d), r.Reserve()
}

// Levels implements [typed.Reader].
func (r *reader) Levels(d memory.Place) []typed.Level {
	var out []typed.Level
	for _, c := range memory.At[serial.Desc](d).Lineage(nil) {
		l := typed.Level{Class: c.Class, Custom: c.Flags&(serial.FlagWriteMethod|serial.FlagBlockData) != 0}
		for _, f := range c.Fields {
			if r.noFields[c.Class] {
				break
			}
			code := byte('L')
			if len(f.Signature) == 1 {
				code = f.Signature[0]
			}
			l.Fields = append(l.Fields, typed.LevelField{Name: f.Name, Code: code})
		}
		out = append(out, l)
	}
	return out
}

// Reserve implements [typed.Reader].
func (r *reader) Reserve() int { return r.push(handle{kind: typedHandle}) }

// Keep implements [typed.Reader].
func (r *reader) Keep(index int, v any) { r.handles[index].value = v }

// IsBack implements [typed.Reader].
func (r *reader) IsBack(lead byte) bool { return lead == tcReference }

// Back implements [typed.Reader].
func (r *reader) Back(lead byte) (any, string, bool) {
	if lead != tcReference {
		return nil, "", false
	}
	h, err := r.handle()
	if err != nil || h.kind != typedHandle && h.kind != stringHandle {
		return nil, "", false
	}
	return h.value, h.text, true
}

// Value implements [typed.Reader].
func (r *reader) Value(byte) (any, error) {
	r.At--
	return r.value()
}

// SkipCustom implements [typed.Reader].
func (r *reader) SkipCustom() bool {
	_, err := r.items()
	return err == nil
}

// Output implements [typed.Writer].
func (w *writer) Output() *typed.Buffer { return &w.Buffer }

// Object implements [typed.Writer].
func (w *writer) Object(class any) bool {
	w.byte(tcObject)
	if w.desc(class.(*serial.Desc)) != nil {
		return false
	}
	w.remember(w.wanted, nil)
	w.wanted = serial.ID{}
	return true
}

// Again implements [typed.Writer].
func (w *writer) Again(v typed.Variable) bool {
	id := serial.SliceID(v.At, v.Len)
	if v.Len < 0 {
		id = serial.PointerID(v.At, v.Node)
	}
	if w.known(id, nil) {
		return true
	}
	w.wanted = id
	return false
}

// Unwanted implements [typed.Writer].
func (w *writer) Unwanted() { w.wanted = serial.ID{} }

// Value implements [typed.Writer]. Pointers to values are no objects here.
func (w *writer) Value(v any) bool { return w.value(v) == nil }

// Text implements [typed.Writer].
func (w *writer) Text(s string) bool {
	w.string(s)
	return true
}
