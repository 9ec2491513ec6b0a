package databind

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
)

// Plain is what options say to the codec of plain JSON.
type Plain struct {
	Limits  codecs.Limits // with defaults filled in
	Replace bool          // text that is not UTF-8 is replaced, not refused
}

// PlainOptions returns what options say to the codec of plain JSON. Those that speak
// of Java classes or releases are mistakes there.
func PlainOptions(opts []Option) (Plain, error) {
	s := settings{codec: "json", limits: codecs.Limits{}.WithDefaults()}
	p := Plain{}
	var errs []error
	for i, o := range opts {
		switch o := o.(type) {
		case nil:
			errs = append(errs, fmt.Errorf("option %d is nil", i+1))
		case limitsOption:
			if err := o.apply(&s); err != nil {
				errs = append(errs, fmt.Errorf("option %s: %w", o, err))
			}
		case replaceOption:
			p.Replace = true
		default:
			errs = append(errs, fmt.Errorf("option %s: plain JSON has no classes and is the same for all releases", o))
		}
	}
	p.Limits = s.limits
	return p, errors.Join(errs...)
}

// ReplaceInvalidUTF8 says that the codec of plain JSON takes bytes that are not UTF-8,
// and halves of surrogate pairs, as U+FFFD, as Java's StringCodec does when it reads.
// All other codecs refuse the option.
func ReplaceInvalidUTF8() Option { return replaceOption{} }

type replaceOption struct{}

func (replaceOption) String() string { return "jackson.ReplaceInvalidUTF8()" }

func (replaceOption) apply(s *settings) error {
	return fmt.Errorf("it is for plain JSON, not for %s: Java refuses such text too", s.codec)
}
