package redissonconfig

import (
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/catalog"
)

// TestCodecs: each codec that is named to a team is there, and is the one of that class.
func TestCodecs(t *testing.T) {
	t.Parallel()
	known := []string{"json", "avrojackson", "avrojackson3"} // no class of Redisson, and two that need a schema
	for class, c := range goCodecs {
		known = append(known, c.name)
		if _, err := catalog.Find(c.name); err != nil || catalog.Canonical("org.redisson.codec."+class+"Codec") != c.name {
			t.Errorf("%s is %s, in the catalog %s (%v)", class, c.name, catalog.Canonical(class+"Codec"), err)
		}
	}
	for _, name := range catalog.Names() {
		if !slices.Contains(known, name) {
			t.Errorf("nothing is said of the codec %s", name)
		}
	}
	for class, c := range wrappers {
		if _, err := catalog.Find(c.name + "(kryo5)"); err != nil || catalog.Canonical(strings.TrimSuffix(class, "CodecV2")+map[bool]string{true: "CodecV2", false: "Codec"}[strings.HasSuffix(class, "V2")]) != c.name {
			t.Errorf("%s is %s: %v", class, c.name, err)
		}
	}
	for text, want := range map[string]string{
		"": "3.19", "3.8.1": "jackson.JsonJackson(jackson.Since(\"3.8.1\"))", "3.12.5": "fst.New()", "3.13.0": "marshalling.New()", "4.7.0": "kryo5.New(kryo5.Since(\"4.7.0\"))",
	} {
		got, err := Read(Source{File: "f", Release: text, Text: []byte("singleServerConfig: {address: 'redis://a:1'}\n")})
		if err != nil || !strings.Contains(string(got.YAML()), want) {
			t.Errorf("by default %q declares %v (%v), want %s", text, got, err, want)
		}
	}
	for wrapper, want := range map[string]string{
		"LZ4Codec 3.8.1": "compress.LZ4(fst.New(), compress.Since(\"3.8.1\")))", "LZ4CodecV2 ": "compress.LZ4V2(kryo5.New()))", "SnappyCodecV2 3.18.1": "compress.SnappyV2(marshalling.New(), ", "LZ4Codec 3.12.5": "which codec is compressed", "ZStdCodec ": "compress.ZStd(kryo5.New())",
	} {
		class, version, _ := strings.Cut(wrapper, " ")
		got, err := Read(Source{File: "f", Release: version, Text: []byte("singleServerConfig: {address: 'redis://a:1'}\ncodec: !<org.redisson.codec." + class + "> {}\n")})
		if err != nil || !strings.Contains(string(got.YAML()), want) {
			t.Errorf("%s: %v", wrapper, err)
		}
	}
}
