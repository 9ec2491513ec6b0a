package marshalling

import (
	"errors"
	"fmt"

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

func (o option) apply(c *Codec) error { return o.set(c) }
func (o option) String() string       { return "marshalling." + o.text }

// Limits bounds what Decode accepts and how deeply Encode nests. Zero fields
// mean the defaults of [codecs.Limits]. A Depth that is negative or above 10,000
// is a mistake, which Bind, Decode and Encode report.
func Limits(l codecs.Limits) Option {
	text := fmt.Sprintf("Limits(%+v)", l)
	return option{text, func(c *Codec) error {
		c.limits = l.WithDefaults()
		if err := l.Check(); err != nil {
			return fmt.Errorf("option %s: %w", text, err)
		}
		return nil
	}}
}

// Classes describes Java classes that no Go type stands for, so that Encode can
// write [java.Object] values of them that another codec decoded or a program
// made. Decode needs none: River says of each class what it is. Several sets
// are joined; nil is an empty one.
func Classes(set *java.Classes) Option {
	return option{"Classes(…)", func(c *Codec) error {
		joined, err := c.known.Join(set)
		if err == nil {
			c.known = joined
		}
		return err
	}}
}

// RefuseUnknownFields makes decoding into a struct with a Java class an error
// where the class in the payload has a field that the struct does not have. By
// default such fields are passed over, as in Java.
func RefuseUnknownFields() Option {
	return option{"RefuseUnknownFields()", func(c *Codec) error {
		c.refuseUnknown = true
		return nil
	}}
}

// RefuseMissingFields makes decoding into a struct with a Java class an error
// where the struct has a field that the class in the payload does not have. By
// default such fields stay zero, as in Java.
func RefuseMissingFields() Option {
	return option{"RefuseMissingFields()", func(c *Codec) error {
		c.refuseMissing = true
		return nil
	}}
}

// Strings says which strings Encode writes as one Java object, that is, in full
// once and then as references. Java reads all three; they matter where Java
// compares encoded bytes (remove, contains).
type Strings int

// The ways to share strings. In each of them names of classes and fields are
// shared, as Java interns them, and empty strings are never references.
const (
	// Identical shares strings that are one in memory: the same constant, the same
	// variable, or one string of a decoded payload. It is the default, and what
	// Java does: there, too, equal strings of different origin are two objects.
	Identical Strings = iota
	// Distinct writes every string in full: what Java does for a payload whose
	// strings all came from a database or a parser.
	Distinct
	// Equal shares all equal strings, as if each were interned, with names of
	// classes and fields also.
	Equal
)

// ShareStrings sets which strings Encode writes as one object. Defaults to
// [Identical].
func ShareStrings(s Strings) Option {
	text := fmt.Sprintf("ShareStrings(%d)", s)
	return option{text, func(c *Codec) error {
		if s < Identical || s > Equal {
			return fmt.Errorf("option %s: it must be Identical, Distinct or Equal", text)
		}
		c.strings = s
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
