package databind

import (
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// idKey is the property by which Redisson's mapper numbers Throwables, from 1 in each
// payload. Where one comes again, there is its number alone.
const idKey = "@id"

// throwableLike reports whether fields of a class may hold the number of a Throwable.
func throwableLike(class string) bool {
	return strings.HasSuffix(class, "Exception") || strings.HasSuffix(class, "Error") || strings.HasSuffix(class, "Throwable")
}

// numbered is an object that has a number.
type numbered struct {
	at     int                           // its token
	object *java.Object                  // nil where a Go type took it
	made   map[reflect.Type]memory.Place // variables that numbers refer to
}

func (n *numbered) keep(t reflect.Type, p memory.Place) {
	if n.made == nil {
		n.made = map[reflect.Type]memory.Place{}
	}
	n.made[t] = p
}

// remember notes the object at i if it has a number, and returns it then. The member at
// skip names its class.
func (r *reader) remember(i, skip int) *numbered {
	first := i + 1
	if first == skip {
		first += 2
	}
	if first >= int(r.toks[i].Next) || !r.is(&r.toks[first], idKey) || r.toks[first+1].Kind != token.Int {
		return nil
	}
	if r.numbered == nil {
		r.numbered = map[int64]*numbered{}
	}
	id := r.toks[first+1].Int()
	if n := r.numbered[id]; n == nil || n.at != i { // else it is read for another type
		r.numbered[id] = &numbered{at: i}
	}
	r.latest = r.numbered[id]
	return r.latest
}

// number returns the object that the number at i refers to, nil for none.
func (r *reader) number(i int) *numbered {
	if k := &r.toks[i]; k.Kind == token.Int && k.Type == 0 {
		return r.numbered[k.Int()]
	}
	return nil
}

// refers reports whether a number may stand in that place for an object.
func (r *reader) refers(as *place) bool {
	return as.throwable || as.bean != nil && !r.codec.rules.Types
}

// again returns the Throwable that a number at i refers to, where the Go side takes
// one.
func (r *reader) again(i int, as *place) (*java.Object, bool) {
	n := r.number(i)
	if n == nil || !r.bare || !r.refers(as) {
		return nil, false
	}
	if n.object == nil {
		v, err := r.at(n.at, fieldPlace)
		if n.object, _ = v.(*java.Object); err != nil || n.object == nil {
			return nil, false
		}
	}
	return n.object, true
}

func wholeOf(v any) (int64, bool) {
	switch v := v.(type) {
	case int32:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// numbered reports whether objects of a class have a number.
func (b *bean) numbered() bool { return len(b.fields) > 0 && b.fields[0].name == idKey }

// number returns the number of a Throwable, v as a Java value or a variable of Go's, and
// whether it refers to one that was written before. One without a number, which has 0,
// gets the next.
func (w *writer) number(id int64, v any) (int64, bool, error) {
	if w.numbered == nil {
		w.numbered = map[int64]any{}
	}
	if id == 0 {
		id = int64(len(w.numbered)) + 1
		for w.numbered[id] != nil {
			id++
		}
	}
	if other := w.numbered[id]; other != nil {
		if !reflect.DeepEqual(other, v) {
			return 0, false, w.fail(v, "two objects with %q %d: Java refuses to read the second", idKey, id)
		}
		return id, true, nil
	}
	w.numbered[id] = v
	return id, false, nil
}

// numberOf returns the number of a described object that has a field for it, and whether
// it has one.
func (b *bean) numberOf(o *java.Object) (int64, bool) {
	if !b.numbered() {
		return 0, false
	}
	v, _ := o.Get(idKey)
	return wholeOf(v)
}
