package javadesc

import (
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
)

// TestJSONUsed: what annotations say is a difference where a codec of Jackson's is in use.
func TestJSONUsed(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		"package p\n\ntype T struct{ A string }\n\nfunc (T) JavaClass() string { return \"demo.T\" }\n":                                                           false,
		"package p\n\nimport _ \"github.com/duequeue/duequeue/codecs/kryo5\"\n\ntype T struct{ A string }\n\nfunc (T) JavaClass() string { return \"demo.T\" }\n": false,
		"package p\n\nimport _ \"github.com/duequeue/duequeue/codecs/msgpack\"\n":                                                                                 true,
		"package p\n\ntype T struct {\n\tA string `java:\"a,json=b\"`\n}\n\nfunc (T) JavaClass() string { return \"demo.T\" }\n":                                  true,
		"package p\n\ntype T struct{ A string }\n\nfunc (T) JavaClass() string { return \"demo.T json type=t\" }\n":                                               true,
		"package p\n\ntype T string\n\nfunc (T) JavaClass() string { return \"enum demo.T {A=1}\" }\n":                                                            true,
	} {
		p, err := gosource.Parse("p.go", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		packages := []*gosource.Package{p}
		if got := JSONAsWritten.used(packages); got != want {
			t.Errorf("%s: %v", source, got)
		}
		if !JSONUsed.used(packages) || JSONUnused.used(packages) {
			t.Error("the codec that is named does not count")
		}
	}
}
