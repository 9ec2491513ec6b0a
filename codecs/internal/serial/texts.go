package serial

import (
	"errors"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

func textShapes() map[string]*shape {
	out := map[string]*shape{
		"java.util.Locale":        {end: endLocale, write: writer(writeLocale)},
		"java.util.regex.Pattern": {end: endPattern, write: writer(writePattern)},
		"java.lang.StringBuilder": {end: endBuilder, write: writer(writeBuilder)},
		"java.lang.StringBuffer":  {end: endBuffer, write: writer(writeBuffer)},
	}
	for _, t := range jdk.All() {
		if t.Field != "" {
			out[t.Class] = textField(t.Field)
		}
	}
	return out
}

// textField is a class whose one field is a text.
func textField(name string) *shape {
	return &shape{
		end: func(in *Instance, _ any) (any, error) {
			s, err := in.own().text(name)
			return java.Text{Class: in.Desc.Class, Value: s}, err
		},
		write: writer(func(in *Instance, t java.Text) error {
			in.own().Fields = []any{t.Value}
			return nil
		}),
	}
}

func endLocale(in *Instance, _ any) (any, error) {
	var l java.Locale
	for _, part := range []struct {
		name string
		dst  *string
	}{
		{"language", &l.Language},
		{"country", &l.Country},
		{"variant", &l.Variant},
		{"script", &l.Script},
		{"extensions", &l.Extensions},
	} {
		v := in.own().field(part.name)
		s, ok := v.(string)
		if !ok && v != nil {
			return nil, errors.New("field " + part.name + " is no String")
		}
		*part.dst = s
	}
	return l, nil
}

func writeLocale(in *Instance, l java.Locale) error {
	in.own().Fields = []any{int32(-1), l.Country, l.Extensions, l.Language, l.Script, l.Variant}
	return nil
}

func endPattern(in *Instance, _ any) (any, error) {
	flags, err := in.own().int32("flags")
	if err != nil {
		return nil, err
	}
	regex, err := in.own().text("pattern")
	return java.Pattern{Regex: regex, Flags: flags}, err
}

func writePattern(in *Instance, p java.Pattern) error {
	in.own().Fields = []any{p.Flags, p.Regex}
	return nil
}

// endBuilder reads a StringBuilder: its length, and an array with room to spare.
func endBuilder(in *Instance, _ any) (any, error) {
	block, rest, err := in.own().items(4)
	if err != nil {
		return nil, err
	}
	if len(rest) != 1 {
		return nil, errSize
	}
	return in.characters(rest[0], at(block, 0))
}

func endBuffer(in *Instance, _ any) (any, error) {
	n, err := in.own().int32("count")
	if err != nil {
		return nil, err
	}
	return in.characters(in.own().field("value"), n)
}

func (in *Instance) characters(v any, n int32) (any, error) {
	chars, ok := v.([]java.Char)
	if !ok || n < 0 || int(n) > len(chars) {
		return nil, errors.New("its characters are missing")
	}
	if err := in.charge(int(n)); err != nil {
		return nil, err
	}
	b := make([]byte, 0, n)
	for _, c := range chars[:n] {
		b = appendUnit(b, rune(c))
	}
	s, err := String(b)
	return java.Text{Class: in.Desc.Class, Value: s}, err
}

// units returns the UTF-16 code units of s with 16 to spare, as a builder made
// from a String has.
func units(s string) ([]java.Char, int32) {
	b := AppendText(nil, s)
	chars := make([]java.Char, 0, len(b)+16)
	for len(b) > 0 {
		r, n := unit(b)
		chars = append(chars, java.Char(r))
		b = b[n:]
	}
	n := len(chars)
	return append(chars, make([]java.Char, 16)...), int32(n)
}

func writeBuilder(in *Instance, t java.Text) error {
	chars, n := units(t.Value)
	in.own().Items = []any{number(n), chars}
	return nil
}

func writeBuffer(in *Instance, t java.Text) error {
	chars, n := units(t.Value)
	in.own().Fields = []any{n, false, chars}
	return nil
}
