package serialization

import "github.com/duequeue/duequeue/codecs/internal/serial"

// fewObjects is up to where a search one by one is faster than a map.
const fewObjects = 16

// idTable holds the handles of objects by their identity.
type idTable struct {
	few  []idHandle
	many map[serial.ID]int32 // all of them, once there are more than a few
}

type idHandle struct {
	id     serial.ID
	handle int32
}

func (t *idTable) reset() {
	clear(t.few) // let go of the objects
	clear(t.many)
	t.few = t.few[:0]
}

func (t *idTable) find(id serial.ID) (int32, bool) {
	if len(t.many) > 0 {
		h, ok := t.many[id]
		return h, ok
	}
	for i := range t.few {
		if t.few[i].id == id {
			return t.few[i].handle, true
		}
	}
	return 0, false
}

func (t *idTable) add(id serial.ID, handle int32) {
	if len(t.many) == 0 && len(t.few) < fewObjects {
		t.few = append(t.few, idHandle{id, handle})
		return
	}
	if t.many == nil {
		t.many = map[serial.ID]int32{}
	}
	if len(t.many) == 0 {
		for _, f := range t.few {
			t.many[f.id] = f.handle
		}
	}
	t.many[id] = handle
}
