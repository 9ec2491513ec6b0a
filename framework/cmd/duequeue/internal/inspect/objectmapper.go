package inspect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// What the code makes, in the Is of objects, and as results of static methods.
type (
	objectMapper struct {
		set     map[string]string // by the key of a setting
		modules []*jacksonModule
		texts   bool // dates are not timestamps
		machine bool // the time zone is that of the Java machine
		notes
	}
	jacksonModule struct {
		class    string
		patterns map[string]string // by the key of a setting
		longs    map[string]bool   // long, java.lang.Long: those that are written as text
		notes
	}
	dateFormat struct{ pattern, zone any }
	serializer struct {
		class   string
		pattern any
	}
	pattern  string // of a DateTimeFormatter
	timeZone string // "" is that of the Java machine
)

const (
	databind = "com.fasterxml.jackson.databind."
	jsr310   = "com.fasterxml.jackson.datatype.jsr310."
)

// localSettings are the settings by serializers of java.time.
var localSettings = map[string]string{
	jsr310 + "ser.LocalDateTimeSerializer": "localdatetime", jsr310 + "ser.LocalDateSerializer": "localdate", jsr310 + "ser.LocalTimeSerializer": "localtime",
}

func (m *objectMapper) copy() *objectMapper {
	own := *m
	own.set, own.modules, own.unread = maps.Clone(m.set), slices.Clone(m.modules), slices.Clone(m.unread)
	return &own
}

// notes say what is not read, or not carried.
type notes struct{ unread []string }

func (n *notes) note(parts ...string) {
	if len(n.unread) > mostUnread {
		return // a method may have thousands
	}
	for i, part := range parts {
		parts[i] = short(part)
	}
	if text := strings.Join(parts, ""); !slices.Contains(n.unread, text) {
		n.unread = append(n.unread, text)
	}
}

