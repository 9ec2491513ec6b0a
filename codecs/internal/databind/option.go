package databind

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a codec of Jackson's family works. Options are checked
// together when a codec is made; Bind, Decode and Encode report their mistakes. Package
// jackson says for users what each does.
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

// Limits sets the limits of decoding.
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

// Dialect is an option that says the same as [Since] with the release of its row.
type Dialect int

// The dialects. The first is the default of the codecs of Jackson 2, the last the only one
// of those of Jackson 3.
const (
	Redisson3_12 Dialect = iota
	Redisson3_8
	Redisson4_2
	Jackson3
)

var dialects = [...]struct {
	name, text string
	release    option.Release
}{
	Redisson3_12: {"jackson.Redisson3_12", "jackson2", option.Release{4, 1, 0}},
	Redisson3_8:  {"jackson.Redisson3_8", "jackson2.9", option.Release{3, 11, 5}},
	Redisson4_2:  {"jackson.Redisson4_2", "jackson2-uuid", option.Newest},
	Jackson3:     {"jackson.Jackson3", "jackson3", option.Newest},
}

// ParseDialect returns the dialect of a name in configurations.
func ParseDialect(name string) (Dialect, error) {
	for d, row := range dialects {
		if strings.EqualFold(name, row.text) {
			return Dialect(d), nil
		}
	}
	return 0, fmt.Errorf("%q is no dialect: jackson2 (Redisson 3.11.6 to 4.1), jackson2-uuid (4.2 and later), "+
		"jackson2.9 (up to 3.11.5) and jackson3 are", name)
}

func (d Dialect) known() bool { return d >= 0 && int(d) < len(dialects) }

// String returns the constant's name.
func (d Dialect) String() string {
	if !d.known() {
		return fmt.Sprintf("jackson.Dialect(%d)", int(d))
	}
	return dialects[d].name
}

// Apply implements [Option].
func (d Dialect) Apply(s *settings) error {
	switch {
	case !d.known():
		return errors.New("there is no such dialect")
	case s.plain:
		return errPlain
	case (d == Jackson3) != (s.rules.Jackson == 3):
		return fmt.Errorf("codec %s is one of Jackson %d: another codec, not a dialect, is what its Java side uses", s.codec, s.rules.Jackson)
	}
	return s.since(dialects[d].release)
}

// JavaTime says that the Java side gave its codec a mapper with JavaTimeModule.
func JavaTime() Option { return times("jackson.JavaTime()", timesNumbers) }

// DatesAsText says the same of a mapper without WRITE_DATES_AS_TIMESTAMPS.
func DatesAsText() Option { return times("jackson.DatesAsText()", timesText) }

func times(text string, form timesForm) Option {
	return classed(option.New(text, func(s *settings) error {
		switch {
		case s.rules.Jackson != 2:
			return errors.New("codecs of Jackson 3 carry java.time as text without an option")
		case s.rules.times != timesNone && s.rules.times != form:
			return errors.New("JavaTime and DatesAsText exclude each other")
		}
		s.rules.times = form
		return nil
	}))
}

// EnumTexts says what the constants of an enum are on the wire where that is not their names.
func EnumTexts(class string, texts map[string]string) Option {
	text := fmt.Sprintf("jackson.EnumTexts(%q, %d texts)", class, len(texts))
	return classed(option.New(text, func(s *settings) error {
		if class == "" {
			return errors.New("no class given")
		}
		names := map[string]string{}
		for name, text := range texts {
			if other, twice := names[text]; twice {
				return fmt.Errorf("%s and %s have the same text %q", min(name, other), max(name, other), text)
			}
			names[text] = name
		}
		all := maps.Clone(s.rules.enums)
		if all == nil {
			all = map[string]map[string]string{}
		}
		all[class] = map[string]string{}
		maps.Copy(all[class], texts)
		s.rules.enums = all
		return nil
	}))
}

// enumText returns what a constant is on the wire.
func (r *Rules) enumText(e java.Enum) string {
	if text, ok := r.enums[e.Class][e.Name]; ok {
		return text
	}
	return e.Name
}

// enumName is the reverse of enumText.
func (r *Rules) enumName(class, text string) string {
	for name, t := range r.enums[class] {
		if t == text {
			return name
		}
	}
	return text
}

// hasTexts reports whether texts of an enum were given.
func (r *Rules) hasTexts(class string) bool { return r.enums[class] != nil }

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

// ReplaceInvalidUTF8 says that the codec of plain JSON replaces what is not UTF-8.
func ReplaceInvalidUTF8() Option {
	return option.New("jackson.ReplaceInvalidUTF8()", func(s *settings) error {
		if !s.plain {
			return fmt.Errorf("it is for plain JSON, not for %s: Java refuses such text too", s.codec)
		}
		s.replace = true
		return nil
	})
}
