package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"kryo5": "kryo5", "Kryo5": "kryo5", "Kryo5Codec": "kryo5", "org.redisson.codec.Kryo5Codec": "kryo5",
		"jsonjackson": "jsonjackson", "JsonJacksonCodec": "jsonjackson", "org.redisson.codec.JsonJacksonCodec": "jsonjackson",
		"string": "string", "StringCodec": "string", "org.redisson.client.codec.StringCodec": "string", " STRING ": "string",
		"org.redisson.codec.MarshallingCodec": "marshalling", "SerializationCodec": "serialization", "FstCodec": "fst",
		"anyof(kryo5,marshalling)": "anyof(kryo5,marshalling)", " AnyOf ( Kryo5Codec , FstCodec,org.redisson.codec.JsonJacksonCodec ) ": "anyof(kryo5,fst,jsonjackson)",
		"anyof(kryo5,string)": "anyof(kryo5,string)",
		"lz4(kryo5)":          "lz4(kryo5)", "org.redisson.codec.LZ4CodecV2(Kryo5Codec)": "lz4v2(kryo5)", " new SnappyCodecV2( new JsonJacksonCodec() )": "snappyv2(jsonjackson)",
		"zstd(lz4(snappy(string)))": "zstd(lz4(snappy(string)))", "anyof(lz4(kryo5),kryo5)": "anyof(lz4(kryo5),kryo5)", "lz4(anyof(kryo5,marshalling))": "lz4(anyof(kryo5,marshalling))",
		"composite(StringCodec,LongCodec,ZStdCodec(Kryo5Codec))": "zstd(kryo5)", "Kryo5Codec()": "kryo5",
		"MsgPackJacksonCodec": "msgpackjackson", "org.redisson.codec.JsonJackson3Codec": "jsonjackson3", "ProtobufCodec": "protobuf",
		"StringCodec.INSTANCE": "string", "org.redisson.codec.LZ4Codec(JsonJacksonCodec.INSTANCE)": "lz4(jsonjackson)",
		"new CompositeCodec(StringCodec.INSTANCE, LongCodec.INSTANCE, new Kryo5Codec())": "kryo5",
		"LongCodec": "long", "IntegerCodec": "integer", "DoubleCodec": "double", "org.redisson.client.codec.ByteArrayCodec": "bytearray",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := catalog.Find(name)
			if err != nil || c.Name() != want {
				t.Errorf("%s: %v, %v", name, c, err)
			}
		})
	}
	for _, name := range catalog.Names() {
		c, err := catalog.FindWith(name, withSchema(name, catalog.Options{Limits: codecs.Limits{Bytes: 77}}))
		if err != nil || c.Name() != name || c.Limits().Bytes != 77 {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

// TestLimitsAreChecked: every codec refuses a depth that no limit can be.
func TestLimitsAreChecked(t *testing.T) {
	t.Parallel()
	for _, name := range append(catalog.Names(), "lz4(kryo5)") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := catalog.FindWith(name, withSchema(name, catalog.Options{Limits: codecs.Limits{Depth: -1}}))
			if err == nil { // protobuf reports it when it is bound
				_, err = c.Bind(reflect.TypeFor[string](), codecs.BindOptions{})
			}
			const want = "Limits({Bytes:0 Elements:0 Depth:-1 StringBytes:0}): Depth must be between 1 and 10000"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want one that says %q", err, want)
			}
		})
	}
}

// withSchema adds what the Avro codecs need.
func withSchema(name string, opts catalog.Options) catalog.Options {
	if strings.HasPrefix(name, "avro") {
		opts.Schema = `"string"`
	}
	return opts
}

