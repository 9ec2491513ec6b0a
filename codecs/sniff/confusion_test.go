package sniff_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/sniff"
)

var update = flag.Bool("update", false, "write the golden file anew")

// captured reads one file of testdata: writer, sample, hex in the given columns.
func captured(tb testing.TB, file string, writer func(fields []string) string) []row {
	tb.Helper()
	var out []row
	for _, f := range codectest.Rows(tb, "testdata/"+file) {
		if len(f) == 2 {
			f = append([]string{""}, f...) // a file of one writer
		}
		if len(f) < 3 || f[0] == "config" || f[2] == "" {
			continue
		}
		at := 1
		if len(f) > 3 && (f[1] == "root" || f[1] == "nested") {
			at = 2
		}
		codec := writer(f)
		payload, err := hex.DecodeString(f[at+1])
		if err != nil && codec != "" && !strings.HasPrefix(f[at+1], "WRITEFAIL") {
			tb.Fatalf("%s %s: %v", file, f[at], err)
		}
		if err == nil {
			out = append(out, row{codec, f[at], payload})
		}
	}
	return out
}

// captures are all payloads that Java wrote, by the codec that wrote them; those
// inside compressing wrappers are left out, because they are the same again.
func captures(tb testing.TB) []row {
	out := captured(tb, "../../kryo5/testdata/kryo5.tsv", func(f []string) string {
		if strings.HasSuffix(f[0], "/refs") {
			return "kryo5+refs"
		}
		return "kryo5"
	})
	out = append(out, legacy(tb)...)
	for _, r := range captured(tb, "payloads-4.7.0.tsv", func(f []string) string { return canonical(f[0]) }) {
		if !strings.Contains(r.codec, "(") {
			out = append(out, r)
		}
	}
	for _, file := range []string{"jackson", "cbor", "smile"} {
		for _, r := range captured(tb, "../../"+file+"/testdata/4.7.0.tsv", jackson3) {
			if r.codec != "" {
				out = append(out, r)
			}
		}
	}
	return out
}

// legacy are the payloads of the codecs that were there before Kryo 5.
func legacy(tb testing.TB) []row {
	out := captured(tb, "../../marshalling/testdata/legacy.tsv", func([]string) string { return "marshalling" })
	out = append(out, captured(tb, "../../fst/testdata/vectors.tsv", func(f []string) string {
		return map[string]string{"fst": "fst", "fst3": "fst 3.0"}[f[0]]
	})...)
	return append(out, captured(tb, "../../serialization/testdata/vectors.tsv", func([]string) string { return "serialization" })...)
}

// jackson3 returns the codec of a row of what the codecs of Jackson 3 wrote as a
// whole payload, "" of all others.
func jackson3(f []string) string {
	if !strings.HasSuffix(f[0], "Jackson3Codec") || f[1] != "root" {
		return ""
	}
	return canonical(f[0])
}

// wrapped are payloads within compressing codecs, for Guess alone.
func wrapped(tb testing.TB) []row {
	var out []row
	for _, r := range captured(tb, "payloads-4.7.0.tsv", func(f []string) string { return canonical(f[0]) }) {
		if strings.Contains(r.codec, "(") {
			out = append(out, r)
		}
	}
	return out
}

// reader is a codec with its settings.
type reader struct {
	name string
	codecs.Codec
}

// readers are all codecs of the catalog, and settings of them that the vectors need.
func readers(tb testing.TB) []reader {
	var out []reader
	for _, name := range catalog.Names() {
		if strings.HasPrefix(name, "avro") || name == "protobuf" {
			continue // their payloads mean nothing without a schema or a type
		}
		c := codectest.Must(catalog.Find(name))(tb)
		out = append(out, reader{name, codecs.Whole(c)}) // as lists of codecs and Guess read
		switch name {
		case "kryo5":
			out = append(out, reader{"kryo5+refs", kryo5.New(kryo5.References())})
		case "fst":
			out = append(out, reader{"fst 3.0", fst.New(fst.Version("3.0.3"))})
		}
	}
	return out
}

// greedy codecs accept any bytes: their columns say nothing.
func greedy(c reader) bool { return c.Name() == "string" || c.Name() == "bytearray" }

