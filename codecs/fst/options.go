package fst

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a [Codec] works.
type Option interface{ option.Option[settings] }

// settings are what options chose.
type settings struct {
	limits     codecs.Limits
	described  *java.Classes
	gen        generation
	unshared   bool
	registered []string
	hooks      map[string]bool
	external   map[string]func(in *Input) any
	object     map[string]func(in *Input) []any
}

// Limits bounds what Decode accepts. Zero fields mean the defaults of
// [codecs.Limits]. A Depth that is negative or above 10,000 is a mistake.
func Limits(l codecs.Limits) Option {
	return option.Limits("fst.Limits", l, func(s *settings, l codecs.Limits) { s.limits = l.WithDefaults() })
}

// Classes gives the descriptors of beans and enums, from .class files or from Go
// types (see [gotypes.ClassesOf]). FST writes neither field names nor types: a bean
// is readable only with a descriptor of its class and all superclasses, with
// every field that is neither static nor transient. Those of this option are
// tried before those of the Go type that a queue is bound to. A name may have
// several variants: see [Codec.Decode]. The sets of several such options add up;
// nil is an empty set.
func Classes(sets ...*java.Classes) Option {
	return option.Classes("fst.Classes", sets, func(s *settings) **java.Classes { return &s.described })
}

// Version names the release of fast-serialization that wrote the payloads, for
// example "2.57" or "3.0.3", because releases number their classes differently:
// 2.31 to 2.44, 2.45 to 2.57 and 3.0.x are known. Defaults to [DefaultVersion],
// which fits all Redisson releases whose default was FST. The bytes do not tell.
func Version(release string) Option {
	return option.New(fmt.Sprintf("fst.Version(%q)", release), func(s *settings) (err error) {
		s.gen, err = parseVersion(release)
		return err
	})
}

// Registered names the classes that the Java side registers with its
// FSTConfiguration (registerClass), in the same order: they are written as
// numbers. Each takes two, one for its array class. Used twice, the lists add up.
func Registered(classes ...string) Option {
	return option.New("fst.Registered("+strings.Join(classes, ", ")+")", func(s *settings) error {
		for i, name := range classes {
			if name == "" || strings.ContainsAny(name, " \t/") {
				return fmt.Errorf("name %d, %q, is no binary class name", i+1, name)
			}
		}
		s.registered = append(s.registered, classes...)
		return nil
	})
}

// Hooks names classes that use the hooks of Java serialization (a private
// writeObject or readObject, writeReplace, readResolve) and yet write no more
// than their fields: FST then writes them in another form, which no descriptor
// shows. Subclasses of such a class, and of classes of the JDK with hooks, need
// not be named. Used twice, the lists add up.
func Hooks(classes ...string) Option {
	return option.Set("fst.Hooks("+strings.Join(classes, ", ")+")", func(s *settings) {
		for _, name := range classes {
			s.hooks[name] = true
		}
	})
}

// SharedReferences tells whether the writer notes that an object was written
// before (FSTConfiguration.setShareReferences). Defaults to true, as Redisson
// has it. With false a note of that kind is an error.
func SharedReferences(on bool) Option {
	return option.Set(fmt.Sprintf("fst.SharedReferences(%t)", on), func(s *settings) { s.unshared = !on })
}

// twin returns an option that keeps the Go twin of one of a class's methods.
func twin[F any](name, class string, given bool, read F, of func(s *settings) map[string]F) Option {
	return option.New(fmt.Sprintf("fst.%s(%q)", name, class), func(s *settings) error {
		if class == "" || !given {
			return errors.New("it needs a class and a function")
		}
		of(s)[class] = read
		return nil
	})
}
