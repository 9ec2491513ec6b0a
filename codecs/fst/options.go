package fst

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a [Codec] works.
type Option interface {
	apply(c *Codec) error
	String() string
}

type option struct {
	text string
	set  func(c *Codec) error
}

func (o option) String() string       { return o.text }
func (o option) apply(c *Codec) error { return o.set(c) }

// Limits bounds what Decode accepts. Zero fields mean the defaults of
// [codecs.Limits]. A Depth that is negative or above 10,000 is a mistake.
func Limits(l codecs.Limits) Option {
	text := fmt.Sprintf("fst.Limits(%+v)", l)
	return option{text, func(c *Codec) error {
		c.limits = l.WithDefaults()
		if err := l.Check(); err != nil {
			return fmt.Errorf("option %s: %w", text, err)
		}
		return nil
	}}
}

// Classes gives the descriptors of beans and enums, from .class files or from Go
// types (see [java.ClassesOf]). FST writes neither field names nor types: a bean
// is readable only with a descriptor of its class and all superclasses, with
// every field that is neither static nor transient. Those of this option are
// tried before those of the Go type that a queue is bound to. A name may have
// several variants: see [Codec.Decode]. Used twice, the last one counts.
func Classes(set *java.Classes) Option {
	return option{fmt.Sprintf("fst.Classes(%d classes)", set.Len()), func(c *Codec) error {
		c.described = set
		return nil
	}}
}

// Version names the release of fast-serialization that wrote the payloads, for
// example "2.57" or "3.0.3", because releases number their classes differently:
// 2.31 to 2.44, 2.45 to 2.57 and 3.0.x are known. Defaults to [DefaultVersion],
// which fits all Redisson releases whose default was FST. The bytes do not tell.
func Version(release string) Option {
	return option{fmt.Sprintf("fst.Version(%q)", release), func(c *Codec) error {
		g, err := parseVersion(release)
		c.settings.gen = g
		return err
	}}
}

// Registered names the classes that the Java side registers with its
// FSTConfiguration (registerClass), in the same order: they are written as
// numbers. Each takes two, one for its array class. Used twice, the lists add up.
func Registered(classes ...string) Option {
	text := "fst.Registered(" + strings.Join(classes, ", ") + ")"
	return option{text, func(c *Codec) error {
		for i, name := range classes {
			if name == "" || strings.ContainsAny(name, " \t/") {
				return fmt.Errorf("option %s: name %d, %q, is no binary class name", text, i+1, name)
			}
		}
		c.settings.registered = append(c.settings.registered, classes...)
		return nil
	}}
}

// Hooks names classes that use the hooks of Java serialization (a private
// writeObject or readObject, writeReplace, readResolve) and yet write no more
// than their fields: FST then writes them in another form, which no descriptor
// shows. Subclasses of such a class, and of classes of the JDK with hooks, need
// not be named. Used twice, the lists add up.
func Hooks(classes ...string) Option {
	return option{"fst.Hooks(" + strings.Join(classes, ", ") + ")", func(c *Codec) error {
		for _, name := range classes {
			c.settings.hooks[name] = true
		}
		return nil
	}}
}

// SharedReferences tells whether the writer notes that an object was written
// before (FSTConfiguration.setShareReferences). Defaults to true, as Redisson
// has it. With false a note of that kind is an error.
func SharedReferences(on bool) Option {
	return option{fmt.Sprintf("fst.SharedReferences(%t)", on), func(c *Codec) error {
		c.settings.unshared = !on
		return nil
	}}
}

// configure applies options in order and returns all their mistakes.
func (c *Codec) configure(opts []Option) error {
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i+1))
			continue
		}
		if err := o.apply(c); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
