package kryo5

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// rootClass returns the class that a whole payload must have for a Go type: that of a struct,
// or of what a pointer points to; "" for any.
func (p *plan) rootClass() string {
	t := p.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return ""
	}
	return java.ClassName(p.typ, p.opts.Classes)
}

// readRoot reads a whole payload into the zero variable at p.
func (t *tree) readRoot(d *decoder, p memory.Place) error {
	start := d.at
	c, err := d.class(t.root.expect)
	switch {
	case err != nil:
		return err
	case c == nil:
		return t.root.null(d, start)
	case t.plainMap && (!c.mapping || d.references):
		return t.readPlainMap(d, c, memory.At[map[string]any](p))
	case t.class == "" || c == t.root.expect || d.references:
		return t.root.body(d, c, p)
	case c.bean == nil || c.name == java.ReferenceClass:
		v, err := d.body(c, nil)
		if err != nil {
			return err
		}
		return misfit(start, t.plan.java.Assign(v, memory.PointerTo(t.plan.typ, p)))
	}
	if !t.descends(c) {
		return misfit(start, &java.AssignError{
			Class: c.name, Type: t.plan.typ, Reason: "the payload is of another class: the Go type is " + t.class,
		})
	}
	return t.root.body(d, c, p)
}

// descends reports whether a class, by its description, is that of the Go type or extends it.
func (t *tree) descends(c *class) bool {
	if c.name == t.class {
		return true
	}
	if c.bean.prepare(t.world) != nil {
		return true // reading says why
	}
	for i := range c.bean.fields {
		if c.bean.fields[i].Level == t.class {
			return true
		}
	}
	return false
}

// readPlainMap reads a payload that is no ordinary map into a map[string]any, if it is a map.
func (t *tree) readPlainMap(d *decoder, c *class, to *map[string]any) error {
	v, err := d.object(c, nil)
	if err != nil {
		return err
	}
	m, ok := java.Plain(v).(map[string]any)
	if !ok {
		return noPlainMap(-1, v)
	}
	*to = m
	return nil
}

// noPlainMap is the error for a value that is no map with String keys.
func noPlainMap(start int, v any) error {
	const goType = "map[string]any"
	reason, class := "does not go into Go type "+goType, java.ClassOf(v)
	if m, isMap := v.(*java.Map); isMap {
		reason, class = fmt.Sprintf("a key is not a String: it %s; use *java.Map", reason), m.Class
	} else if class == java.ReferenceClass {
		if r, ok := java.ReferenceOf(v); ok {
			reason += ": " + r.Advice()
		}
	}
	return &codecs.DecodeError{Codec: name, Class: class, Offset: start, Reason: reason}
}
