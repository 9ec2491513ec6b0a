package foreign

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/kryo5"
)

// What Java wrote by a codec is never foreign to that codec, whatever Go knows of its
// classes: an offer must not be refused for it.
func TestNoFalseAlarmOnCapturedPayloads(t *testing.T) {
	t.Parallel()
	plain := func(writer string) string { return strings.ToLower(strings.ReplaceAll(writer, "Codec", "")) }
	for file, named := range map[string]func(string) string{
		"sniff/testdata/payloads-4.7.0.tsv": plain,
		"kryo5/testdata/kryo5.tsv": func(writer string) string {
			switch {
			case strings.Contains(writer, "jdk opens"):
				return "" // a JVM that lets Kryo look into classes of the JDK
			case strings.HasSuffix(writer, "/refs"):
				return "refs"
			}
			return "kryo5"
		},
	} {
		raw, err := os.ReadFile("../../../codecs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		for line := range strings.Lines(string(raw)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(f) < 3 || strings.HasPrefix(line, "#") || f[0] == "config" || named(f[0]) == "" {
				continue
			}
			payload, err := hex.DecodeString(f[2])
			if err != nil {
				continue // what Java failed to write
			}
			codec := codecs.Codec(kryo5.New(kryo5.References()))
			if name := named(f[0]); name != "refs" {
				if codec, err = catalog.Find(name); err != nil {
					continue // a schema or a message is needed
				}
			}
			looked++
			if name := codec.Name(); name == "string" || name == "bytearray" {
				continue // they read everything; what is no text for people is no text here
			}
			if err := readable(codec, payload, nil); err != nil {
				t.Errorf("%s: %s %s: %v", file, f[0], f[1], err)
			}
			if form := OtherForm(codec, payload); form != nil {
				t.Errorf("%s: %s %s: %v", file, f[0], f[1], form)
			}
		}
		if looked < 50 {
			t.Errorf("%s: only %d payloads", file, looked)
		}
	}
}

// The same of each codec's own vectors, as all releases wrote them.
func TestNoFalseAlarmOnVectorsOfCodecs(t *testing.T) {
	t.Parallel()
	byRow := func(row []string) string { return strings.ToLower(strings.TrimSuffix(row[0], "Codec")) }
	// Settings of their own are not what the codec's name says, and the views of key sets
	// were written otherwise before 4.0, which Since tells.
	own := regexp.MustCompile(`^\w+Codec\+|/refs|/allowed|registered|fst3|^[34]\.[0-9.]+\t(KeySetView|keySet\(v\))`)
	always := func(name string) func([]string) string { return func([]string) string { return name } }
	for pattern, c := range map[string]struct {
		codec func(row []string) string
		hex   int // column
		least int // payloads
	}{
		"jackson/testdata/[34]*.tsv":         {byRow, 3, 3000},
		"cbor/testdata/[34]*.tsv":            {byRow, 3, 1500},
		"smile/testdata/[34]*.tsv":           {byRow, 3, 1500},
		"ion/testdata/[34]*.tsv":             {byRow, 3, 1500},
		"msgpack/testdata/[34]*.tsv":         {byRow, 3, 1000},
		"jackson/testdata/hashmaps-*.tsv":    {byRow, 2, 300},
		"fst/testdata/*.tsv":                 {always("fst"), 2, 200},
		"marshalling/testdata/legacy.tsv":    {always("marshalling"), 2, 80},
		"marshalling/testdata/samples.tsv":   {always("marshalling"), 2, 50},
		"marshalling/testdata/go.tsv":        {always("marshalling"), 2, 100},
		"serialization/testdata/samples.tsv": {always("serialization"), 1, 50},
		"serialization/testdata/vectors.tsv": {always("serialization"), 1, 50},
		"kryo5/testdata/values.tsv":          {always("kryo5"), 2, 100},
		"kryo5/testdata/older.tsv":           {always("kryo5"), 2, 20},
	} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			files, err := filepath.Glob("../../../codecs/" + pattern)
			if err != nil || len(files) == 0 {
				t.Fatalf("no files: %v", err)
			}
			looked := 0
			for _, file := range files {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(string(raw)) {
					row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
					if len(row) <= c.hex || strings.HasPrefix(line, "#") || own.MatchString(line) {
						continue
					}
					payload, err := hex.DecodeString(row[c.hex])
					if err != nil || len(payload) == 0 {
						continue // what Java failed to write
					}
					codec, err := catalog.Find(c.codec(row))
					if err != nil {
						t.Fatal(err)
					}
					looked++
					if err := readable(codec, payload, nil); err != nil {
						t.Errorf("%s: %q: %v", filepath.Base(file), row[:c.hex], err)
					}
					if form := OtherForm(codec, payload); form != nil {
						t.Errorf("%s: %q: %v", filepath.Base(file), row[:c.hex], form)
					}
				}
			}
			if looked < c.least {
				t.Errorf("only %d payloads", looked)
			}
		})
	}
}
