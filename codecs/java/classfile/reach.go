package classfile

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

const (
	serializable   = "java.io.Serializable"
	externalizable = "java.io.Externalizable"
)

// Class returns the descriptor of a class by its binary name, with all its
// interfaces as far as they are known, sorted. Serial is nil and NotSerializable
// set for classes that are not serializable, where all their supertypes are known.
// For the class of an enum constant with a body it is the enum.
// The error is a [*NotFoundError] or a [*FormatError].
func (s *Source) Class(name string) (*java.Class, error) {
	f, err := s.File(name)
	if err != nil {
		return nil, err
	}
	if f.isBody() {
		enum, notFound := s.File(f.Super)
		if notFound != nil || !enum.isEnum() {
			return nil, errors.Join(notFound, &FormatError{Class: name, Offset: -1, Reason: "a constant of something that is no enum"})
		}
		f = enum
	}
	c, err := f.Class()
	if err != nil {
		return nil, s.locate(err, f.Name)
	}
	all, complete := s.interfaces(f)
	c.Interfaces = slices.Sorted(maps.Keys(all))
	if complete && !all[serializable] {
		c.Serial = nil
		c.NotSerializable = c.Kind != java.KindEnum && !f.Access.Is(Interface)
	}
	c.Custom = f.custom(c, all[externalizable])
	notes := s.inherited(f)
	if len(notes) > 0 {
		f.setFormats(c, notes)
	}
	notes = append(slices.Clip(f.Annotations), notes...)
	if c.Kind != java.KindEnum {
		c.Order = f.propertyOrder(notes)
	}
	for _, i := range c.Interfaces {
		if file, err := s.File(i); err == nil {
			notes = append(notes, file.Annotations...)
		}
	}
	if c.JSON = f.typeFormat(notes); strings.HasPrefix(c.JSON.ID, ".") && s.elsewhere(f, c) {
		c.JSON = java.TypeFormat{}
	}
	return c, nil
}

// elsewhere reports whether a class that says how its subclasses are named, or one between, is in
// another package: the shortest name of a class is then another one in each place.
func (s *Source) elsewhere(f *File, c *java.Class) bool {
	of := func(name string) string { return name[:max(0, strings.LastIndexByte(name, '.'))] }
	above := slices.Clone(c.Interfaces)
	for super := f; super != nil; super, _ = s.File(super.Super) {
		above = append(above, super.Name)
	}
	return slices.ContainsFunc(above, func(name string) bool {
		file, err := s.File(name)
		return err == nil && of(name) != of(f.Name) && (file.Annotations.Jackson("JsonTypeInfo") != nil || ofJackson(s.inherited(file)))
	})
}

// inherited returns the annotations of the superclasses of f, as far as they are here.
func (s *Source) inherited(f *File) (notes Notes) {
	const most = 64
	for range most {
		super, err := s.File(f.Super)
		if err != nil {
			break
		}
		notes, f = append(notes, super.Annotations...), super
	}
	return notes
}

func (s *Source) locate(err error, name string) error {
	var format *FormatError
	if errors.As(err, &format) && format.File == "" {
		format.File = s.entries[name].path
	}
	return err
}

// interfaces collects the interfaces of a class, its superclasses' and theirs.
// It is not complete where a supertype is neither here nor in the table of the JDK.
func (s *Source) interfaces(f *File) (all map[string]bool, complete bool) {
	all, complete = map[string]bool{}, true
	seen := map[string]bool{f.Name: true}
	queue := []supertypes{{f.Super, f.Interfaces}}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		for _, i := range next.interfaces {
			all[i] = true
		}
		for _, name := range append([]string{next.super}, next.interfaces...) {
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			t, known := s.supertypes(name)
			complete = complete && known
			queue = append(queue, t)
		}
	}
	return all, complete
}

func (s *Source) supertypes(name string) (supertypes, bool) {
	if s.Has(name) {
		f, err := s.File(name)
		if err != nil {
			return supertypes{}, false
		}
		return supertypes{f.Super, f.Interfaces}, true
	}
	t, ok := jdk()[name]
	return t, ok || name == objectClass || name == enumClass || name == recordClass
}

