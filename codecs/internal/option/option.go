// Package option is what all codecs make their options of: what an option is, how a
// codec takes a list of them, and the options that most codecs have.
package option

import (
	"errors"
	"fmt"
)

// Option changes S, the settings of one codec.
type Option[S any] interface {
	// Apply changes s, or says what is wrong with the option.
	Apply(s *S) error
	// String returns the option as a program writes it: kryo5.Since("4.7.0").
	String() string
}

type option[S any] struct {
	text  string
	apply func(s *S) error
}

func (o option[S]) Apply(s *S) error { return o.apply(s) }
func (o option[S]) String() string   { return o.text }

// New returns the option that a program writes as text.
func New[S any](text string, apply func(s *S) error) Option[S] { return option[S]{text, apply} }

// Set returns an option that has no mistakes.
func Set[S any](text string, set func(s *S)) Option[S] {
	return New(text, func(s *S) error { set(s); return nil })
}

// Wrong is the reason in the errors of a codec whose options have mistakes.
const Wrong = "the codec was made with mistakes"

// Configure applies options in order and returns all their mistakes, each with the
// option's text.
func Configure[S any, O Option[S]](s *S, opts []O) error {
	var errs []error
	for i, o := range opts {
		if any(o) == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i+1))
		} else if err := o.Apply(s); err != nil {
			errs = append(errs, fmt.Errorf("option %s: %w", o, err))
		}
	}
	return errors.Join(errs...)
}

// Limits returns the option name(l): set takes the limits, Check says whether they are
// right.
func Limits[S any, L interface{ Check() error }](name string, l L, set func(s *S, l L)) Option[S] {
	return New(fmt.Sprintf("%s(%+v)", name, l), func(s *S) error {
		set(s, l)
		return l.Check()
	})
}

// classes is *java.Classes, which this package does not know so that package codecs
// can import it.
type classes[C any] interface {
	Len() int
	Join(others ...C) (C, error)
}

// Classes returns the option name(sets...). The sets of all such options add up
// in the field of the settings: of two descriptions of one class the earlier comes
// first.
func Classes[S any, C classes[C]](name string, sets []C, field func(s *S) *C) Option[S] {
	n := 0
	for _, set := range sets {
		n += set.Len()
	}
	return New(fmt.Sprintf("%s(%d classes)", name, n), func(s *S) error {
		at := field(s)
		joined, err := (*at).Join(sets...)
		if err == nil {
			*at = joined
		}
		return err
	})
}

// Since returns the option name(release): set takes the release.
func Since[S any](name, release string, set func(s *S, r Release) error) Option[S] {
	return New(fmt.Sprintf("%s(%q)", name, release), func(s *S) error {
		r, err := ParseRelease(release)
		if err != nil {
			return err
		}
		return set(s, r)
	})
}
