package compat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// Mapping says of a change what the classes alone do not tell. The zero value says nothing.
type Mapping struct {
	classes   map[string]string // names of the new program by those of the old one
	fields    map[string]string // of CLASS.FIELD of the old program; "" for one whose value may go
	constants map[string]string // of CLASS.NAME of the old program
	values    map[string]any    // of CLASS.FIELD of the new program, as JSON has them
}

// MappingError is a line of a mapping that cannot be used.
type MappingError struct {
	Line   int
	Reason string
}

// Error names the line.
func (e *MappingError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// ParseMapping reads a mapping, a fact on each line; blank lines and those that begin with # count
// for nothing:
//
//	class OLD NEW
//	field OLD.FIELD NEWFIELD
//	drop OLD.FIELD
//	constant OLD.NAME NEWNAME
//	value NEW.FIELD JSON
//
// The error is a [*MappingError], also for a class or field that the programs do not have.
func ParseMapping(text string, old, now *classfile.Source) (Mapping, error) {
	m := Mapping{map[string]string{}, map[string]string{}, map[string]string{}, map[string]any{}}
	was, is := newProgram(old), newProgram(now)
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := m.line(line, was, is); err != nil {
			return m, &MappingError{n, err.Error()}
		}
	}
	return m, nil
}

// Rename adds that a class has another name in the new program.
func (m *Mapping) Rename(old, now string) {
	if m.classes == nil {
		m.classes = map[string]string{}
	}
	m.classes[old] = now
}

var verbs = []string{"class", "field", "drop", "constant", "value"}

func (m *Mapping) line(line string, old, now *program) error {
	verb, rest, _ := strings.Cut(line, " ")
	if !slices.Contains(verbs, verb) {
		return fmt.Errorf("%s is none of %s", verb, strings.Join(verbs, ", "))
	}
	subject, object, _ := strings.Cut(strings.TrimSpace(rest), " ")
	object = strings.TrimSpace(object)
	in := old
	if verb == "value" {
		in = now
	}
	class, member := subject, ""
	if verb != "class" {
		at := max(strings.LastIndexByte(subject, '.'), 0)
		class, member = subject[:at], strings.TrimPrefix(subject[at:], ".")
	}
	c := in.class(class)
	isField := c != nil && slices.ContainsFunc(c.Fields, func(f java.ClassField) bool { return f.Name == member })
	switch {
	case object == "" != (verb == "drop"):
		return fmt.Errorf("%q has not the words that are expected", line)
	case c == nil:
		return fmt.Errorf("there is no class %s", class)
	case verb == "constant" && c.Ordinal(member) < 0:
		return fmt.Errorf("%s has no constant %s", class, member)
	case slices.Contains([]string{"field", "drop", "value"}, verb) && !isField:
		return fmt.Errorf("%s declares no field %s", class, member)
	}
	switch verb {
	case "class":
		if now.class(object) == nil {
			return fmt.Errorf("the new program has no class %s", object)
		}
		m.classes[class] = object
	case "field", "drop":
		m.fields[subject] = object
	case "constant":
		m.constants[subject] = object
	case "value":
		d := json.NewDecoder(strings.NewReader(object))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil || d.More() {
			return fmt.Errorf("%s is no JSON value", object)
		}
		m.values[subject] = v
	}
	return nil
}

// without returns the mapping without values for new fields.
func (m Mapping) without() Mapping {
	m.values = nil
	return m
}
