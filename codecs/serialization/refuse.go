package serialization

import (
	"slices"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// refusals knows the fields of the classes that one Go type names. It is safe
// for concurrent use.
type refusals struct {
	unknown, missing bool                // what is refused
	fields           map[string][]string // by class
	seen             sync.Map            // *serial.Desc to string: what is wrong with it
}

// maxChecked bounds the classes whose check is remembered.
const maxChecked = 256

func newRefusals(o *settings, classes *java.Classes) *refusals {
	s := &refusals{unknown: o.refuseUnknown, missing: o.refuseMissing, fields: map[string][]string{}}
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
func (s *refusals) check(d *serial.Desc) string {
	var wrong []string
	for c := d; c != nil; c = c.Super {
		want, ok := s.fields[c.Class]
		if !ok {
			continue
		}
		for _, f := range c.Fields {
			if s.unknown && !slices.Contains(want, f.Name) {
				wrong = append(wrong, "the Go type has no field "+f.Name+" of "+c.Class)
			}
		}
		for _, name := range want {
			if s.missing && !slices.ContainsFunc(c.Fields, func(f java.SerialField) bool { return f.Name == name }) {
				wrong = append(wrong, "the payload has no field "+name+" of "+c.Class)
			}
		}
	}
	return strings.Join(wrong, "; ")
}

// remember keeps the result for descriptors that payloads share.
func (s *refusals) remember(d *serial.Desc, wrong string) {
	n := 0
	s.seen.Range(func(any, any) bool { n++; return n < maxChecked })
	if n < maxChecked {
		s.seen.Store(d, wrong)
	}
}

// checkFields is called for each instance.
func (r *reader) checkFields(start int, d *serial.Desc) error {
	known, ok := r.refusals.seen.Load(d)
	if !ok {
		known = r.refusals.check(d)
		r.refusals.remember(d, known.(string))
	}
	wrong := known.(string)
	if wrong == "" {
		return nil
	}
	return &codecs.DecodeError{Codec: name, Class: d.Class, Offset: start, Reason: "fields differ: " + wrong}
}
