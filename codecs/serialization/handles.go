package serialization

import "github.com/duequeue/duequeue/codecs/internal/serial"

// fewObjects is up to where a search one by one is faster than a map.
const fewObjects = 16

// handles finds the handles of what was written: one by one while there are few.
type handles[K comparable] struct {
	few  []keyHandle[K]
	many map[K]int32 // all of them, once there are more than a few
}

type keyHandle[K comparable] struct {
	key    K
	handle int32
}

type (
	idTable   = handles[serial.ID]
	textTable = handles[string]
)

func (t *handles[K]) reset() {
	clear(t.few) // let go of the objects
	t.few = t.few[:0]
	if len(t.many) > 0 {
		clear(t.many)
	}
}

func (t *handles[K]) find(key K) (int32, bool) {
	if len(t.many) > 0 {
		h, ok := t.many[key]
		return h, ok
	}
	for i := range t.few {
		if t.few[i].key == key {
			return t.few[i].handle, true
		}
	}
	return 0, false
}

func (t *handles[K]) add(key K, handle int32) {
	if len(t.many) == 0 && len(t.few) < fewObjects {
		t.few = append(t.few, keyHandle[K]{key, handle})
		return
	}
	if t.many == nil {
		t.many = map[K]int32{}
	}
	if len(t.many) == 0 {
		for _, f := range t.few {
			t.many[f.key] = f.handle
		}
	}
	t.many[key] = handle
}

// descTable finds the handles of class descriptors. Java has one of each class,
// but hostile payloads may have several of one name.
type descTable struct {
	handles[*serial.Desc]
	names map[string][]*serial.Desc
}

// maxNamesakes bounds how many descriptors of one name are compared.
const maxNamesakes = 8

func (t *descTable) reset() {
	t.handles.reset()
	if len(t.names) > 0 {
		clear(t.names)
	}
}

func (t *descTable) find(d *serial.Desc) (int32, bool) {
	h, ok := t.handles.find(d)
	if ok {
		return h, true
	}
	if len(t.many) == 0 {
		for i := range t.few {
			if other := t.few[i].key; other.Class == d.Class && serial.Same(other, d) {
				return t.few[i].handle, true
			}
		}
		return 0, false
	}
	for _, other := range t.names[d.Class] {
		if serial.Same(other, d) {
			h, ok = t.handles.find(other)
			t.handles.add(d, h) // found at once next time
			return h, ok
		}
	}
	return 0, false
}

func (t *descTable) add(d *serial.Desc, handle int32) {
	few := len(t.many) == 0
	t.handles.add(d, handle)
	if len(t.many) == 0 {
		return
	}
	if t.names == nil {
		t.names = map[string][]*serial.Desc{}
	}
	if few {
		for i := range t.few {
			t.name(t.few[i].key)
		}
	}
	t.name(d)
}

func (t *descTable) name(d *serial.Desc) {
	if same := t.names[d.Class]; len(same) < maxNamesakes {
		t.names[d.Class] = append(same, d)
	}
}
