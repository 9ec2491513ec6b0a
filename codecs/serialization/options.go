package serialization

import (
	"errors"
	"strings"

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
	noFields map[string]bool
}

// Limits bounds what Decode accepts and how deeply Encode nests. Zero fields
// mean the defaults of [codecs.Limits]. A Depth that is negative or above 10,000
// is a mistake.
func Limits(l codecs.Limits) Option {
	return option.Limits("serialization.Limits", l, func(s *settings, l codecs.Limits) { s.Limits = l.WithDefaults() })
}

// Classes describes Java classes for writing: what Encode needs to know of the
// objects and enums of other codecs, and Bind of superclasses that no Go type
// stands for. Reading needs none. The sets of several such options add up. Of
// several descriptions of one class the first one writes; nil is an empty set.
func Classes(sets ...*java.Classes) Option {
	return option.Classes("serialization.Classes", sets, func(s *settings) **java.Classes { return &s.Classes })
}

// RefuseUnknownFields makes decoding into a struct with a Java class an error
// where the class in the payload has a field that the struct does not have. By
// default such fields are passed over, as in Java.
func RefuseUnknownFields() Option {
	return option.Set("serialization.RefuseUnknownFields()", func(s *settings) { s.RefuseUnknown = true })
}

// RefuseMissingFields makes decoding into a struct with a Java class an error
// where the struct has a field that the class in the payload does not have. By
// default such fields stay zero, as in Java.
func RefuseMissingFields() Option {
	return option.Set("serialization.RefuseMissingFields()", func(s *settings) { s.RefuseMissing = true })
}

// NoFields names classes whose writeObject method calls neither
// defaultWriteObject nor writeFields: their fields are declared in the stream,
// but not in it, which only the source of the class can tell. Without this
// option such a payload is an error, or reads as nonsense. No class of the JDK
// needs it.
func NoFields(classes ...string) Option {
	return option.New("serialization.NoFields("+strings.Join(classes, ", ")+")", func(s *settings) error {
		if s.noFields == nil {
			s.noFields = map[string]bool{}
		}
		for _, class := range classes {
			if class == "" {
				return errors.New("a class name is empty")
			}
			s.noFields[class] = true
		}
		return nil
	})
}
