package marshalling

import (
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/internal/serial/typed"
)

// node is the typed plan of one Go type, see package typed.
type node = typed.Node[*decoder, *encoder]

// newFormat returns River's form for the plan of one binding.
func newFormat() *typed.Format[*decoder, *encoder] {
	wires := newWireSet()
	return &typed.Format[*decoder, *encoder]{
		Null: idNull, Object: idNewObject, Block: idBlockSmall, End: idBlockEnd,
		JavaNaN: true, SharesValues: true, ApartClasses: true,
		ReadText: readText, ReadBox: readBox, ReadEnum: readEnum, ReadBytes: readBytes, ReadList: readList,
		WriteText: writeText, WriteBox: writeBox, WriteEnum: writeEnum, WriteAny: writeAny,
		ListHead: func(e *encoder, _ *node, count int) bool {
			if !e.Enter() {
				return false
			}
			e.took()
			e.collectionHead(idArrayList, count)
			return true
		},
		Class: func(d *serial.Desc) any {
			if l := wires.add(d); l != nil {
				return l
			}
			return nil
		},
		Order: riverFields,
	}
}

// Position implements [typed.Reader].
func (d *decoder) Position() *typed.Cursor { return &d.Cursor }

// Open implements [typed.Reader].
func (d *decoder) Open() (*serial.Desc, memory.Place, int) {
	c, err := d.readClass()
	if err != nil || !c.serializable() && c.kind != idExternalizable || c.values > d.Left {
		return nil, nil, 0
	}
	d.Left -= c.values
	return c.desc, memory.Of(c), d.Reserve()
}

// Levels implements [typed.Reader].
func (d *decoder) Levels(c memory.Place) []typed.Level { return memory.At[class](c).levels() }

func (c *class) levels() []typed.Level {
	out := make([]typed.Level, len(c.chain))
	for i, level := range c.chain {
		out[i] = typed.Level{Class: level.name, Custom: level.kind == idWriteObject}
		for _, f := range level.fields {
			out[i].Fields = append(out[i].Fields, typed.LevelField{Name: f.name, Code: signatures[f.kind][0]})
		}
	}
	return out
}

// Reserve implements [typed.Reader].
func (d *decoder) Reserve() int { return d.objects.push(object{value: unresolved{}, typed: true}) }

// Keep implements [typed.Reader].
func (d *decoder) Keep(index int, v any) { d.objects.list[index].value = v }

// IsBack implements [typed.Reader].
func (d *decoder) IsBack(lead byte) bool {
	return lead == idObjectNear || lead == idObjectNearish || lead == idObjectFar
}

// Back implements [typed.Reader]. An enum constant has its class as value.
func (d *decoder) Back(lead byte) (any, string, bool) {
	if !d.IsBack(lead) {
		return nil, "", false
	}
	i, err := d.reference(lead, d.objects.size)
	if err != nil {
		return nil, "", false
	}
	o, name := d.objects.at(i)
	switch {
	case o == nil:
		return nil, name, name != ""
	case o.typed:
		return o.value, o.text, true
	}
	return nil, o.text, o.text != ""
}

// Value implements [typed.Reader].
func (d *decoder) Value(lead byte) (any, error) { return d.valueAfter(lead) }

// SkipCustom implements [typed.Reader].
func (d *decoder) SkipCustom() bool {
	_, err := d.custom(true)
	return err == nil
}

// Output implements [typed.Writer].
func (e *encoder) Output() *typed.Buffer { return &e.Buffer }

// Object implements [typed.Writer].
func (e *encoder) Object(class any) bool {
	if e.u8(idNewObject); !e.classOf(class.(*levels)) {
		return false
	}
	e.took()
	return true
}

// Again implements [typed.Writer].
func (e *encoder) Again(v typed.Variable) bool {
	if i, ok := e.variables.lookup(v); ok {
		e.back(i)
		return true
	}
	e.wanted = v
	return false
}

// took gives the object being written the next index.
func (e *encoder) took() {
	if e.wanted.At != nil {
		e.variables.add(e.wanted, e.size) // Again has not found it
		e.wanted.At = nil
	}
	e.size++
}

// Unwanted implements [typed.Writer].
func (e *encoder) Unwanted() { e.wanted.At = nil }

// Value implements [typed.Writer].
func (e *encoder) Value(v any) bool {
	wanted, index := e.wanted, e.size
	if e.value(v) != nil {
		return false
	}
	if e.size == index+1 && wanted.At != nil {
		e.variables.put(wanted, index)
	}
	return true
}

// Text implements [typed.Writer].
func (e *encoder) Text(s string) bool { return e.string(s) == nil }
