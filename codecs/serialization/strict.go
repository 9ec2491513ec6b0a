package serialization

import (
	"slices"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Strict makes fields count: a payload whose class has a field that the Go struct
// of that class has not, or the other way round, is an error, which names all of
// them. Without it they are ignored and left zero, as Java does when a class has
// changed. It concerns Bind only.
func Strict() Option { return strictOption{} }

type strictOption struct{}

func (strictOption) String() string { return "serialization.Strict()" }

func (strictOption) apply(c *Codec) error {
	c.strict = true
	return nil
}

// strictness knows the fields of the classes that one Go type names. It is safe
// for concurrent use.
type strictness struct {
	fields map[string][]string // by class
	seen   sync.Map            // *serial.Desc to string: what is wrong with it
}

// maxChecked bounds the classes whose check is remembered.
const maxChecked = 256

func newStrictness(classes *java.Classes) *strictness {
	s := &strictness{fields: map[string][]string{}}
	for c := range classes.All() {
		if c.Kind == java.KindEnum || s.fields[c.Name] != nil {
			continue
		}
		names := []string{}
		for _, f := range c.Fields {
			names = append(names, f.Name)
		}
		s.fields[c.Name] = names
	}
	return s
}

// check compares the classes of an instance with the Go structs they go into.
func (s *strictness) check(d *serial.Desc) string {
	var wrong []string
	for c := d; c != nil; c = c.Super {
		want, ok := s.fields[c.Class]
		if !ok {
			continue
		}
		for _, f := range c.Fields {
			if !slices.Contains(want, f.Name) {
				wrong = append(wrong, "the Go type has no field "+f.Name+" of "+c.Class)
			}
		}
		for _, name := range want {
			if !slices.ContainsFunc(c.Fields, func(f java.SerialField) bool { return f.Name == name }) {
				wrong = append(wrong, "the payload has no field "+name+" of "+c.Class)
			}
		}
	}
	return strings.Join(wrong, "; ")
}

// remember keeps the result for descriptors that payloads share.
func (s *strictness) remember(d *serial.Desc, wrong string) {
	n := 0
	s.seen.Range(func(any, any) bool { n++; return n < maxChecked })
	if n < maxChecked {
		s.seen.Store(d, wrong)
	}
}

// checkStrict is called for each instance.
func (r *reader) checkStrict(start int, d *serial.Desc) error {
	known, ok := r.strict.seen.Load(d)
	if !ok {
		known = r.strict.check(d)
		r.strict.remember(d, known.(string))
	}
	wrong := known.(string)
	if wrong == "" {
		return nil
	}
	return &codecs.DecodeError{Codec: name, Class: d.Class, Offset: start, Reason: "fields differ: " + wrong}
}
