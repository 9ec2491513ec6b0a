package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// userClasses gives a codec the classes of a jar that payloads turn out to hold,
// with all these refer to: a large jar is not read whole for one order.
type userClasses struct {
	name   string // of the codec
	opts   catalog.Options
	source *classfile.Source // nil without -classes
	loaded map[string]bool
	list   []*java.Class
}

// build returns the codec for the classes loaded so far.
func (u *userClasses) build() (codecs.Codec, error) {
	set, err := java.NewClasses(u.list...)
	if err != nil {
		return nil, err
	}
	opts := u.opts
	if set.Len() > 0 {
		opts.Classes = set
	}
	return catalog.FindWith(u.name, opts)
}

// probe reports a codec that no class would help, before there is one.
func (u *userClasses) probe() error {
	if u.source == nil {
		return nil
	}
	one, err := java.NewClasses(&java.Class{Name: "any"})
	if err != nil {
		return err
	}
	opts := u.opts
	opts.Classes = one
	_, err = catalog.FindWith(u.name, opts)
	return err
}

// add loads classes, and reports whether there are new ones. Names that the
// source does not have are left out.
func (u *userClasses) add(names ...string) (bool, error) {
	if u.source == nil {
		return false, nil
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return u.loaded[n] || !u.source.Has(n) })
	if len(names) == 0 {
		return false, nil
	}
	reach, err := u.source.Reach(nil, names...)
	if err != nil {
		return false, err
	}
	for _, n := range names {
		u.loaded[n] = true // the class of an enum constant is not in the list
	}
	grown := false
	for _, c := range reach.Classes {
		if !slices.ContainsFunc(u.list, func(have *java.Class) bool { return have.Name == c.Name }) {
			u.loaded[c.Name] = true
			u.list = append(u.list, c)
			grown = true
			if err := u.hooks(c.Name); err != nil {
				return false, err
			}
		}
	}
	return grown, nil
}

// hooks tells fst of a class that takes part in its own serialization.
func (u *userClasses) hooks(name string) error {
	if !strings.Contains(catalog.Canonical(u.name), "fst") {
		return nil
	}
	f, err := u.source.File(name)
	if err != nil {
		return err
	}
	for _, method := range []string{"writeObject", "readObject", "writeReplace", "readResolve"} {
		if f.Method(method) != nil {
			u.opts.Hooks = append(u.opts.Hooks, name)
			return nil
		}
	}
	return nil
}

// blamed returns the classes that an error is about: of a list of codecs each may
// name one.
func blamed(err error) []string {
	var names []string
	//nolint:errorlint // every error of the tree is looked at, not the first that fits
	switch e := err.(type) {
	case *codecs.DecodeError:
		if e.Class != "" {
			names = append(names, java.TypeOf(e.Class).Class)
		}
		names = append(names, blamed(e.Err)...)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			names = append(names, blamed(inner)...)
		}
	case interface{ Unwrap() error }:
		names = blamed(e.Unwrap())
	}
	return names
}

// preload gives the codec the classes that it must know from the start: those
// that payloads name by number.
func (d *decoder) preload() error {
	if d.classes.name == "" {
		d.classes.name = d.named()
	}
	_, err := d.classes.add(d.classes.opts.Allowed...)
	if d.guess = d.classes.name == ""; d.guess {
		return errors.Join(err, d.checkGuessing())
	}
	if err == nil {
		err = d.classes.probe()
	}
	if err == nil {
		d.codec, err = d.classes.build()
	}
	var unknown *catalog.UnknownError
	var option *catalog.OptionError
	switch {
	case errors.As(err, &unknown):
		return &usageError{err: err}
	case errors.As(err, &option) && len(option.Options) > 0:
		return usagef("codec %s does not know the flag %s", option.Codec, strings.Join(flagsOf(option.Options), ", "))
	case errors.As(err, &option):
		return &usageError{err: err}
	}
	return err
}

// flagsOf returns the flags behind options of the catalog.
func flagsOf(options []string) []string {
	flags := map[string]string{"Classes": "-classes", "References": "-refs", "Since": "-since", "Allowed": "-allowed", "Hooks": "-classes", "Dialect": "-dialect", "Schema": "-schema"}
	out := make([]string, len(options))
	for i, o := range options {
		out[i] = flags[o]
	}
	return out
}

// decodeKnowing decodes a payload, and again with each class that it turns out to
// hold and the jar has. The jar's classes bound the number of tries.
func (d *decoder) decodeKnowing(payload []byte) (any, error) {
	for {
		value, err := d.codec.Decode(payload)
		names := blamed(err)
		if err == nil && d.classes.source != nil && strings.Contains(d.codec.Name(), "jackson") {
			names = beansOf(value) // which read without their class, but not as it is declared
		}
		if len(names) == 0 || d.classes.source == nil {
			return value, err
		}
		grown, addErr := d.classes.add(names...)
		if addErr != nil {
			return value, errors.Join(err, addErr)
		}
		switch {
		case !grown && err == nil:
			return value, nil
		case !grown:
			return value, d.explain(err, names[0])
		}
		codec, buildErr := d.classes.build()
		if buildErr != nil {
			return value, errors.Join(err, buildErr)
		}
		d.codec = codec
	}
}

// beansOf returns the classes of the beans within a value, each once.
func beansOf(v any) []string {
	seen := map[string]bool{}
	var names []string
	stack := []any{v}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch v := v.(type) {
		case *java.Map:
			for _, e := range v.Entries {
				stack = append(stack, e.Value)
			}
		case *java.List:
			stack = append(stack, v.Elements...)
		case *java.Object:
			if v.Class != "" && !seen[v.Class] {
				seen[v.Class] = true
				names = append(names, v.Class)
			}
			for _, f := range v.Fields {
				stack = append(stack, f.Value)
			}
		}
	}
	return names
}

// explain adds to an error about a class that it is not in the jar, and what there
// is instead.
func (d *decoder) explain(err error, name string) error {
	var e *codecs.DecodeError
	if classfile.OfJDK(name) || d.classes.source.Has(name) || !errors.As(err, &e) {
		return err
	}
	_, notFound := d.classes.source.File(name)
	explained := *e
	explained.Err = errors.Join(e.Err, notFound)
	return &explained
}

// advise says how a class that no codec can know becomes known, "" where that is
// not what is wrong.
func (d *decoder) advise(err error) string {
	names := blamed(err)
	if d.classes.source != nil || len(names) == 0 || classfile.OfJDK(names[0]) {
		return ""
	}
	name := catalog.Canonical(d.classes.name)
	if !strings.Contains(name, "kryo5") && !strings.Contains(name, "fst") {
		return ""
	}
	return fmt.Sprintf("With -classes FILE.jar, a jar that has %s, it can be read.", names[0])
}
