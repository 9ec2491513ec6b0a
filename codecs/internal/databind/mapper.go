package databind

import (
	"errors"
	"fmt"
	"strings"
)

// Typing is what an ObjectMapper's activateDefaultTyping was given: which declared types name
// the class of their values.
type Typing int

// The typings.
const (
	NoTyping Typing = iota
	NonFinal
)

// As is where a class is named.
type As int

// The asWords of a class.
const (
	WrapperArray As = iota
	Property
)

// Mapper is an option: how the ObjectMapper of a Java service is configured.
type Mapper struct {
	Typing   Typing
	As       As
	Property string // the name of the property with As Property; empty is "@class"
}

// Words of Java, which the text of a mapper has.
var (
	typings = []string{NoTyping: "NONE", NonFinal: "NON_FINAL"}
	asWords = []string{WrapperArray: "WRAPPER_ARRAY", Property: "PROPERTY"}
)

// ParseMapper returns the mapper of a text: see Text.
func ParseMapper(text string) (Mapper, error) {
	var m Mapper
	for setting := range strings.SplitSeq(text, "+") {
		key, value, _ := strings.Cut(strings.TrimSpace(setting), "=")
		var err error
		switch strings.ToLower(key) {
		case "typing":
			m.Typing, err = word[Typing](typings, key, value)
		case "as":
			m.As, err = word[As](asWords, key, value)
		case "property":
			m.As, m.Property = Property, value
		default:
			err = fmt.Errorf("%q is no setting of an ObjectMapper: typing, as and property are", setting)
		}
		if err != nil {
			return Mapper{}, err
		}
	}
	return m, m.check()
}

func word[T ~int](words []string, key, value string) (T, error) {
	for i, w := range words {
		if strings.EqualFold(w, value) {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("%s=%s: %s is carried", key, value, strings.Join(words, " or "))
}

// Text returns the settings that differ from the zero value, as ParseMapper reads them:
// "typing=NON_FINAL+as=PROPERTY+property=@type".
func (m Mapper) Text() string {
	var out []string
	if m.Typing > 0 && int(m.Typing) < len(typings) {
		out = append(out, "typing="+typings[m.Typing])
	}
	if m.As == Property {
		out = append(out, "as="+asWords[m.As])
	}
	if m.Property != "" {
		out = append(out, "property="+m.Property)
	}
	return strings.Join(out, "+")
}

// String returns the option as a program writes it.
func (m Mapper) String() string { return "jackson.Mapper{" + m.Text() + "}" }

func (m Mapper) check() error {
	switch {
	case m.Typing < 0 || int(m.Typing) >= len(typings):
		return fmt.Errorf("there is no Typing %d", m.Typing)
	case m.As < 0 || int(m.As) >= len(asWords):
		return fmt.Errorf("there is no As %d", m.As)
	case m.Typing == NoTyping && (m.As != 0 || m.Property != ""):
		return errors.New("As and Property say how Typing names classes, and there is no Typing")
	case m.As != Property && m.Property != "":
		return errors.New("a name of the property is for As: Property")
	}
	return nil
}

// Apply implements [Option].
func (m Mapper) Apply(s *settings) error {
	if err := m.check(); err != nil {
		return err
	}
	switch {
	case s.plain:
		return errPlain
	case m.Typing == NoTyping:
		return nil
	case s.codec == "jsonjackson":
		return fmt.Errorf("codec %s replaces the default typing of the mapper by its own: only TypedJsonJackson keeps that of the mapper", s.codec)
	case s.codec != "typedjsonjackson":
		return fmt.Errorf("default typing is carried by TypedJsonJackson alone, not by %s", s.codec)
	}
	s.rules.Types, s.rules.mapper = true, m
	return nil
}

// own reports whether the service's mapper names classes, and not Redisson's.
func (r *Rules) own() bool { return r.mapper.Typing != NoTyping }

// ClassKey returns the name of the property that names the class of an object; "" where a
// wrapper array does.
func (r *Rules) ClassKey() string {
	switch {
	case r.own() && r.mapper.As == WrapperArray:
		return ""
	case r.mapper.Property != "":
		return r.mapper.Property
	}
	return classKey
}