// TestConfusion measures which codec reads what another one wrote, and what Guess
// takes it for. The golden file is the figure to look at when a codec learns to
// read more: what grows off the diagonal is confusion.
func TestConfusion(t *testing.T) {
	t.Parallel()
	rows, all := captures(t), readers(t)
	if len(rows) < 900 {
		t.Fatalf("only %d payloads", len(rows))
	}
	total := map[string]int{}
	read := map[[2]string]int{}
	first := map[[2]string]int{}
	var strange []string
	for _, r := range rows {
		total[r.codec]++
		for _, c := range all {
			v, err := c.Decode(r.payload)
			if err != nil {
				continue
			}
			read[[2]string{r.codec, c.name}]++
			// Text that is JSON or a number is JSON or a number.
			if !greedy(c) && r.codec != "string" && kind(r.codec) != kind(c.Name()) {
				strange = append(strange, fmt.Sprintf("%s, %q: %s reads a %s", r.codec, r.sample, c.name, class(v)))
			}
		}
		first[[2]string{r.codec, guessed(r.payload)}]++
	}
	inTotal, inFirst := map[string]int{}, map[[2]string]int{}
	for _, r := range wrapped(t) {
		inTotal[r.codec]++
		inFirst[[2]string{r.codec, guessed(r.payload)}]++
	}
	var out strings.Builder
	out.WriteString("# Which codec reads to its end what another one wrote: payloads read, of all\n\n")
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.name
	}
	table(&out, total, read, names)
	out.WriteString("\n# What Guess takes it for, first\n\n")
	table(&out, total, first, columns(first))
	out.WriteString("\n# What Guess takes it for, first, within compressing codecs\n\n")
	table(&out, inTotal, inFirst, columns(inFirst))
	out.WriteString("\n# Payloads that a codec of another kind reads, without those that string wrote and those that string and bytearray read\n\n")
	for _, line := range strange {
		out.WriteString(line + "\n")
	}
	codectest.Golden(t, "testdata/confusion.golden", out.String(), *update)
}

// kind is what makes a confusion ordinary: a codec in whatever setting, all formats
// of text, which are JSON and numbers, and the two generations of CBOR and of Smile.
func kind(codec string) string {
	codec, _, _ = strings.Cut(codec, "+")
	codec, _, _ = strings.Cut(codec, " ")
	codec = strings.TrimSuffix(codec, "3")
	switch codec {
	case "json", "jsonjackson", "typedjsonjackson", "ionjackson", "long", "integer", "double":
		return "text"
	}
	return codec
}

func class(v any) string {
	if v == nil {
		return "null"
	}
	if c := java.ClassOf(v); c != "" {
		return c
	}
	return fmt.Sprintf("%T", v)
}

// guessed is the first guess.
func guessed(payload []byte) string {
	if found := sniff.Guess(payload); len(found) > 0 {
		return found[0].Codec
	}
	return "nothing"
}

func columns(cells map[[2]string]int) []string {
	seen := map[string]bool{}
	for k := range cells {
		seen[k[1]] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func table(out *strings.Builder, total map[string]int, cells map[[2]string]int, columns []string) {
	fmt.Fprintf(out, "%-24s%6s", "written by", "all")
	for _, c := range columns {
		fmt.Fprintf(out, "%*s", max(len(c)+2, 8), c)
	}
	out.WriteByte('\n')
	for _, writer := range slices.Sorted(maps.Keys(total)) {
		fmt.Fprintf(out, "%-24s%6d", writer, total[writer])
		for _, c := range columns {
			cell := "."
			if n := cells[[2]string{writer, c}]; n > 0 {
				cell = fmt.Sprint(n)
			}
			fmt.Fprintf(out, "%*s", max(len(c)+2, 8), cell)
		}
		out.WriteByte('\n')
	}
}

// TestLegacyConfidence: payloads of the old codecs are named with a reason that
// tells their class.
func TestLegacyConfidence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hex, codec string
		confidence sniff.Confidence
		why        string
	}{
		"River string":         {"043e0a66666666666666666631", "marshalling", sniff.Strong, "it reads to its end, as java.lang.String"},
		"River Integer":        {"044b0000002a", "marshalling", sniff.Fair, "as java.lang.Integer"},
		"River list":           {"0453025a4b000000013e0161", "marshalling", sniff.Strong, "as java.util.ArrayList"},
		"java.io string":       {"aced0005740003616263", "serialization", sniff.Certain, "it reads to its end, as java.lang.String"},
		"java.io cut":          {"aced000574000361", "serialization", sniff.Certain, "does not read to its end"},
		"FST map":              {"000f01fc076f726465724964fc03313030", "fst", sniff.Strong, "as java.util.HashMap"},
		"FST bean":             {"00010a64656d6f2e4f7264657205fc016100", "fst", sniff.Strong, "up to the class demo.Order, which needs a descriptor"},
		"FST string":           {"fc0a66666666666666666631", "fst", sniff.Strong, "as java.lang.String"},
		"FST Long":             {"f680e803", "fst", sniff.Fair, "as java.lang.Long"},
		"Kryo Float, or River": {"043e026162", "marshalling", sniff.Fair, "as java.lang.String"},
	} {
		got := sniff.Guess(codectest.FromHex(t, c.hex))
		i := slices.IndexFunc(got, func(g sniff.Candidate) bool { return g.Codec == c.codec })
		if i < 0 || got[i].Confidence != c.confidence || !strings.Contains(got[i].Why, c.why) {
			t.Errorf("%s: %v; want %s, %s, %q", name, got, c.codec, c.confidence, c.why)
		}
	}
}

// FuzzGuessLegacy: the real decoders behind Guess keep its promise on bytes that
// begin like theirs.
func FuzzGuessLegacy(f *testing.F) {
	for _, r := range legacy(f) {
		if len(r.payload) < 400 {
			f.Add(r.payload)
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range sniff.Guess(payload) {
			if c.Why == "" || c.Confidence < sniff.Weak {
				t.Fatalf("%x: %v", payload, c)
			}
		}
	})
}
