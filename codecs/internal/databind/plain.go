package databind

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// Plain is what options say to the codec of plain JSON.
type Plain struct {
	Limits  codecs.Limits // with defaults filled in
	Replace bool          // text that is not UTF-8 is replaced, not refused
}

// PlainOptions returns what options say to the codec of plain JSON. Those that speak
// of Java classes or releases are mistakes there.
func PlainOptions(opts []Option) (Plain, error) {
	s := settings{codec: "json", plain: true, limits: codecs.Limits{}.WithDefaults()}
	err := option.Configure(&s, opts)
	return Plain{Limits: s.limits, Replace: s.replace}, err
}

// ReplaceInvalidUTF8 says that the codec of plain JSON takes bytes that are not UTF-8,
// and halves of surrogate pairs, as U+FFFD, as Java's StringCodec does when it reads.
// All other codecs refuse the option.
func ReplaceInvalidUTF8() Option {
	return option.New("jackson.ReplaceInvalidUTF8()", func(s *settings) error {
		if !s.plain {
			return fmt.Errorf("it is for plain JSON, not for %s: Java refuses such text too", s.codec)
		}
		s.replace = true
		return nil
	})
}
