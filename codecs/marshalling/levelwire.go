package marshalling

import (
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// levels is a class and its serializable superclasses as bytes.
type levels struct {
	desc  *serial.Desc
	chain []*levelWire // from the class upwards
}

// levelWire is one level as it is written while none of its names is known.
type levelWire struct {
	desc   *serial.Desc
	id     int
	names  []string
	wire   []byte
	shares uint64 // levels that have a name in common with it
}

// wireSet holds the levels of one binding.
type wireSet struct {
	all    []*levelWire
	byDesc map[*serial.Desc]*levels
}

// maxWires bounds the classes that a typed plan can write.
const maxWires = 64

func newWireSet() *wireSet { return &wireSet{byDesc: map[*serial.Desc]*levels{}} }

// add returns the levels of a class; nil where there are too many.
func (w *wireSet) add(desc *serial.Desc) *levels {
	if l := w.byDesc[desc]; l != nil {
		return l
	}
	l := &levels{desc: desc}
	for up := desc; up != nil; up = up.Super {
		wire := w.level(up)
		if wire == nil {
			return nil
		}
		l.chain = append(l.chain, wire)
	}
	w.byDesc[desc] = l
	return l
}

func (w *wireSet) level(desc *serial.Desc) *levelWire {
	for _, known := range w.all {
		if known.desc.Class == desc.Class {
			return known
		}
	}
	if len(w.all) == maxWires {
		return nil
	}
	e := encoder{}
	l := &levelWire{desc: desc, id: len(w.all)}
	if e.levelHead(desc.Serial) != nil {
		return nil
	}
	l.wire, l.names = e.Out, e.levels[0].names
	for _, other := range w.all {
		if slices.ContainsFunc(l.names, func(name string) bool { return slices.Contains(other.names, name) }) {
			l.shares |= 1 << other.id
			other.shares |= 1 << l.id
		}
	}
	w.all = append(w.all, l)
	return l
}

// classOf writes the class of an object.
func (e *encoder) classOf(l *levels) bool {
	for _, level := range l.chain {
		bit := uint64(1) << level.id
		if e.written&bit != 0 {
			e.classBack(e.writtenAt[level.id])
			return true
		}
		e.writtenAt[level.id] = len(e.classes)
		if level.shares&e.written != 0 || e.strings == Equal {
			if e.levelHead(level.desc.Serial) != nil {
				return false
			}
		} else {
			e.Out = append(e.Out, level.wire...)
			e.addSerial(level.desc.Serial)
			e.levels = append(e.levels, writtenLevel{names: level.names, first: e.size})
			e.size += len(level.names)
		}
		e.written |= bit
	}
	e.u8(idObjectClass)
	return true
}
