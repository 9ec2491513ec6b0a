package databind

import (
	"reflect"
	"strings"

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

// remember notes an object that has a number.
func (r *reader) remember(o *java.Object) {
	if len(o.Fields) == 0 || o.Fields[0].Name != idKey {
		return
	}
	if id, ok := wholeOf(o.Fields[0].Value); ok {
		if r.numbered == nil {
			r.numbered = map[int64]*java.Object{}
		}
		r.numbered[id] = o
	}
}

// again returns the Throwable that a number at i refers to, where the Go side takes
// one.
func (r *reader) again(i int) (*java.Object, bool) {
	k := &r.tape.Tokens[i]
	if k.Kind != token.Int || !r.bare {
		return nil, false
	}
	o, ok := r.numbered[k.Int()]
	return o, ok
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

// number returns the number of a described object that has a field for it, 0 for all
// others, and whether it refers to one that was written before. One without a number
// gets the next.
func (w *writer) number(b *bean, o *java.Object) (id int64, again bool, err error) {
	if !b.numbered() {
		return 0, false, nil
	}
	v, _ := o.Get(idKey)
	id, ok := wholeOf(v)
	if !ok {
		return 0, false, nil
	}
	if w.numbered == nil {
		w.numbered = map[int64]*java.Object{}
	}
	if id == 0 {
		id = int64(len(w.numbered)) + 1
		for w.numbered[id] != nil {
			id++
		}
	}
	if other := w.numbered[id]; other != nil {
		if !reflect.DeepEqual(other, o) {
			return 0, false, w.fail(o, "two objects with %q %d: Java refuses to read the second", idKey, id)
		}
		return id, true, nil
	}
	w.numbered[id] = o
	return id, false, nil
}
