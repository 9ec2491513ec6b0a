package databind

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// enumTexts are the texts of constants that are not their names, of the enums that
// have such. It is not changed once a codec is made.
type enumTexts struct {
	texts map[string]map[string]string // class to name to text
	names map[string]map[string]string // class to text to name
}

// EnumTexts says what the toString of constants of an enum gives where that is
// not their names: text by name. The codecs of Jackson 3 write and read the texts,
// as their keys of maps too; those of Jackson 2 have names and refuse the option.
// Constants that are not named have their names as texts. Two constants with
// one text are a mistake.
func EnumTexts(class string, texts map[string]string) Option {
	text := fmt.Sprintf("jackson.EnumTexts(%q, %d texts)", class, len(texts))
	return classed(option.New(text, func(s *settings) error { return s.enumTexts(class, texts) }))
}

func (s *settings) enumTexts(class string, given map[string]string) error {
	switch {
	case s.rules.Jackson != 3:
		return errors.New("the codecs of Jackson 2 carry enums by their names")
	case class == "":
		return errors.New("no class given")
	}
	next := &enumTexts{texts: map[string]map[string]string{}, names: map[string]map[string]string{}}
	if s.rules.enums != nil {
		for class, texts := range s.rules.enums.texts {
			next.texts[class], next.names[class] = texts, s.rules.enums.names[class]
		}
	}
	texts, names := map[string]string{}, map[string]string{}
	for name, text := range given {
		if other, twice := names[text]; twice {
			return fmt.Errorf("%s and %s have the same text %q", min(name, other), max(name, other), text)
		}
		texts[name], names[text] = text, name
	}
	next.texts[class], next.names[class] = texts, names
	s.rules.enums = next
	return nil
}

// enumText returns what a constant is on the wire.
func (r *Rules) enumText(e java.Enum) string {
	if r.enums != nil {
		if text, ok := r.enums.texts[e.Class][e.Name]; ok {
			return text
		}
	}
	return e.Name
}

// enumName is the reverse of enumText.
func (r *Rules) enumName(class, text string) string {
	if r.enums != nil {
		if name, ok := r.enums.names[class][text]; ok {
			return name
		}
	}
	return text
}

// hasTexts reports whether texts of an enum were given.
func (r *Rules) hasTexts(class string) bool { return r.enums != nil && r.enums.texts[class] != nil }

// months are the names of java.time.Month, which Jackson 3 writes as numbers from 1.
var months = [...]string{
	"JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER",
}

const classMonth = "java.time.Month"
