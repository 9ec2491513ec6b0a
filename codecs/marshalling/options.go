package marshalling

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a [Codec] works.
type Option interface{ option.Option[settings] }

// settings are what options set.
type settings struct {
	serial.Settings
	strings Strings
}

// Limits bounds what Decode accepts and how deeply Encode nests. Zero fields
// mean the defaults of [codecs.Limits]. A Depth that is negative or above 10,000
// is a mistake.
func Limits(l codecs.Limits) Option {
	return option.Limits("marshalling.Limits", l, func(s *settings, l codecs.Limits) { s.Limits = l.WithDefaults() })
}

// Classes describes Java classes that no Go type stands for, so that Encode can
// write [java.Object] values of them that another codec decoded or a program
// made. Decode needs none: River says of each class what it is. The sets of several
// such options add up. Of several descriptions of one class the first one writes;
// nil is an empty set.
func Classes(sets ...*java.Classes) Option {
	return option.Classes("marshalling.Classes", sets, func(s *settings) **java.Classes { return &s.Classes })
}

// RefuseUnknownFields makes decoding into a struct with a Java class an error
// where the class in the payload has a field that the struct does not have. By
// default such fields are passed over, as in Java.
func RefuseUnknownFields() Option {
	return option.Set("marshalling.RefuseUnknownFields()", func(s *settings) { s.RefuseUnknown = true })
}

// RefuseMissingFields makes decoding into a struct with a Java class an error
// where the struct has a field that the class in the payload does not have. By
// default such fields stay zero, as in Java.
func RefuseMissingFields() Option {
	return option.Set("marshalling.RefuseMissingFields()", func(s *settings) { s.RefuseMissing = true })
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
func ShareStrings(way Strings) Option {
	return option.New(fmt.Sprintf("marshalling.ShareStrings(%d)", way), func(s *settings) error {
		if way < Identical || way > Equal {
			return errors.New("it must be Identical, Distinct or Equal")
		}
		s.strings = way
		return nil
	})
}
