package javadesc

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

// TestArgumentTypes: a type argument has no tag, so its Go type leads back to it or
// keeps the class of the value.
func TestArgumentTypes(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		"java.lang.String":                                                "string",
		"java.lang.Long":                                                  "*int64",
		"java.util.Date":                                                  "time.Time",
		"java.sql.Timestamp":                                              "*java.Date",
		"java.time.Instant":                                               "*java.Instant",
		"java.util.List<java.lang.String>":                                "[]string",
		"java.util.Set<java.lang.String>":                                 "*java.List",
		"java.util.List<java.util.Set<java.lang.String>>":                 "*java.List",
		"java.util.Map<java.lang.String,java.lang.Integer>":               "map[string]int32",
		"java.util.TreeMap<java.lang.String,java.util.Date>":              "*java.Map",
		"java.util.concurrent.atomic.AtomicReference<java.time.Duration>": "*java.Object",
		"java.util.Optional<java.lang.String>":                            "*java.Object",
		"java.lang.String[]":                                              "*java.List",
		"int[]":                                                           "any",
		"byte[]":                                                          "[]byte",
		"java.time.ZoneId":                                                "any",
		"java.util.Map<java.lang.String,java.util.List<java.util.Optional<?>>>": "*java.Map",
	} {
		t.Run(declared, func(t *testing.T) {
			expr, err := java.ParseType(declared)
			if err != nil {
				t.Fatal(err)
			}
			g := &generator{}
			if got := g.argumentType(&java.Class{Name: "demo.Box"}, expr); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
