package redissonconfig

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/catalog"
)

// TestCodecs: each codec that is named to a team is there, and is the one of that class.
func TestCodecs(t *testing.T) {
	t.Parallel()
	for class, c := range goCodecs {
		if _, err := catalog.Find(c.name); err != nil || catalog.Canonical("org.redisson.codec."+class+"Codec") != c.name {
			t.Errorf("%s is %s, in the catalog %s (%v)", class, c.name, catalog.Canonical(class+"Codec"), err)
		}
	}
	for class, c := range wrappers {
		if _, err := catalog.Find(c.name + "(kryo5)"); err != nil {
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
	for _, wrapper := range []string{"LZ4Codec", "LZ4CodecV2", "SnappyCodecV2", "ZStdCodec"} {
		got, err := Read(Source{File: "f", Text: []byte("singleServerConfig: {address: 'redis://a:1'}\ncodec: !<org.redisson.codec." + wrapper + "> {}\n")})
		if err != nil || !strings.Contains(string(got.YAML()), "registry.Codec(compress.") {
			t.Errorf("%s: %v", wrapper, err)
		}
	}
}
