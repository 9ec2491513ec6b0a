package fault

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// maxText bounds the text of an error that shows bytes.
const maxText = 4 << 10

// ForeignPayloadsError says that an offer, or the start of an engine, was refused because of the
// payloads that are in the queue: the queue's codec cannot read them, they are of another Java
// class than what this program writes, or this program writes the same values in another form of
// JSON. The program that wrote them would fail on those of this
// client, and a Java program that fails has popped the message already. Nothing was offered.
type ForeignPayloadsError struct {
	Queue   string // code
	Codec   string // name of the queue's codec
	Looked  int    // different payloads that were looked at
	Foreign int    // how many of these the codec cannot read
	// Samples are some of the foreign ones.
	Samples []ForeignSample

	Type  string // the Go type of the queue; empty where it is not known
	Class string // the Java class that this program writes; empty where it is not known
	Other int    // how many of the payloads that the codec reads are of another class
	// Classes are those classes, the most frequent one first.
	Classes []string

	Form int // how many of the payloads that the codec reads it writes in another form
	// Forms are some of the places where the forms differ, each once.
	Forms []ForeignForm
}

// ForeignForm is a place of a payload where the Java service and this program write the same value
// in two forms of JSON, because the ObjectMapper of the service has other settings. It holds names
// of fields and classes, and no values.
type ForeignForm struct {
	Path   string // of the first difference, for example "items[0].paidAt"; empty at the root
	There  string // what is in the queue, for example `["demo.Order",{…}]`
	Writes string // what this program writes, for example `{"@class":"demo.Order",…}`
}

// Options names the codecs and options that write the form of JSON in the queue; empty if none is
// known.
func (f ForeignForm) Options() string {
	for _, o := range formOptions {
		if o.there.MatchString(f.There) && o.writes.MatchString(f.Writes) {
			return o.there.ReplaceAllString(o.there.FindString(f.There), o.declare)
		}
	}
	return ""
}

// formOptions are what to declare, by what is in the queue and by what this program writes.
var formOptions = [...]struct {
	there, writes *regexp.Regexp
	declare       string
}{
	{form(`".*":…`), form(``), "Naming in jackson.Mapper, or json=NAME in the tag of the field"},
	{form(`\[".*",\{…\}\]`), form(``), "jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.NonFinal})"},
	{form(`\{"@class":.*`), form(``), "jackson.JsonJackson(), or jackson.TypedJsonJackson with jackson.Mapper{Typing: jackson.NonFinal, As: jackson.Property}"},
	{form(`\{"([^"]*)":"[^"]*",…\}`), form(``), `jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.NonFinal, As: jackson.Property, Property: "$1"})`},
	{form(`\{"[^"]*\.[^"]*":[^"].*\}`), form(``), "jackson.TypedJsonJackson with the Typing of jackson.Mapper, and As: jackson.WrapperObject"},
	{form(`\["java\.util\.[^"]*",\[.*`), form(`no class|\[…\]`), "jackson.JsonJackson(), or jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.ObjectAndNonConcrete})"},
	{form(`\["java.lang.Long",.*`), form(`a number`), "jackson.JsonJackson()"},
	{form(`"…"`), form(`a text without quotes`), "jackson.JsonJackson() or jackson.TypedJsonJackson(), or jackson.JSON() for text of StringCodec"},
	{form(`\{…\}`), form(``), "jackson.TypedJsonJackson(), or jackson.JSON() for text of StringCodec"},
	{form(`(?:\["java.*",)?"yyyy.*`), form(``), "DateFormat and TimeZone, Dates, LocalDateTime, LocalDate or LocalTime in jackson.Mapper, or format=PATTERN in the tag of the field"},
	{form(`.*a number.*`), form(`.*"yyyy.*`), "jackson.Mapper without DateFormat, or with Dates: jackson.Timestamps, or number in the tag of the field"},
	{form(`.*a number.*`), form(`.*"…".*`), "jackson.Mapper without LongAsText, for an enum with Enums: jackson.EnumOrdinals, or number in the tag of the field"},
	{form(`.*"…".*`), form(`.*a number.*`), "LongAsText in jackson.Mapper, for an enum no Enums: jackson.EnumOrdinals, or text in the tag of the field"},
}

func form(pattern string) *regexp.Regexp {
	if pattern == "" {
		return regexp.MustCompile("")
	}
	return regexp.MustCompile("^" + pattern + "$")
}

// String says where the forms differ, and how.
func (f ForeignForm) String() string {
	at := "the payload"
	if f.Path != "" {
		at = f.Path
	}
	return fmt.Sprintf("%s is %s, and this program writes %s", at, f.There, f.Writes)
}

// ForeignSample shows how a foreign payload begins.
type ForeignSample struct {
	Head []byte // 16 bytes at most
	Size int    // of the whole payload
	Err  error  // why the codec cannot read it
}

// Error names both classes, or says how the payloads begin, and what to do.
func (e *ForeignPayloadsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "queue %q: ", e.Queue)
	if e.Foreign > 0 || e.Other == 0 && e.Form == 0 {
		fmt.Fprintf(&b, "%d of %d payloads in the queue cannot be read by its codec %s", e.Foreign, e.Looked, e.Codec)
		if e.Type != "" {
			fmt.Fprintf(&b, " into Go type %s", e.Type)
		}
		for i, s := range e.Samples {
			sep := ", "
			if i == 0 {
				sep = "; they begin with "
			}
			fmt.Fprintf(&b, "%s%x (%d bytes)", sep, s.Head, s.Size)
		}
		b.WriteString(`. The program that wrote them would lose what this one offers. Find the codec with "duequeue decode -in hex" and a whole payload, and declare it; if both are intended, see codecs.AnyOf and registry.OnForeign`)
	}
	if e.Other > 0 {
		if e.Foreign > 0 {
			b.WriteString("; and ")
		}
		fmt.Fprintf(&b, "%d of %d payloads in the queue are of the Java class %s, and this program writes %s", e.Other, e.Looked, strings.Join(e.Classes, ", "), e.Class)
		if e.Type != "" {
			fmt.Fprintf(&b, " (Go type %s)", e.Type)
		}
		b.WriteString(`. Correct the method JavaClass() of the Go type, or its type: "duequeue javadesc -classes app.jar CLASS" prints one for a Java class. If both are intended, declare registry.OtherClasses`)
	}
	if e.Form > 0 {
		if e.Foreign+e.Other > 0 {
			b.WriteString("; and ")
		}
		fmt.Fprintf(&b, "%d of %d payloads in the queue have another form than %s writes: ", e.Form, e.Looked, e.Codec)
		for i, f := range e.Forms {
			if i > 0 {
				b.WriteString("; ")
			}
			b.WriteString(f.String())
			if options := f.Options(); options != "" {
				b.WriteString(" (to write that form: " + options + ")")
			}
		}
		b.WriteString(`. The ObjectMapper of the Java service is configured otherwise than this codec, and fails on what this program writes. Declare the codec and the options that write that form: they say what the mapper was told ("duequeue inspect" tries some), and tags of fields what annotations say ("duequeue javadesc" writes them)`)
	}
	return codecs.Printable(b.String(), maxText)
}

// ErrorType returns "foreign_payloads", the low-cardinality name used in telemetry.
func (e *ForeignPayloadsError) ErrorType() string { return "foreign_payloads" }