// short cuts what a class file can make as long as 64 KiB.
func short(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// idle are methods that change nothing of what Redisson's codecs write: some are overruled by
// them, some are for reading alone.
var idle = []string{
	"setVisibility", "setVisibilityChecker", "visibility", "setSerializationInclusion", "setDefaultPropertyInclusion", "serializationInclusion",
	"defaultPropertyInclusion", "setLocale", "defaultLocale", "build", "getSerializationConfig", "getDeserializationConfig", "getTypeFactory",
}

// call follows a call of a method of the mapper, or of its builder.
func (m *objectMapper) call(c classfile.Call) {
	if c.Branch {
		m.note(c.Name, "(…) stands in a branch of the method, and is read as if it ran")
	}
	switch {
	case slices.Contains(idle, c.Name):
	case strings.Contains(c.Name, "efaultTyping") && !strings.HasPrefix(c.Name, "set"):
		m.typing(c)
	case len(c.Args) == 0:
		m.note("calls ", c.Name, "(), which is not read")
	case c.Name == "registerModule" || c.Name == "registerModules" || c.Name == "addModule" || c.Name == "addModules":
		m.register(elements(c.Args))
	case c.Name == "enable" || c.Name == "disable":
		for _, v := range elements(c.Args) {
			m.feature(v, c.Name == "enable", true)
		}
	case c.Name == "configure" && len(c.Args) == 2:
		on, known := c.Args[1].(int64)
		m.feature(c.Args[0], on != 0, known)
	case c.Name == "setDateFormat" || c.Name == "defaultDateFormat":
		m.dateFormat(c.Args[0])
	case c.Name == "setTimeZone" || c.Name == "defaultTimeZone":
		m.zone(c.Args[0])
	case c.Name == "setPropertyNamingStrategy" || c.Name == "propertyNamingStrategy":
		m.naming(c.Args[0])
	default:
		m.note("calls ", c.Name, "(…), which is not read")
	}
}

// elements are arguments, with those that stand in an array.
func elements(args []any) (all []any) {
	for _, v := range args {
		if o, _ := v.(*classfile.Object); o != nil && o.Class == "" {
			all = append(all, o.Elements...)
		} else {
			all = append(all, v)
		}
	}
	return all
}

func (m *objectMapper) typing(c classfile.Call) {
	for _, key := range []string{"typing", "as", "property"} {
		delete(m.set, key)
	}
	if strings.HasPrefix(c.Name, "deactivate") || strings.HasPrefix(c.Name, "disable") {
		return
	}
	m.set["typing"] = "OBJECT_AND_NON_CONCRETE"
	for n, p := range c.Types {
		v, _ := c.Args[n].(classfile.EnumValue)
		switch {
		case strings.HasSuffix(p, "DefaultTyping;"):
			m.set["typing"] = cmp.Or(v.Name, "?")
		case strings.HasSuffix(p, "JsonTypeInfo$As;"):
			m.set["as"] = cmp.Or(v.Name, "?")
		case p == "Ljava/lang/String;":
			if m.set["property"], _ = c.Args[n].(string); m.set["property"] == "" {
				m.set["as"] = "?"
			}
		}
	}
}

const mostModules = 100

func (m *objectMapper) register(modules []any) {
	for _, v := range modules {
		o, _ := v.(*classfile.Object)
		if o != nil {
			if module, ok := o.Is.(*jacksonModule); ok && len(m.modules) < mostModules {
				m.modules = append(m.modules, module)
				continue
			}
		}
		m.note("registers a module that comes from " + source(v) + ", which is not read")
	}
}

// idleFeatures are those of serialization that change no payload that Java reads.
var idleFeatures = []string{
	"FAIL_ON_EMPTY_BEANS", "INDENT_OUTPUT", "ORDER_MAP_ENTRIES_BY_KEYS", "FAIL_ON_SELF_REFERENCES", "CLOSE_CLOSEABLE", "FLUSH_AFTER_WRITE_VALUE",
	"SORT_PROPERTIES_ALPHABETICALLY", "WRITE_BIGDECIMAL_AS_PLAIN", "DEFAULT_VIEW_INCLUSION",
}

func (m *objectMapper) feature(v any, on, known bool) {
	f, ok := v.(classfile.EnumValue)
	kind := f.Class[strings.LastIndexByte(f.Class, '.')+1:]
	switch {
	case !ok || !known:
		m.note("switches a feature that comes from " + source(v) + ", which is not read")
	case f.Name == "WRITE_DATES_AS_TIMESTAMPS":
		m.texts = !on
	case f.Name == "WRITE_ENUMS_USING_INDEX":
		if delete(m.set, "enums"); on {
			m.set["enums"] = "ORDINAL"
		}
	case f.Name == "ACCEPT_SINGLE_VALUE_AS_ARRAY" && m.set["singles"] != "BARE":
		if delete(m.set, "singles"); on {
			m.set["singles"] = "READ"
		}
	case f.Name == "WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED":
		if delete(m.set, "singles"); on {
			m.set["singles"] = "BARE"
		}
	case kind == "DeserializationFeature" || strings.HasPrefix(kind, "JsonParser$") || kind == "JsonReadFeature":
	case slices.Contains(idleFeatures, f.Name):
	default:
		m.note("switches ", kind, ".", f.Name, ", which is not carried")
	}
}

func (m *objectMapper) dateFormat(v any) {
	var f *dateFormat
	if o, _ := v.(*classfile.Object); o != nil {
		f, _ = o.Is.(*dateFormat)
	}
	text := ""
	if f != nil {
		text, _ = f.pattern.(string)
	}
	if m.texts = true; text == "" {
		m.note("its DateFormat comes from " + source(v) + ", which is not read")
		return
	}
	if m.set["dateformat"] = text; f.zone != nil && m.set["timezone"] == "" {
		m.zone(f.zone)
	}
}

func (m *objectMapper) zone(v any) {
	zone, ok := v.(timeZone)
	if !ok {
		m.note("its TimeZone comes from " + source(v) + ", which is not read")
	}
	m.set["timezone"], m.machine = string(zone), zone == ""
}

// strategies are constants of old releases, and classes, by the constants of today.
var strategies = map[string]string{
	"CAMEL_CASE_TO_LOWER_CASE_WITH_UNDERSCORES": "SNAKE_CASE", "PASCAL_CASE_TO_CAMEL_CASE": "UPPER_CAMEL_CASE",
	"SnakeCaseStrategy": "SNAKE_CASE", "KebabCaseStrategy": "KEBAB_CASE", "UpperCamelCaseStrategy": "UPPER_CAMEL_CASE", "LowerCaseStrategy": "LOWER_CASE",
	"LowerDotCaseStrategy": "LOWER_DOT_CASE", "UpperSnakeCaseStrategy": "UPPER_SNAKE_CASE",
}

func (m *objectMapper) naming(v any) {
	word := ""
	switch v := v.(type) {
	case classfile.EnumValue:
		word = v.Name
	case *classfile.Object:
		word = v.Class[strings.LastIndexAny(v.Class, ".$")+1:]
	}
	if other := strategies[word]; other != "" {
		word = other
	}
	if delete(m.set, "naming"); word == "LOWER_CAMEL_CASE" {
		return
	}
	if mapperError("naming="+word) != nil {
		m.note("its naming strategy comes from " + source(v) + ", which is not read")
		return
	}
	m.set["naming"] = word
}

// call follows a call of a method of a module.
func (m *jacksonModule) call(c classfile.Call) {
	if c.Branch {
		m.note(c.Name, "(…) of a module stands in a branch of the method, and is read as if it ran")
	}
	if c.Name != "addSerializer" || len(c.Args) == 0 {
		if c.Name != "addDeserializer" && c.Name != "addAbstractTypeMapping" && c.Name != "addKeyDeserializer" {
			m.note("calls ", c.Name, "(…) of a module, which is not read")
		}
		return
	}
	class, _ := c.Args[0].(classfile.ClassValue)
	what := c.Args[len(c.Args)-1]
	s := serializerOf(what)
	switch {
	case s != nil && localSettings[s.class] != "":
		text, ok := s.pattern.(pattern)
		if !ok && s.pattern != nil {
			m.note("the pattern of " + s.class + " comes from " + source(s.pattern) + ", which is not read")
			return
		}
		m.patterns[localSettings[s.class]] = string(text)
	case s != nil && (class.Class == "java.lang.Long" || class.Class == "long"):
		m.longs[class.Class] = true
	default:
		m.note("its serializer of ", class.Class, " comes from ", source(what), ", which is not carried")
	}
}

// serializerOf returns the serializer that a value is, nil for one that is not read.
func serializerOf(v any) *serializer {
	switch v := v.(type) {
	case classfile.EnumValue: // ToStringSerializer.instance, LocalDateTimeSerializer.INSTANCE
		if v.Class == databind+"ser.std.ToStringSerializer" || localSettings[v.Class] != "" {
			return &serializer{class: v.Class}
		}
	case *classfile.Object:
		s, _ := v.Is.(*serializer)
		return s
	}
	return nil
}

// settings returns the settings of a mapper as text; false where one is not carried that all
// payloads show.
func (m *objectMapper) settings(typed bool) (string, bool) {
	javaTime, longs := false, map[string]bool{}
	for _, module := range m.modules {
		switch module.class {
		case jsr310 + "JavaTimeModule":
			javaTime = true
			for _, key := range localSettings {
				delete(m.set, key)
			}
		case "com.fasterxml.jackson.datatype.jdk8.Jdk8Module":
			m.set["optionals"] = "TRUE"
		case databind + "module.SimpleModule", "com.fasterxml.jackson.module.paramnames.ParameterNamesModule":
		default:
			m.note("registers " + module.class + ", which is not read")
		}
		for key, text := range module.patterns {
			m.set[key] = text
		}
		for class := range module.longs {
			longs[class] = true
		}
		for _, text := range module.unread {
			m.note(text)
		}
	}
	if len(longs) > 0 {
		m.set["longastext"] = "TRUE"
	}
	if len(longs) == 1 {
		m.note("its ToStringSerializer is for one of Long and long alone: the others are numbers")
	}
	if !m.texts {
		delete(m.set, "dateformat")
	}
	switch {
	case m.texts && (javaTime || m.set["dateformat"] == ""):
		m.set["dates"] = "TEXT"
	case javaTime:
		m.set["dates"] = "TIMESTAMPS"
	}
	return m.text(typed)
}

func (m *objectMapper) text(typed bool) (string, bool) {
	if !typed { // Redisson's codec replaces it
		delete(m.set, "typing")
	}
	if m.set["typing"] == "" {
		delete(m.set, "as")
		delete(m.set, "property")
	}
	carried := true
	var parts []string
	for _, key := range []string{"typing", "as", "property", "dates", "dateformat", "timezone", "localdatetime", "localdate", "localtime", "longastext", "naming", "enums", "optionals"} {
		value := m.set[key]
		if value == "" {
			continue
		}
		context := map[string]string{"as": "typing=NON_FINAL+", "property": "typing=NON_FINAL+", "dateformat": "timezone=UTC+"}[key]
		if err := mapperError(context + key + "=" + value); err != nil {
			m.note("not carried: ", err.Error())
			carried = carried && key != "typing" && key != "as"
			continue
		}
		parts = append(parts, key+"="+value)
	}
	if m.set["timezone"] == "" && (m.set["dateformat"] != "" || m.texts && m.machine) {
		m.note("the time zone is that of the Java machine: add it to the declaration (TimeZone, timezone=)")
	}
	mapper, _ := jackson.ParseMapper(strings.Join(parts, "+")) // which may lack a time zone
	return mapper.Text(), carried
}
