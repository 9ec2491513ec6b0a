package databind

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

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
		wires := map[string]enumText{}
		for name, text := range texts {
			wires[name] = enumText{text: text}
		}
		s.rules.setEnum(class, wires)
		return nil
	}))
}

// enumText is what a constant is on the wire.
type enumText struct {
	text   string
	number bool // and not a text
}

func (r *Rules) setEnum(class string, texts map[string]enumText) {
	if r.enums = maps.Clone(r.enums); r.enums == nil {
		r.enums = map[string]map[string]enumText{}
	}
	r.enums[class] = texts
}

// withEnums returns the rules with what the declarations of enums say, and whether they say
// anything. Options overrule them.
func (r *Rules) withEnums(set *java.Classes) (Rules, bool) {
	out, more := *r, false
	for c := range set.All() {
		texts := map[string]enumText{}
		for _, k := range c.Constants {
			if text, err := strconv.Unquote(k.JSON); err == nil {
				texts[k.Name] = enumText{text: text}
			} else if k.JSON != "" {
				texts[k.Name] = enumText{k.JSON, true}
			}
		}
		if len(texts) > 0 && !out.hasTexts(c.Name) {
			out.setEnum(c.Name, texts)
			more = true
		}
	}
	return out, more
}

// enumText returns what a constant is on the wire.
func (r *Rules) enumText(e java.Enum) enumText {
	if text, ok := r.enums[e.Class][e.Name]; ok {
		return text
	}
	return enumText{text: e.Name}
}

// enumName is the reverse of enumText.
func (r *Rules) enumName(class, text string) string {
	for name, t := range r.enums[class] {
		if t.text == text {
			return name
		}
	}
	return text
}

// enumNumber returns the constant that is a number on the wire, and whether constants of the class
// are numbers.
func (r *Rules) enumNumber(class string, n int64) (name string, numbers bool) {
	text := strconv.FormatInt(n, 10)
	for constant, t := range r.enums[class] {
		numbers = numbers || t.number
		if t.number && t.text == text {
			name = constant
		}
	}
	return name, numbers
}

// hasTexts reports whether texts of an enum were given.
func (r *Rules) hasTexts(class string) bool { return r.enums[class] != nil }

// Plain is what options say to the codec of plain JSON.
type Plain struct {
	Limits  codecs.Limits // with defaults filled in
	Replace bool          // text that is not UTF-8 is replaced, not refused
	Mapper  Mapper        // how dates and Longs are written

	zone *time.Location
	date *pattern
}

// PlainOptions returns what options say to the codec of plain JSON. Those that speak
// of Java classes or releases are mistakes there.
func PlainOptions(opts []Option) (Plain, error) {
	s := settings{codec: "json", plain: true, limits: codecs.Limits{}.WithDefaults()}
	err := option.Configure(&s, opts)
	p := Plain{Limits: s.limits, Replace: s.replace, Mapper: s.rules.mapper, zone: s.rules.zone, date: s.rules.date}
	if p.zone == nil {
		p.zone = time.UTC
	}
	return p, err
}

// applyPlain sets what plain JSON knows of a mapper.
func (m Mapper) applyPlain(s *settings) (err error) {
	if (m != Mapper{Dates: m.Dates, DateFormat: m.DateFormat, TimeZone: m.TimeZone, LongAsText: m.LongAsText}) {
		return errors.New("of a Mapper, plain JSON knows Dates, DateFormat, TimeZone and LongAsText: the json tags of a Go type say the rest")
	}
	s.rules.mapper = m
	if s.rules.zone, err = mapperZone(m.TimeZone); err == nil {
		s.rules.date, _, err = m.patterns()
	}
	return err
}

// plainDates are the forms of dates that fastjson, Hutool, Gson and Jackson write as texts; a
// fraction of a second may follow each. RFC 3339 is the first.
var plainDates = [...]string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02", "Jan 2, 2006, 3:04:05 PM", "Jan 2, 2006 3:04:05 PM", "2006/01/02 15:04:05",
}

// ParseDate reads a date: by the pattern, in one of the forms of plainDates, or as milliseconds.
// One without a zone is in that of the mapper.
func (p *Plain) ParseDate(text string) (time.Time, bool) {
	if p.date != nil {
		if millis, ok := p.date.millis(text); ok {
			return time.UnixMilli(millis).In(p.zone), true
		}
	}
	text = strings.ReplaceAll(text, "\u202f", " ") // before AM and PM since Java 20
	for _, form := range plainDates {
		if at, err := time.ParseInLocation(form, text, p.zone); err == nil {
			return at, true
		}
	}
	millis, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMilli(millis).In(p.zone), err == nil
}

// DateForm returns a date in JSON as the mapper writes it; false for a year that a pattern does
// not write.
func (p *Plain) DateForm(at time.Time) (string, bool) {
	switch {
	case p.date != nil:
		text, ok := p.date.date(at.UnixMilli())
		return strconv.Quote(text), ok
	case p.Mapper.Dates == Timestamps:
		return strconv.FormatInt(at.UnixMilli(), 10), true
	}
	return at.In(p.zone).Format(`"2006-01-02T15:04:05.000-07:00"`), true
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
