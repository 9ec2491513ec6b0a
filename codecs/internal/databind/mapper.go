package databind

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// Typing is what an ObjectMapper's activateDefaultTyping was given: which declared types name
// the class of their values.
type Typing int

// The typings.
const (
	NoTyping Typing = iota
	NonFinal
	JavaLangObject
	ObjectAndNonConcrete
	NonConcreteAndArrays
	Everything
)

// As is where a class is named.
type As int

// The asWords of a class.
const (
	WrapperArray As = iota
	Property
	WrapperObject
)

// Dates is what a mapper was told of java.time and WRITE_DATES_AS_TIMESTAMPS.
type Dates int

// The ways in which a mapper writes dates.
const (
	NoDates Dates = iota
	Timestamps
	DateTexts
)

// Mapper is an option: how the ObjectMapper of a Java service is configured.
type Mapper struct {
	Typing   Typing
	As       As
	Property string // the name of the property with As Property; empty is "@class"

	Dates Dates
	// DateFormat is the pattern of setDateFormat(new SimpleDateFormat(…)). TimeZone is that of
	// setTimeZone or of the format, which without either is that of the Java machine. It is also
	// that of fields with a pattern and no zone, and of other dates that are texts.
	DateFormat, TimeZone string
	// LocalDateTime, LocalDate and LocalTime are patterns of DateTimeFormatter that the
	// serializers of these classes were made with.
	LocalDateTime, LocalDate, LocalTime string

	// LongAsText says that a module has ToStringSerializer for Long and long.
	LongAsText bool
	Naming     Naming
	Enums      Enums
	Optionals  bool    // the mapper has Jdk8Module
	Singles    Singles // whether one value stands for a list of one
}

// mapperSettings are the settings in the order of their text. Words are Java's, the first of
// them is the default.
var mapperSettings = [...]struct {
	key   string
	words []string
	word  func(m *Mapper) *int
	flag  func(m *Mapper) *bool
	text  func(m *Mapper) *string
	class string // that a pattern is for
}{
	{key: "typing", words: []string{
		NoTyping: "NONE", NonFinal: "NON_FINAL", JavaLangObject: "JAVA_LANG_OBJECT", ObjectAndNonConcrete: "OBJECT_AND_NON_CONCRETE",
		NonConcreteAndArrays: "NON_CONCRETE_AND_ARRAYS", Everything: "EVERYTHING",
	}, word: func(m *Mapper) *int { return (*int)(&m.Typing) }},
	{key: "as", words: []string{WrapperArray: "WRAPPER_ARRAY", Property: "PROPERTY", WrapperObject: "WRAPPER_OBJECT"}, word: func(m *Mapper) *int { return (*int)(&m.As) }},
	{key: "property", text: func(m *Mapper) *string { return &m.Property }},
	{key: "dates", words: []string{NoDates: "NONE", Timestamps: "TIMESTAMPS", DateTexts: "TEXT"}, word: func(m *Mapper) *int { return (*int)(&m.Dates) }},
	{key: "dateformat", text: func(m *Mapper) *string { return &m.DateFormat }},
	{key: "timezone", text: func(m *Mapper) *string { return &m.TimeZone }},
	{key: "localdatetime", text: func(m *Mapper) *string { return &m.LocalDateTime }, class: "java.time.LocalDateTime"},
	{key: "localdate", text: func(m *Mapper) *string { return &m.LocalDate }, class: "java.time.LocalDate"},
	{key: "localtime", text: func(m *Mapper) *string { return &m.LocalTime }, class: "java.time.LocalTime"},
	{key: "longastext", words: []string{"FALSE", "TRUE"}, flag: func(m *Mapper) *bool { return &m.LongAsText }},
	{key: "naming", words: namings, word: func(m *Mapper) *int { return (*int)(&m.Naming) }},
	{key: "enums", words: []string{EnumNames: "NAME", EnumOrdinals: "ORDINAL"}, word: func(m *Mapper) *int { return (*int)(&m.Enums) }},
	{key: "singles", words: []string{SinglesInArrays: "ARRAY", SinglesRead: "READ", SinglesBare: "BARE"}, word: func(m *Mapper) *int { return (*int)(&m.Singles) }},
	{key: "optionals", words: []string{"FALSE", "TRUE"}, flag: func(m *Mapper) *bool { return &m.Optionals }},
}

// ParseMapper returns the mapper of a text: see Text. A plus begins a setting only where the
// name of one follows, since patterns and time zones may hold one.
func ParseMapper(text string) (Mapper, error) {
	var m Mapper
	for text != "" {
		setting := text
		if at := nextSetting(text); at >= 0 {
			setting, text = text[:at], text[at+1:]
		} else {
			text = ""
		}
		if err := m.set(setting); err != nil {
			return Mapper{}, err
		}
	}
	if m.Property != "" {
		m.As = Property
	}
	return m, m.check()
}

// nextSetting returns where the plus before the next setting stands, -1 for none.
func nextSetting(text string) int {
	for at := range len(text) {
		if key, _, ok := strings.Cut(text[at+1:], "="); text[at] == '+' && ok && settingOf(key) >= 0 {
			return at
		}
	}
	return -1
}

func settingOf(key string) int {
	for i := range mapperSettings {
		if strings.EqualFold(mapperSettings[i].key, strings.TrimSpace(key)) {
			return i
		}
	}
	return -1
}