// TestWrappers: every wrapper stands around every codec, with its limits.
func TestWrappers(t *testing.T) {
	t.Parallel()
	for _, outer := range catalog.Wrappers() {
		for _, inner := range catalog.Names() {
			name := outer + "(" + inner + ")"
			if inner == "protobuf" { // carries generated types alone
				continue
			}
			c, err := catalog.FindWith(name, withSchema(inner, catalog.Options{Limits: codecs.Limits{Bytes: 77}}))
			if err != nil || c.Name() != name || c.Limits().Bytes != 77 {
				t.Errorf("%s: %v, %v", name, c, err)
			}
		}
	}
	for _, c := range []struct{ name, since, want string }{
		{"LZ4Codec", "4.7.0", "lz4(kryo5)"},
		{"lz4()", "3.19", "lz4(kryo5)"},
		{"SnappyCodecV2", "3.18.1", "snappyv2(marshalling)"},
		{"snappy", "3.13.0", "snappy(marshalling)"},
		{"lz4", "3.12.2", "lz4(fst)"},
		{"lz4", "3.8.1", "lz4(fst)"},
		{"lz4(zstd)", "4.7.0", "lz4(zstd(kryo5))"},
		{"lz4(jsonjackson)", "3.8.1", "lz4(jsonjackson)"},
	} {
		got, err := catalog.FindWith(c.name, catalog.Options{Since: c.since})
		if err != nil || got.Name() != c.want {
			t.Errorf("%s since %s: %v, %v; want %s", c.name, c.since, got, err, c.want)
		}
	}
}

// TestSinceInLists: of a list with fst, Since is Redisson's release where another part
// knows that, and FST's where none does.
func TestSinceInLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, since, wrong string }{
		{"anyof(kryo5,fst)", "4.7.0", "2.57"},
		{"anyof(fst,jsonjackson)", "3.8.1", "x"},
		{"anyof(fst,lz4(fst))", "3.8.1", "x"},
		{"anyof(fst,marshalling)", "2.57", "3.8.1"},
		{"anyof(fst,composite(string,string,kryo5))", "3.45.1", "2.57"},
	} {
		if _, err := catalog.FindWith(c.name, catalog.Options{Since: c.since}); err != nil {
			t.Errorf("%s since %s: %v", c.name, c.since, err)
		}
		if _, err := catalog.FindWith(c.name, catalog.Options{Since: c.wrong}); err == nil {
			t.Errorf("%s since %s is taken", c.name, c.wrong)
		}
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"SnappyCodecV2": "snappyv2", "org.redisson.codec.LZ4CodecV2": "lz4v2", "LZ4Codec(Kryo5Codec)": "lz4(kryo5)",
		"zstd( org.redisson.codec.Kryo5Codec )": "zstd(kryo5)", "new LZ4Codec(new Kryo5Codec())": "lz4(kryo5)", "composite(a,b,Kryo5Codec)": "kryo5", "MsgPackJacksonCodec": "msgpackjackson", "codec": "codec", "": "",
		"lz4(": "lz4", "anyof(lz4(Kryo5Codec),MarshallingCodec)": "anyof(lz4(kryo5),marshalling)", "anyof": "anyof", "anyof(": "anyof",
	} {
		t.Run(name, func(t *testing.T) {
			if got := catalog.Canonical(name); got != want {
				t.Errorf("%q: %q, want %q", name, got, want)
			}
		})
	}
}

