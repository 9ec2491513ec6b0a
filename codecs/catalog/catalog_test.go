package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
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
		"LongCodec":           "long", "IntegerCodec": "integer", "DoubleCodec": "double", "org.redisson.client.codec.ByteArrayCodec": "bytearray",
	} {
		c, err := catalog.Find(name)
		if err != nil || c.Name() != want {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	for _, name := range catalog.Names() {
		c, err := catalog.FindWith(name, catalog.Options{Limits: codecs.Limits{Bytes: 77}})
		if err != nil || c.Name() != name || c.Limits().Bytes != 77 {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"SnappyCodecV2": "snappyv2", "org.redisson.codec.LZ4CodecV2": "lz4v2", "LZ4Codec(Kryo5Codec)": "lz4(kryo5)",
		"zstd( org.redisson.codec.Kryo5Codec )": "zstd(kryo5)", "MsgPackJacksonCodec": "msgpackjackson", "codec": "codec", "": "",
		"lz4(": "lz4", "anyof(lz4(Kryo5Codec),MarshallingCodec)": "anyof(lz4(kryo5),marshalling)", "anyof": "anyof", "anyof(": "anyof",
	} {
		if got := catalog.Canonical(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind catalog.Kind
		want string
	}{
		"KryoCodec":                           {catalog.Unservable, "Kryo 4"},
		"org.redisson.codec.KryoCodec":        {catalog.Unservable, "kryo5"},
		"kryo4":                               {catalog.Unservable, "Kryo 4"},
		"FuryCodec":                           {catalog.Unservable, "no Go library"},
		"fory":                                {catalog.Unservable, "no Go library"},
		"lz4(fory)":                           {catalog.Unservable, "no Go library"},
		"SmileJacksonCodec":                   {catalog.NotYet, "kryo5, jsonjackson, marshalling, serialization, fst, string"},
		"msgpackjackson":                      {catalog.NotYet, "not in this release"},
		"org.redisson.codec.LZ4Codec":         {catalog.NotYet, "not in this release"},
		"lz4(kryo5)":                          {catalog.NotYet, "not in this release"},
		"CompositeCodec":                      {catalog.Unservable, "third codec"},
		"gson":                                {catalog.Unknown, "there are kryo5"},
		"":                                    {catalog.Unknown, "empty"},
		"com.acme.codec.SpecialMessagesCodec": {catalog.Unknown, "unknown codec"},
	} {
		_, err := catalog.Find(name)
		var e *catalog.UnknownError
		if !errors.As(err, &e) || e.Kind != c.kind || e.Name != name || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want kind %d, %q", name, err, c.kind, c.want)
		}
	}
}

// TestAnyOfRefused: the error is about the codec at fault.
func TestAnyOfRefused(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"anyof(kryo5,msgpackjackson)": "msgpackjackson", "anyof(kryo5, FuryCodec)": " FuryCodec", "anyof()": "", "anyof(kryo5,)": "",
	} {
		_, err := catalog.Find(name)
		var e *catalog.UnknownError
		if !errors.As(err, &e) || e.Name != want {
			t.Errorf("%q: %v", name, err)
		}
	}
	var e *catalog.OptionError
	if c, err := catalog.Find("anyof(string,kryo5)"); !errors.As(err, &e) {
		t.Errorf("a list of which only the first codec can ever read: %v, %v", c, err)
	}
}

func classes(t *testing.T) *java.Classes {
	t.Helper()
	set, err := java.NewClasses(&java.Class{Name: "demo.Order"})
	if err != nil {
		t.Fatal(err)
	}
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
		{"jsonjackson", catalog.Options{Allowed: []string{"a"}, Hooks: []string{"b"}}, "Allowed, Hooks"},
	} {
		got, err := catalog.FindWith(c.name, c.opts)
		var e *catalog.OptionError
		switch {
		case c.want == "" && (err != nil || got == nil):
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestAllowedOrder: Redisson sorts the names since 4.1.0.
func TestAllowedOrder(t *testing.T) {
	t.Parallel()
	for since, want := range map[string]string{"": "java.util.ArrayList", "4.1.0": "java.util.ArrayList", "3.52.0": "java.util.HashMap", "4.0": "java.util.HashMap"} {
		c, err := catalog.FindWith("kryo5", catalog.Options{Since: since, Allowed: []string{"java.util.HashMap", "java.util.ArrayList"}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Decode([]byte{0x0b, 0x01}) // the first of them, empty
		if err != nil || java.ClassOf(got) != want {
			t.Errorf("%q: %v, %v; want %s", since, got, err, want)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	names := catalog.Names()
	slices.Sort(names)
	if len(slices.Compact(names)) != len(catalog.Names()) {
		t.Error(names)
	}
}

func ExampleFind() {
	c, _ := catalog.Find("org.redisson.codec.JsonJacksonCodec")
	fmt.Println(c.Name())
	_, err := catalog.Find("SmileJacksonCodec")
	fmt.Println(err)
	// Output:
	// jsonjackson
	// codec "SmileJacksonCodec" is not in this release: there are kryo5, jsonjackson, marshalling, serialization, fst, string, long, integer, double, bytearray
}
