package interop_test

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// jacksonReleases are those whose Jackson codecs are tested with all documents.
var jacksonReleases = []string{"3.8.1", "3.12.5", "3.18.1", "3.19.0", "3.30.0", "3.45.1", "4.1.0", "4.7.0"}

// jacksonCodec is one codec of Jackson's family.
type jacksonCodec struct {
	name  string // Redisson's
	make  func(...jackson.Option) codecs.Codec
	since string // the release that brought it; empty: all have it
	plain bool   // class names are not on the wire; Java's codec is for one class
	bare  bool   // class names are not on the wire; Java reads maps and lists
	large bool   // it has numbers of any size
	times bool   // its mapper has JavaTimeModule
}

// jacksonCodecs are those that Go has.
func jacksonCodecs() []jacksonCodec {
	return []jacksonCodec{
		{name: "jsonjackson", large: true, make: jackson.JsonJackson},
		{name: "jsonjackson3", large: true, make: jackson.JsonJackson3, since: "4.1.0"},
		{name: "typedjsonjackson", large: true, make: jackson.TypedJsonJackson, since: "3.10.0", plain: true},
		{name: "typedjsonjackson3", large: true, make: jackson.TypedJsonJackson3, since: "4.1.0", plain: true},
		{name: "msgpackjackson", make: msgpack.Jackson},
		{name: "cborjackson", large: true, make: cbor.Jackson},
		{name: "cborjackson3", large: true, make: cbor.Jackson3, since: "4.2.0", bare: true},
		{name: "smilejackson", large: true, make: smile.Jackson},
		{name: "smilejackson3", large: true, make: smile.Jackson3, since: "4.2.0", bare: true},
		{name: "ionjackson", large: true, make: ion.Jackson},
		{name: "ionjackson3", large: true, make: ion.Jackson3, since: "4.2.0", bare: true},
		mapper("typing=NON_FINAL+longastext=TRUE+naming=KEBAB_CASE+dates=TEXT+timezone=Asia/Shanghai"),
		mapper("typing=NON_FINAL"),
		mapper("typing=NON_FINAL+as=PROPERTY+property=kind"),
		mapper("typing=NON_FINAL+as=WRAPPER_OBJECT"),
		mapper("typing=EVERYTHING"),
		mapper("typing=EVERYTHING+as=PROPERTY+property=kind"),
		ofClass("typing=JAVA_LANG_OBJECT"),
		ofClass("typing=OBJECT_AND_NON_CONCRETE"),
		ofClass("typing=OBJECT_AND_NON_CONCRETE+as=PROPERTY"),
		ofClass("typing=OBJECT_AND_NON_CONCRETE+as=WRAPPER_OBJECT"),
		ofClass("typing=NON_CONCRETE_AND_ARRAYS"),
		mapper("typing=NON_FINAL+dateformat=yyyy/MM/dd_HH:mm:ss.SSS+timezone=Asia/Shanghai"),
		jsonMapper("longastext=TRUE+naming=SNAKE_CASE+enums=ORDINAL+dates=TIMESTAMPS+optionals=TRUE"),
	}
}

// mapper is TypedJsonJacksonCodec of Object with an ObjectMapper of the service.
func mapper(text string) jacksonCodec {
	m, err := jackson.ParseMapper(text)
	if err != nil {
		panic(err)
	}
	return jacksonCodec{name: "mapper(" + text + ")", large: true, since: "3.19.0", times: m.Dates != jackson.NoDates, make: func(opts ...jackson.Option) codecs.Codec {
		return jackson.TypedJsonJackson(append(slices.Clip(opts), m)...)
	}}
}

// ofClass is TypedJsonJacksonCodec of the class of the sample, with an ObjectMapper of the service.
func ofClass(text string) jacksonCodec {
	c := mapper(text)
	c.name, c.bare = "mapper(class=@+"+text+")", true
	return c
}

// jsonMapper is JsonJacksonCodec with one. Redisson overrules which properties the mapper
// leaves out.
func jsonMapper(text string) jacksonCodec {
	c := mapper(text)
	c.name = "jsonmapper(" + text + "+include=NON_EMPTY)"
	m, _ := jackson.ParseMapper(text) // mapper says what is wrong with it
	c.make = func(opts ...jackson.Option) codecs.Codec { return jackson.JsonJackson(append(slices.Clip(opts), m)...) }
	return c
}

// annotatedReleases are those that the annotated beans are compiled for: see build.sh.
var annotatedReleases = []string{"3.19.0", "3.45.1", "4.7.0"}

// jacksonSamples are what crosses by the codecs of the family, beside the documents.
var jacksonSamples = []jvm.Text{
	"@bench.order", "@bean.primitives", "@bean.chain", "@bean.bound", "@bean.nulls", "@bean.level", "@bean.step", "@bean.nested",
	"@bean.choices", "@bean.failure", "@bean.line",
}