// TestTorn: a name whose parentheses do not match is never the codec of its first
// half, nor one that a release means by a bare wrapper.
func TestTorn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"lz4(marshalling", "lz4(marshalling)x", "LZ4Codec(MarshallingCodec);", "kryo5(", "kryo5(garbage", "kryo5(x)y",
		"lz4(marshalling))", "lz4((marshalling)", "lz4(kryo5)(marshalling)", "lz4()kryo5()", "anyof(kryo5,lz4(marshalling)", "anyof(",
		"lz4)(", "composite(string,string,kryo5",
	} {
		c, err := catalog.FindWith(name, catalog.Options{Since: "3.45.1"})
		var e *catalog.UnknownError
		if !errors.As(err, &e) || e.Kind != catalog.Unknown || !strings.Contains(err.Error(), "parentheses do not match") && name != "lz4)(" {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind catalog.Kind
		want string
	}{
		"KryoCodec":                          {catalog.Unservable, "Kryo 4"},
		"org.redisson.codec.KryoCodec":       {catalog.Unservable, "kryo5"},
		"kryo4":                              {catalog.Unservable, "Kryo 4"},
		"FuryCodec":                          {catalog.Unservable, "no Go library"},
		"fory":                               {catalog.Unservable, "no Go library"},
		"lz4(fory)":                          {catalog.Unservable, "no Go library"},
		"org.redisson.codec.LZ4Codec":        {catalog.Incomplete, "name it, for example lz4(kryo5)"},
		"lz4(kryo5,string)":                  {catalog.Unknown, "one codec's bytes"},
		"TypedJsonJacksonCodec(Order.class)": {catalog.Unknown, "name typedjsonjackson alone"},
		"lz4(gson)":                          {catalog.Unknown, "there are kryo5"},
		"kryo5(string)":                      {catalog.Unknown, "there are kryo5"},
		"CompositeCodec":                     {catalog.Unservable, "third codec"},
		"composite(string,kryo5)":            {catalog.Unservable, "all three"},
		"JsonForyCodec":                      {catalog.Unservable, "no released"},
		"JacksonCodec":                       {catalog.Unservable, "jsonjackson"},
		strings.Repeat("lz4(", 9) + "string" + strings.Repeat(")", 9): {catalog.Unknown, "more than 8 codecs"},
		"gson":                                {catalog.Unknown, "there are kryo5"},
		"":                                    {catalog.Unknown, "empty"},
		"com.acme.codec.SpecialMessagesCodec": {catalog.Unknown, "unknown codec"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.Find(name)
			var e *catalog.UnknownError
			if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(name, e.Name) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v; want kind %d, %q", name, err, c.kind, c.want)
			}
		})
	}
}

// TestAnyOfRefused: the error is about the codec at fault.
func TestAnyOfRefused(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"anyof(kryo5,avrofoo)": "avrofoo", "lz4(anyof(kryo5,kryo))": "kryo", "anyof(kryo5, FuryCodec)": " FuryCodec", "anyof()": "", "anyof(kryo5,)": "",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.Find(name)
			var e *catalog.UnknownError
			if !errors.As(err, &e) || e.Name != want {
				t.Errorf("%q: %v", name, err)
			}
		})
	}
	var e *catalog.OptionError
	if c, err := catalog.Find("anyof(string,kryo5)"); !errors.As(err, &e) {
		t.Errorf("a list of which only the first codec can ever read: %v, %v", c, err)
	}
}

func classes(t *testing.T) *java.Classes {
	t.Helper()
	set := codectest.Must(java.NewClasses(&java.Class{Name: "demo.Order"}))(t)
	return set
}

