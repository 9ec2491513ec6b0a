package java

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Classes is an immutable set of classes, by name. Nil is the empty set. It is
// safe for concurrent use, as long as no class in it is changed.
//
// A name may belong to several classes, its variants: a class as it was before
// a deployment of the Java side and as it is after it. Codecs try them in order
// where the bytes name no fields, so the newest one should come first.
type Classes struct {
	list   []*Class
	byName map[string][]*Class
	bodies map[string]*Class // classes of enum constants to their enum
}

// NewClasses makes a set. Classes of one name are variants, in the order given;
// equal ones count once. Superclasses need not be in the set, but inheritance
// must not run in a circle or from a final class. All mistakes are reported
// together as joined [*ClassError] values. The classes belong to the set afterwards.
func NewClasses(list ...*Class) (*Classes, error) {
	s := &Classes{byName: map[string][]*Class{}, bodies: map[string]*Class{}}
	var errs []error
	for i, c := range list {
		if c == nil {
			errs = append(errs, &ClassError{Reason: fmt.Sprintf("class %d of the list is nil", i)})
			continue
		}
		if err := c.check(); err != nil {
			errs = append(errs, err)
			continue
		}
		s.add(c)
	}
	errs = append(errs, s.checkInheritance()...)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return s, nil
}

// unformatted returns a class without what annotations of Jackson say, which makes no variant of it.
func unformatted(c *Class) *Class {
	plain := *c
	plain.JSON, plain.Order = TypeFormat{}, nil
	plain.Constants = slices.Clone(c.Constants)
	for i := range plain.Constants {
		plain.Constants[i].JSON = ""
	}
	plain.Fields = slices.Clone(c.Fields)
	for i := range plain.Fields {
		plain.Fields[i].Format = FieldFormat{}
	}
	return &plain
}

func (s *Classes) add(c *Class) {
	same := func(other *Class) bool { return other == c || reflect.DeepEqual(unformatted(other), unformatted(c)) }
	if slices.ContainsFunc(s.byName[c.Name], same) {
		return
	}
	s.list = append(s.list, c)
	s.byName[c.Name] = append(s.byName[c.Name], c)
	for _, k := range c.Constants {
		if k.Body != "" && s.bodies[k.Body] == nil {
			s.bodies[k.Body] = c
		}
	}
}

// checkInheritance looks for circles and for final superclasses.
func (s *Classes) checkInheritance() []error {
	var errs []error
	done := map[string]bool{}
	for _, c := range s.list {
		for _, super := range s.byName[c.Super.Class] {
			if super.Final && !slices.ContainsFunc(s.byName[super.Name], func(v *Class) bool { return !v.Final }) {
				errs = append(errs, &ClassError{Class: c.Name, Reason: fmt.Sprintf("it extends %s, which is final", super.Name)})
				break
			}
		}
		if circle := s.circle(c.Name, nil, done); circle != nil {
			errs = append(errs, &ClassError{Class: c.Name, Reason: "inheritance runs in a circle: " + strings.Join(circle, " extends ")})
		}
	}
	return errs
}

// circle follows the superclasses of all variants of name, and returns the names
// of a circle. Names in done lead to none that is not reported yet.
func (s *Classes) circle(name string, chain []string, done map[string]bool) []string {
	if at := slices.Index(chain, name); at >= 0 {
		return append(slices.Clone(chain[at:]), name)
	}
	if done[name] {
		return nil
	}
	chain = append(chain, name)
	for _, c := range s.byName[name] {
		if c.Super.Class == "" {
			continue
		}
		if found := s.circle(c.Super.Class, chain, done); found != nil {
			done[name] = true
			return found
		}
	}
	done[name] = true
	return nil
}

// Find returns the class of that name, its first variant, or nil. The name of an
// enum constant's own class ("demo.Op$1") finds the enum.
func (s *Classes) Find(name string) *Class {
	if s == nil {
		return nil
	}
	if v := s.byName[name]; len(v) > 0 {
		return v[0]
	}
	return s.bodies[name]
}

// Variants returns all classes of that name in the order in which they should be
// tried; like [Classes.Find] it knows the classes of enum constants. The caller
// must not change the slice.
func (s *Classes) Variants(name string) []*Class {
	if s == nil {
		return nil
	}
	if v := s.byName[name]; len(v) > 0 {
		return v
	}
	if enum := s.bodies[name]; enum != nil {
		return s.byName[enum.Name]
	}
	return nil
}

// All yields every class, variants too, in the order in which they were given.
func (s *Classes) All() iter.Seq[*Class] {
	if s == nil {
		return func(func(*Class) bool) {}
	}
	return slices.Values(s.list)
}

// Len returns the number of classes, variants too; 0 for nil.
func (s *Classes) Len() int {
	if s == nil {
		return 0
	}
	return len(s.list)
}

// Join returns a set of the classes of s and then of the others, so that those
// of s are tried first. The error is that of [NewClasses].
func (s *Classes) Join(others ...*Classes) (*Classes, error) {
	all := slices.Collect(s.All())
	for _, o := range others {
		all = slices.AppendSeq(all, o.All())
	}
	return NewClasses(all...)
}