// ofOpenKind are those with fields whose declared class may be an interface, a class or abstract
// by all that the Go types say.
var ofOpenKind = []jvm.Text{
	"@bean.choices", "@bean.step", "@doc.picks", "@doc.drawing", "@doc.replies", "@doc.grid", "@annotated.coded", "@annotated.named",
}

func jacksonFormats(version string) []format {
	if !slices.Contains(jacksonReleases, version) {
		return nil
	}
	only := slices.Clone(jacksonSamples)
	for _, w := range documentTwins() {
		only = append(only, w.sample())
	}
	carries := documents | bounds
	if atLeast(version, "3.16") { // Jackson 2.12
		carries |= records
	}
	options := []jackson.Option{jackson.Since(version)}
	var out []format
	for _, c := range jacksonCodecs() {
		if c.since != "" && !atLeast(version, c.since) {
			continue
		}
		f := format{java: c.name, codec: c.make(options...), only: only, carries: carries, plain: c.plain || c.bare, large: c.large}
		if slices.Contains(annotatedReleases, version) {
			f.carries |= openFields
			if strings.HasSuffix(c.name, "3") {
				f.carries |= javaTime
			} else {
				f.carries |= annotations
			}
			if c.times {
				f.carries |= javaTime
			}
			for _, w := range annotatedTwins() {
				// With ordinals Java writes the one enum as its text, and the other as a number.
				if w.needs()&^f.carries == 0 && (w.sample() != "@annotated.graded" || !strings.Contains(c.name, "ORDINAL")) {
					f.only = append(slices.Clip(f.only), w.sample())
				}
			}
		}
		if strings.Contains(c.name, "NON_CONCRETE") {
			f.only = slices.DeleteFunc(slices.Clone(f.only), func(s jvm.Text) bool { return slices.Contains(ofOpenKind, s) })
		}
		if c.times && !slices.Contains(annotatedReleases, version) {
			continue
		}
		if strings.Contains(c.name, "optionals=TRUE") {
			f.carries, f.only = f.carries|optionals, append(slices.Clip(f.only), "@bean.maybe")
		}
		if c.plain {
			f.java += "(@)"
		}
		if !f.plain {
			f.carries |= classes
		}
		// Before Jackson 2.12 Java cannot read the classes in its own Ion; Go writes them
		// as in JSON, which it reads.
		f.foreign = c.name == "ionjackson" && !atLeast(version, "3.16")
		f.roots = !f.foreign
		if f.foreign {
			f.like = "jsonjackson"
			if !atLeast(version, "3.11.6") { // which lose doubles, see oldIonLosesDoubles
				f.only = slices.DeleteFunc(slices.Clone(only), func(s jvm.Text) bool { return s == "@doc.shelves" })
			}
		}
		f.dynamic = func(classes *java.Classes) codecs.Codec {
			return c.make(append(slices.Clip(options), jackson.Classes(classes))...)
		}
		out = append(out, f)
	}
	// StringCodec with JSON inside: Go types with json tags, Java's mapper as it comes.
	return append(out, format{
		java: "json(@)", codec: jackson.JSON(), only: []jvm.Text{"@bench.order"}, carries: documents | texts, plain: true,
		dynamic: func(*java.Classes) codecs.Codec { return jackson.JSON() },
	})
}

// oldIonLosesDoubles: Jackson 2.9 reads a double of Ion as null where no type is
// declared. The document that has one is not tried there.
func oldIonLosesDoubles(t testing.TB, b *bench) {
	if b.version != "3.8.1" {
		return
	}
	payload, err := ion.Jackson(jackson.Since(b.version)).Encode(map[string]any{"price": 1.5})
	if err != nil {
		t.Fatal(err)
	}
	m, ok := b.jvm.DecodeHex(t, "ionjackson", hex.EncodeToString(payload)).(*java.Map)
	if !ok || len(m.Entries) != 1 || m.Entries[0].Value != nil {
		t.Errorf("Java reads %s as %#v: it has its double again", payload, m)
	}
}

// JSONOrder is the order of the benchmarks for encoding/json, with its fields in the
// order of the Java class.
type JSONOrder struct {
	OrderID     string      `json:"orderId"`
	Customer    string      `json:"customer"`
	Remark      string      `json:"remark"`
	AmountCents int64       `json:"amountCents"`
	Quantity    int32       `json:"quantity"`
	Discount    *int32      `json:"discount"`
	Paid        bool        `json:"paid"`
	CreatedAt   int64       `json:"createdAt"`
	Total       json.Number `json:"total"`
	Tags        []string    `json:"tags"`
}

func jsonOrder() JSONOrder {
	o := order()
	return JSONOrder{
		o.OrderID, o.Customer, o.Remark, o.AmountCents, o.Quantity, o.Discount, o.Paid, o.CreatedAt.UnixMilli(), "1299.00", o.Tags,
	}
}