// TestOptions: an option that a codec does not know is an error, and in a list
// goes to those that know it.
func TestOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		opts catalog.Options
		want string // in the error; empty for none
	}{
		{"fst", catalog.Options{Classes: classes(t), Since: "2.57", Allowed: []string{"demo.Order"}, Hooks: []string{"demo.Order"}}, ""},
		{"kryo5", catalog.Options{Classes: classes(t), References: true, Since: "3.46.0", Allowed: []string{"demo.Order"}}, ""},
		{"kryo5", catalog.Options{Allowed: []string{"demo/Order"}}, "demo/Order"},
		{"kryo5", catalog.Options{Hooks: []string{"demo.Order"}}, "codec kryo5 does not know the option Hooks"},
		{"marshalling", catalog.Options{Classes: classes(t)}, ""},
		{"serialization", catalog.Options{Classes: classes(t)}, ""},
		{"anyof(fst,marshalling)", catalog.Options{Since: "2.57", Classes: classes(t)}, ""},
		{"anyof(fst,marshalling)", catalog.Options{References: true}, "codec anyof(fst,marshalling) does not know the option References"},
		{"marshalling", catalog.Options{Since: "1"}, "codec marshalling does not know the option Since"},
		{"StringCodec", catalog.Options{Classes: classes(t), References: true}, "codec string does not know the option Classes, References"},
		{"fst", catalog.Options{Since: "soon"}, "soon"},
		{"anyof(kryo5,fst)", catalog.Options{Since: "soon"}, "soon"},
		{"fst", catalog.Options{References: true}, "References"},
		{"lz4(kryo5)", catalog.Options{Since: "3.45.1", Classes: classes(t), References: true}, ""},
		{"lz4(string)", catalog.Options{Since: "3.45.1"}, ""},
		{"lz4(fst)", catalog.Options{Since: "3.8.1"}, ""},
		{"lz4(string)", catalog.Options{References: true}, "codec lz4(string) does not know the option References"},
		{"zstd(kryo5)", catalog.Options{Since: "3.38.1"}, "came with 3.39.0"},
		{"lz4(kryo5)", catalog.Options{Since: "3.8.1"}, "came with 3.19.0"},
		{"cborjackson", catalog.Options{Since: "4.7.0", Classes: classes(t)}, ""},
		{"kryo5", catalog.Options{Schema: "{}"}, "codec kryo5 does not know the option Schema"},
		{"avrojackson", catalog.Options{Schema: `"int"`}, ""},
		{"avrojackson", catalog.Options{Schema: `{`}, "codec avrojackson"},
		{"avrojackson3", catalog.Options{}, "needs the Avro schema"},
		{"jsonjackson", catalog.Options{Allowed: []string{"a"}, Hooks: []string{"b"}}, "Allowed, Hooks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := catalog.FindWith(c.name, c.opts)
			var e *catalog.OptionError
			switch {
			case c.want == "" && (err != nil || got == nil):
				t.Errorf("%s: %v", c.name, err)
			case c.want != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		})
	}
}

// TestAllowedOrder: Redisson sorts the names since 4.1.0.
func TestAllowedOrder(t *testing.T) {
	t.Parallel()
	for since, want := range map[string]string{"": "java.util.ArrayList", "4.1.0": "java.util.ArrayList", "3.52.0": "java.util.HashMap", "4.0": "java.util.HashMap"} {
		c := codectest.Must(catalog.FindWith("kryo5", catalog.Options{Since: since, Allowed: []string{"java.util.HashMap", "java.util.ArrayList"}}))(t)
		got, err := c.Decode([]byte{0x0b, 0x01}) // the first of them, empty
		if err != nil || java.ClassOf(got) != want {
			t.Errorf("%q: %v, %v; want %s", since, got, err, want)
		}
	}
}

// TestNames: no two codecs have one name, and the table of README has the class of each.
func TestNames(t *testing.T) {
	t.Parallel()
	readme := string(codectest.Must(os.ReadFile("../README.md"))(t))
	listed := []string{"json"} // no class of Redisson
	for _, class := range regexp.MustCompile(`\w+Codec(V2)?\b`).FindAllString(readme, -1) {
		listed = append(listed, catalog.Canonical(class))
	}
	names := append(catalog.Names(), catalog.Wrappers()...)
	for _, name := range names {
		if !slices.Contains(listed, name) {
			t.Errorf("README.md does not name the codec %s", name)
		}
	}
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); !slices.Equal(unique, names) {
		t.Error(names)
	}
}

func ExampleFind() {
	c, _ := catalog.Find("org.redisson.codec.JsonJacksonCodec")
	fmt.Println(c.Name())
	c, _ = catalog.Find("lz4(SmileJacksonCodec)")
	fmt.Println(c.Name())
	_, err := catalog.Find("FuryCodec")
	fmt.Println(err)
	// Output:
	// jsonjackson
	// lz4(smilejackson)
	// codec "FuryCodec" cannot be served from Go: its native format follows Java's class layout and changes between minor releases, and no Go library reads it; let the Java services use Kryo5Codec (kryo5) or JsonJacksonCodec (jsonjackson)
}
