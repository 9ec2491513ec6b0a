package classfile

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// Note is one annotation of a class, field or method.
type Note struct {
	Class string // of the annotation, for example "com.fasterxml.jackson.annotation.JsonProperty"
	// Values are the elements that the source gives, by name: bool, int8, int16, int32, int64,
	// float32, float64, java.Char, string, [EnumValue], [ClassValue], [Note] and []any of these.
	// Elements that keep their default are not in the class file.
	Values map[string]any
}

// EnumValue is a constant of an enum as the value of an annotation.
type EnumValue struct{ Class, Name string }

// ClassValue is a class as the value of an annotation.
type ClassValue struct{ Class string }

// Text returns an element that is a text, "" where there is none.
func (n *Note) Text(element string) string {
	s, _ := n.Values[element].(string)
	return s
}

// Texts returns an element that is one text or several.
func (n *Note) Texts(element string) []string {
	switch v := n.Values[element].(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// Notes returns an element that is one annotation or several.
func (n *Note) Notes(element string) []Note {
	var list []Note
	switch v := n.Values[element].(type) {
	case Note:
		return []Note{v}
	case []any:
		for _, e := range v {
			if note, ok := e.(Note); ok {
				list = append(list, note)
			}
		}
	}
	return list
}

// Bool returns an element that is true or false, and otherwise where the source leaves it out.
func (n *Note) Bool(element string, otherwise bool) bool {
	if b, ok := n.Values[element].(bool); ok {
		return b
	}
	return otherwise
}

// Constant returns the name of the constant that an element is, "" where there is none.
func (n *Note) Constant(element string) string {
	v, _ := n.Values[element].(EnumValue)
	return v.Name
}

// OfClass returns the class that an element is, "" where there is none.
func (n *Note) OfClass(element string) string {
	v, _ := n.Values[element].(ClassValue)
	return v.Class
}

// Notes are the annotations of one place.
type Notes []Note

// Find returns the annotation of that class, or nil.
func (n Notes) Find(class string) *Note {
	if i := slices.IndexFunc(n, func(a Note) bool { return a.Class == class }); i >= 0 {
		return &n[i]
	}
	return nil
}

// maxAnnotationDepth bounds annotations inside annotations.
const maxAnnotationDepth = 64

// notes reads the annotations in an attribute.
func (p *parser) notes(c *cursor) Notes {
	var list Notes
	for range c.u2() {
		n := p.note(c, 0)
		if c.err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

func (p *parser) note(c *cursor, depth int) Note {
	n := Note{Class: p.typeName(c)}
	for range c.u2() {
		name := p.constantText(c)
		value := p.element(c, depth+1)
		if c.err != nil {
			return Note{}
		}
		if n.Values == nil {
			n.Values = map[string]any{}
		}
		n.Values[name] = value
	}
	return n
}

// constantText reads the number of a text and takes the text off the budget, since one may be
// named often.
func (p *parser) constantText(c *cursor) string {
	s := p.file.pool.text(c, c.u2())
	if p.names -= len(s); p.names < 0 {
		c.fail(c.offset(), tooManyNames, nameFactor)
	}
	return s
}

// typeName reads a descriptor: "Ljava/lang/String;" gives java.lang.String.
func (p *parser) typeName(c *cursor) string {
	name := p.constantText(c)
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(name, "L"), ";"), "/", ".")
}

func (p *parser) element(c *cursor, depth int) any {
	at := c.offset()
	if depth > maxAnnotationDepth {
		c.fail(at, "annotations are nested more than %d deep", maxAnnotationDepth)
		return nil
	}
	switch tag := c.u1(); tag {
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z':
		return p.file.pool.constant(c, c.u2(), byte(tag))
	case 's':
		return p.constantText(c)
	case 'c':
		return ClassValue{p.typeName(c)}
	case 'e':
		return EnumValue{p.typeName(c), p.constantText(c)}
	case '@':
		return p.note(c, depth+1)
	case '[':
		return p.elements(c, depth)
	default:
		c.fail(at, "an annotation's element has the unknown tag %d", tag)
	}
	return nil
}

func (p *parser) elements(c *cursor, depth int) any {
	list := []any{}
	for range c.u2() {
		v := p.element(c, depth+1)
		if c.err != nil {
			return nil
		}
		list = append(list, v)
	}
	return list
}

// constant returns entry i as the value of an element with that tag.
func (p *pool) constant(c *cursor, i int, tag byte) any {
	switch tag {
	case 'J':
		if b := p.entry(c, i, tagLong); b != nil {
			return int64(binary.BigEndian.Uint64(b))
		}
		return nil
	case 'D':
		if b := p.entry(c, i, tagDouble); b != nil {
			return math.Float64frombits(binary.BigEndian.Uint64(b))
		}
		return nil
	case 'F':
		if b := p.entry(c, i, tagFloat); b != nil {
			return math.Float32frombits(binary.BigEndian.Uint32(b))
		}
		return nil
	}
	b := p.entry(c, i, tagInteger)
	if b == nil {
		return nil
	}
	n := int32(binary.BigEndian.Uint32(b))
	switch tag {
	case 'B':
		return int8(n)
	case 'S':
		return int16(n)
	case 'C':
		return java.Char(n)
	case 'Z':
		return n != 0
	}
	return n
}
