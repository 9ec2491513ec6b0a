package databind

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a codec of Jackson's family works. Options are checked
// together when a codec is made; Bind, Decode and Encode report their mistakes.
type Option interface{ option.Option[settings] }

// settings are what options set.
type settings struct {
	codec   string // its name
	limits  codecs.Limits
	rules   Rules
	classes *java.Classes
	plain   bool // the codec is that of plain JSON
	replace bool // for that one: text that is not UTF-8 is replaced, not refused
}

// errPlain is the mistake of an option that the codec of plain JSON does not have.
var errPlain = errors.New("plain JSON has no classes and is the same for all releases")

// classed returns an option that all codecs but that of plain JSON have.
func classed(o Option) Option {
	return option.New(o.String(), func(s *settings) error {
		if s.plain {
			return errPlain
		}
		return o.Apply(s)
	})
}

// Limits sets the limits of decoding; zero fields keep their defaults. Encoding
// keeps Bytes and Depth. A Depth that is negative or above 10,000 is a mistake.
//
// Elements counts the elements of lists and the members of objects, Depth lists,
// maps and beans within each other: the wrapper arrays that name classes are neither.
func Limits(l codecs.Limits) Option {
	return option.Limits("jackson.Limits", l, func(s *settings, l codecs.Limits) { s.limits = s.rules.limits(l) })
}

// Since names the release of Redisson that the Java services of the queue run.
func Since(release string) Option {
	return classed(option.Since("jackson.Since", release, (*settings).since))
}

func (s *settings) since(r option.Release) error {
	if r.Before(s.rules.First) {
		return fmt.Errorf("release %s of Redisson has no codec %s, which came with %s", r, s.codec, s.rules.First)
	}
	s.rules.Release = r
	return nil
}

// Classes describes classes of the user for Decode and Encode without a Go type.
func Classes(sets ...*java.Classes) Option {
	return classed(option.Classes("jackson.Classes", sets, func(s *settings) **java.Classes { return &s.classes }))
}
