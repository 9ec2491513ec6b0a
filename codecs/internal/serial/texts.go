package serial

import (
	"errors"
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

func textShapes() map[string]*shape {
	return map[string]*shape{
		"java.lang.StringBuilder": {end: endBuilder, write: writer(writeBuilder)},
		"java.lang.StringBuffer":  {end: endBuffer, write: writer(writeBuffer)},
	}
}

// fieldShapes are those of the values that consist of the fields of their class.
func fieldShapes() map[string]*shape {
	out := map[string]*shape{}
	for _, t := range jdk.All() {
		if t.Fields == nil {
			continue
		}
		out[t.Class] = &shape{
			end: func(in *Instance, _ any) (any, error) {
				v, wrong := t.FromFields(in.own().field)
				if wrong != "" {
					return nil, fmt.Errorf("field %s is missing or of another type", wrong)
				}
				return v, nil
			},
			write: func(in *Instance, value any) error {
				l, values := in.own(), t.Values(value)
				l.Fields = make([]any, len(l.Desc.Fields))
				for i, f := range l.Desc.Fields {
					at := slices.IndexFunc(t.Fields, func(own jdk.Field) bool { return own.Name == f.Name })
					l.Fields[i] = values[at]
				}
				return nil
			},
		}
	}
	return out
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