func (m *Mapper) set(setting string) error {
	key, value, _ := strings.Cut(setting, "=")
	i := settingOf(key)
	if i < 0 {
		var keys []string
		for _, s := range mapperSettings {
			keys = append(keys, s.key)
		}
		return fmt.Errorf("%q is no setting of an ObjectMapper: there are %s", setting, strings.Join(keys, " "))
	}
	s := &mapperSettings[i]
	if s.text != nil {
		*s.text(m) = value
		return nil
	}
	if s.key == "as" && strings.EqualFold(strings.TrimSpace(value), "EXTERNAL_PROPERTY") {
		return errors.New("as=EXTERNAL_PROPERTY: activateDefaultTyping refuses it, so that no ObjectMapper has it")
	}
	for w, word := range s.words {
		switch {
		case !strings.EqualFold(word, strings.TrimSpace(value)):
			continue
		case s.flag != nil:
			*s.flag(m) = w > 0
		default:
			*s.word(m) = w
		}
		return nil
	}
	return fmt.Errorf("%s=%s: %s is carried", s.key, value, strings.Join(s.words, " or "))
}

// Text returns the settings that differ from the zero value, as ParseMapper reads them:
// "typing=NON_FINAL+as=PROPERTY+property=@type".
func (m Mapper) Text() string {
	var out []string
	for i := range mapperSettings {
		s, value := &mapperSettings[i], ""
		switch {
		case s.text != nil:
			value = *s.text(&m)
		case s.flag != nil && *s.flag(&m):
			value = s.words[1]
		case s.word != nil:
			if w := *s.word(&m); w > 0 && w < len(s.words) {
				value = s.words[w]
			}
		}
		if value != "" {
			out = append(out, s.key+"="+value)
		}
	}
	return strings.Join(out, "+")
}

// String returns the option as a program writes it.
func (m Mapper) String() string { return "jackson.Mapper{" + m.Text() + "}" }

func (m Mapper) check() error {
	for i := range mapperSettings {
		if s := &mapperSettings[i]; s.word != nil {
			if w := *s.word(&m); w < 0 || w >= len(s.words) {
				return fmt.Errorf("there is no %s %d", s.key, w)
			}
		}
	}
	switch {
	case m.Typing == NoTyping && (m.As != 0 || m.Property != ""):
		return errors.New("As and Property say how Typing names classes, and there is no Typing")
	case m.As != Property && m.Property != "":
		return errors.New("a name of the property is for As: Property")
	case m.Dates == Timestamps && m.DateFormat != "":
		return errors.New("setDateFormat switches timestamps off: with a DateFormat, Dates is DateTexts or not set")
	}
	_, _, err := m.patterns()
	if err == nil {
		_, err = mapperZone(m.TimeZone)
	}
	if err == nil && m.DateFormat != "" && m.TimeZone == "" {
		err = errors.New("a DateFormat needs its TimeZone: a SimpleDateFormat without one has that of the Java machine")
	}
	return err
}

// patterns returns the pattern of java.util.Date, nil for none, and those of java.time.
func (m Mapper) patterns() (date *pattern, local map[string]*pattern, err error) {
	if m.DateFormat != "" {
		zone, err := mapperZone(m.TimeZone)
		if err != nil {
			return nil, nil, err
		}
		if date, err = simplePattern(m.DateFormat, zone); err != nil {
			return nil, nil, err
		}
	}
	for i := range mapperSettings {
		s := &mapperSettings[i]
		if s.class == "" || *s.text(&m) == "" {
			continue
		}
		p, err := localPattern(*s.text(&m), jdk.OfClass(s.class), nil)
		if err != nil {
			return nil, nil, err
		}
		if local == nil {
			local = map[string]*pattern{}
		}
		local[s.class] = p
	}
	return date, local, nil
}

// mapperZone returns what TimeZone.getTimeZone gives for a name; Java takes names that it does
// not know for GMT, which are mistakes here.
func mapperZone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	if zone, err := (java.FieldFormat{Zone: name}).Location(); err == nil && name != "Z" && name[0] != '+' && name[0] != '-' {
		return zone, nil
	}
	return nil, fmt.Errorf("TimeZone %q: Java takes it for GMT; GMT+8 and Asia/Shanghai are time zones", name)
}

// Apply implements [Option].
func (m Mapper) Apply(s *settings) error {
	if err := m.check(); err != nil {
		return err
	}
	switch {
	case s.plain:
		return m.applyPlain(s)
	case s.rules.Jackson != 2 && m != (Mapper{}):
		return errors.New("a Mapper is carried by the codecs of Jackson 2")
	case m.Typing == NoTyping:
	case s.codec == "jsonjackson":
		return fmt.Errorf("codec %s replaces the default typing of the mapper by its own: only TypedJsonJackson keeps that of the mapper", s.codec)
	case s.codec != "typedjsonjackson":
		return fmt.Errorf("default typing is carried by TypedJsonJackson alone, not by %s", s.codec)
	}
	if m.Typing != NoTyping {
		s.rules.Types = true
	}
	s.rules.mapper, s.rules.longText, s.rules.ordinals = m, m.LongAsText, m.Enums == EnumOrdinals
	var err error
	if m.TimeZone != "" {
		if s.rules.zone, err = mapperZone(m.TimeZone); err != nil {
			return err
		}
	}
	s.rules.date, s.rules.local, err = m.patterns()
	return err
}

// own reports whether the service's mapper names classes, and not Redisson's.
func (r *Rules) own() bool { return r.mapper.Typing != NoTyping }

// ClassKey returns the name of the property that names the class of an object; "" where an array
// or object around it does.
func (r *Rules) ClassKey() string {
	switch {
	case r.own() && r.mapper.As != Property:
		return ""
	case r.mapper.Property != "":
		return r.mapper.Property
	}
	return classKey
}
