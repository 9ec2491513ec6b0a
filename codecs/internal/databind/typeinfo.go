package databind

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// poly is how @JsonTypeInfo names the classes of values where a type is declared.
type poly struct {
	java.TypeFormat                   // ID is empty
	ids             map[string]string // by class
	classes         map[string]string // by name
}

// polys are those of a set by the declared class.
type polys map[string]*poly

// of returns how the values of a declared class name theirs, nil where no annotation says it.
// With "" it is how all classes of the set do, nil where they differ.
func (s *polys) of(class string, set *java.Classes) *poly {
	if p, ok := (*s)[class]; ok || set == nil {
		return p
	}
	p := &poly{ids: map[string]string{}, classes: map[string]string{}}
	declared := set.Find(class)
	for c := range set.All() {
		form := java.TypeFormat{Form: c.JSON.Form, Property: c.JSON.Property}
		switch {
		case form.Form == java.TypeUsual, c.JSON.ID == "", class != "" && !extends(c, class, set):
			continue
		case declared != nil:
			form = java.TypeFormat{Form: declared.JSON.Form, Property: declared.JSON.Property}
		case p.Form != java.TypeUsual && p.TypeFormat != form:
			form = java.TypeFormat{}
		}
		p.TypeFormat = form
		p.ids[c.Name], p.classes[c.JSON.ID] = c.JSON.ID, c.Name
		if form.Form == java.TypeUsual {
			break
		}
	}
	if p.Form == java.TypeUsual || strings.HasPrefix(class, "java.") {
		p = nil
	}
	if *s == nil {
		*s = polys{}
	}
	(*s)[class] = p
	return p
}

// extends reports whether c is a class, or extends or implements it.
func extends(c *java.Class, class string, set *java.Classes) bool {
	for range maxTypeDepth {
		if c == nil {
			break
		}
		if c.Name == class || c.Super.Class == class || slices.Contains(c.Interfaces, class) {
			return true
		}
		c = set.Find(c.Super.Class)
	}
	return false
}

// maxTypeDepth bounds how far superclasses are followed.
const maxTypeDepth = 1000

// begin begins an object of n members, with the name of its class.
func (p *poly) begin(w *writer, class string, n int) error {
	if p == nil {
		return nil
	}
	id, ok := p.ids[class]
	if !ok {
		return w.fail(nil, "class %s has no name in @JsonTypeInfo of the declared type: its declaration says none (json type=NAME)", class)
	}
	if _, native := w.gen.(token.Native); native { // Ion names classes by annotations
		return w.reason(id, w.gen.Object(id, n))
	}
	var err error
	switch p.Form {
	case java.TypeProperty:
		n++
	case java.TypeObject:
		if err = w.gen.Object("", 1); err == nil {
			err = w.gen.Key(id)
		}
	case java.TypeArray:
		if open, ok := w.gen.(token.Open); ok {
			open.OpenArray()
		} else {
			w.gen.Array(2)
		}
		err = w.gen.String(id)
	default:
	}
	if err == nil {
		err = w.gen.Object("", n)
	}
	if err == nil && p.Form == java.TypeProperty {
		if err = w.gen.Key(p.Property); err == nil {
			err = w.gen.String(id)
		}
	}
	return w.reason(id, err)
}

// end ends what begin has begun around the object.
func (p *poly) end(w *writer) {
	if p == nil {
		return
	}
	if _, native := w.gen.(token.Native); native {
		return
	}
	switch p.Form {
	case java.TypeObject:
		w.gen.EndObject()
	case java.TypeArray:
		w.gen.EndArray()
	default:
	}
}

// named is frame where @JsonTypeInfo says how the class is named.
func (r *reader) named(i int, as *place) (frame, error) {
	k, p, f := &r.toks[i], as.poly, frame{at: i, key: -1, as: as}
	id := -1
	switch {
	case k.Type != 0:
	case k.Kind != token.Object && k.Kind != token.Array:
		return f, nil
	case p.Form == java.TypeArray:
		if k.Kind == token.Array && k.N == 2 {
			k.Flags |= token.FlagWrapper
			id, f.at = i+1, i+2
		}
	case k.Kind != token.Object:
	case p.Form == java.TypeObject:
		if k.N == 1 {
			id, f.at = i+1, i+2
		}
	default:
		m := r.member(i, p.Property)
		if m >= 0 {
			id = m + 1
		}
		if p.Form == java.TypeProperty {
			f.key = m
		}
	}
	var text string
	switch {
	case k.Type != 0:
		text = r.tape.Class(k)
	case id >= 0 && (r.toks[id].Kind == token.String || r.toks[id].Kind == token.Key):
		text = r.text(&r.toks[id])
	case id < 0 && len(p.classes) == 1 && f.at == i && k.Kind == token.Object:
		for text = range p.classes { //nolint:revive // the only one
		}
	default:
		return f, r.fail(i, "an object without the name of its class: Java writes %s here", java.TypeFormat{Form: p.Form, Property: p.Property, ID: "NAME"})
	}
	if f.class = p.classes[text]; f.class == "" {
		return f, r.failClass(i, text, "the name of no class that is described: declare the Go type of that class (json %s)",
			java.TypeFormat{Form: p.Form, Property: p.Property, ID: text})
	}
	return f, r.fits(&f)
}