// Classes returns the named classes and all they refer to, as codecs take them;
// without names all classes of the source. See [Source.Reach].
func (s *Source) Classes(names ...string) (*java.Classes, error) {
	if len(names) == 0 {
		names = s.Names()
	}
	reach, err := s.Reach(nil, names...)
	if err != nil {
		return nil, err
	}
	return java.NewClasses(reach.Classes...)
}

// Reach is what some classes refer to.
type Reach struct {
	// Classes are those asked for in that order, and then what they refer to:
	// superclasses, the types of fields and their arguments, bounds.
	Classes []*java.Class
	// Missing are classes in the types of fields that are neither here nor of the
	// JDK, with the class and field that names each of them first.
	Missing []Missing
}

// Missing is a class that a field refers to and the source does not have.
type Missing struct {
	Class       string
	User, Field string
}

// Reach follows the named classes to all they refer to. Where follow is given it
// decides, besides superclasses, which references are followed. A superclass that
// is neither here nor of the JDK is a [*NotFoundError], since its fields are part
// of the class; a missing class of a field is not.
func (s *Source) Reach(follow func(name string) bool, names ...string) (*Reach, error) {
	r := &reacher{source: s, follow: follow, seen: map[string]bool{}, out: &Reach{}}
	for _, name := range names {
		if err := r.visit(name); err != nil {
			return nil, err
		}
	}
	for done := 0; done < len(r.out.Classes); { // more are added on the way
		if err := r.references(r.out.Classes[done]); err != nil {
			return nil, err
		}
		done++
	}
	return r.out, nil
}

type reacher struct {
	source *Source
	follow func(string) bool
	seen   map[string]bool
	out    *Reach
}

func (r *reacher) visit(name string) error {
	if r.seen[name] {
		return nil
	}
	r.seen[name] = true
	c, err := r.source.Class(name)
	if err != nil {
		return err
	}
	if c.Name != name { // the class of an enum constant
		return r.visit(c.Name)
	}
	r.out.Classes = append(r.out.Classes, c)
	return nil
}

func (r *reacher) references(c *java.Class) error {
	if super := c.Super.Class; super != "" && !r.seen[super] {
		switch {
		case r.source.Has(super):
			if err := r.visit(super); err != nil {
				return err
			}
		case !OfJDK(super):
			return &NotFoundError{Class: super, User: c.Name, Near: r.source.near(super), Where: r.source.where}
		}
	}
	variable := map[string]bool{}
	for _, p := range c.Params {
		variable[p.Name] = true
	}
	var err error
	use := func(field string, t java.TypeExpr) {
		eachClass(t, func(name string) {
			if err == nil && !variable[name] {
				err = r.reference(c.Name, field, name)
			}
		})
	}
	for _, p := range c.Params {
		use("", p.Bound)
	}
	for _, a := range c.Super.Args {
		use("", a)
	}
	for _, f := range c.Fields {
		use(f.Name, f.Type)
	}
	if f, fileErr := r.source.File(c.Name); err == nil && fileErr == nil {
		for _, name := range f.subtypes() {
			use("", java.TypeExpr{Class: name})
		}
	}
	return err
}

func (r *reacher) reference(user, field, name string) error {
	if r.seen[name] || (java.TypeExpr{Class: name}).Primitive() {
		return nil
	}
	if r.source.Has(name) {
		if r.follow != nil && !r.follow(name) {
			return nil
		}
		return r.visit(name)
	}
	r.seen[name] = true
	// A name without a package is a type variable of an enclosing class.
	if !OfJDK(name) && indexDot(name) >= 0 {
		r.out.Missing = append(r.out.Missing, Missing{Class: name, User: user, Field: field})
	}
	return nil
}

// eachClass calls use for each class name in t.
func eachClass(t java.TypeExpr, use func(string)) {
	if t.Class != "" {
		use(t.Class)
	}
	for _, a := range t.Args {
		eachClass(a, use)
	}
}
