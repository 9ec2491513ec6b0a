package kryo5

import (
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// objects are those of a payload with references, by their ids.
type objects struct {
	values  []any
	classes []*class
	pending int // the object whose body comes next
}

// unfinished marks a value whose body is still being read and that has no
// pointer yet.
type unfinished struct{}

func (o *objects) reset() {
	clear(o.values)
	clear(o.classes)
	o.values, o.classes = o.values[:0], o.classes[:0]
}

// tracked reads an object with a reference before it.
func (d *decoder) tracked(c *class, ctx *layout.Type, nullable bool) (any, error) {
	start := d.at
	u, err := d.uv32()
	switch {
	case err != nil:
		return nil, err
	case u == 0 && nullable:
		return nil, nil
	case u == 0:
		return nil, d.faultIn(c, start, "found null where the class has a value")
	case u > 1:
		return d.seen(start, c, u-2)
	}
	id := len(d.objects.values)
	d.objects.values = append(d.objects.values, unfinished{})
	d.objects.classes = append(d.objects.classes, c)
	d.objects.pending = id
	v, err := d.body(c, ctx)
	if err == nil {
		v = ownBox(v)
		d.objects.values[id] = v
	}
	return v, err
}

// ownBox gives a separate box to a value that the Go runtime has a common one for.
func ownBox(v any) any {
	switch t := v.(type) {
	case string:
		if t == "" {
			t = emptyOfJava
			return reflect.ValueOf(&t).Elem().Interface()
		}
	case java.ZoneOffset:
		return reflect.ValueOf(&t).Elem().Interface()
	case java.Year:
		return reflect.ValueOf(&t).Elem().Interface()
	}
	return v
}

// emptyOfJava is an empty string that points somewhere, unlike that of Go: it tells
// boxes that ownBox made from the one that the runtime has for all empty strings.
var emptyOfJava = strings.Clone("empty")[:0]

// seen returns the object with that id.
func (d *decoder) seen(start int, c *class, id uint32) (any, error) {
	if int64(id) >= int64(len(d.objects.values)) {
		return nil, d.faultIn(c, start, "it refers to object %d, and %d were read so far", id, len(d.objects.values))
	}
	v, is := d.objects.values[id], d.objects.classes[id]
	switch {
	case v == unfinished{}:
		return nil, d.faultIn(c, start, "it refers to a %s that is not read to its end", is.name)
	case is != c && is.name != c.name && (is.component == "" || c.component == ""):
		return nil, d.faultIn(c, start, "it refers to object %d, a %s", id, is.name)
	}
	return v, nil
}

// publish makes the object whose body is being read known to what is inside it.
// It must be called before anything else is read.
func (d *decoder) publish(v any) {
	if d.references && d.objects.pending >= 0 {
		d.objects.values[d.objects.pending] = v
		d.objects.pending = -1
	}
}

// identityOf returns what tells Go values apart as Java tells objects: the box that
// holds one. It returns false for the empty string of Go, which has one box wherever
// it occurs.
func identityOf(v any) (memory.Box, bool) {
	if s, ok := v.(string); ok && s == "" && memory.TextAt(s) == nil {
		return memory.Box{}, false
	}
	return memory.BoxOf(v), true
}

// reference writes the reference before an object of class c and reports whether
// the body must follow.
func (e *encoder) reference(c *class, v any) bool {
	if !e.references || c.untracked {
		return true
	}
	id, ok := identityOf(v)
	if ok {
		if n, seen := e.objects[id]; seen {
			e.out = appendUV32(e.out, n+2)
			return false
		}
		e.objects[id] = uint32(e.count)
	}
	e.count++
	e.out = append(e.out, 1)
	return true
}
