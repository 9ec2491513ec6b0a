package interop_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// updateReadBack writes testdata/readback anew, by: go test ./interop -run
// TestRedisson/.*/JavaReadsBack -args -update-readback
var updateReadBack = flag.Bool("update-readback", false, "write testdata/readback by what the jars do")

// roots are messages that are no beans: Roots.java has them.
var roots = []string{
	"text", "empty", "longtext", "true", "int", "long", "large", "short", "byte", "float", "double", "tiny", "nan", "char", "decimal",
	"thousand", "huge", "negative", "date", "uuid", "enum", "bytes", "uri", "locale", "list", "map", "linkedlist", "aslist", "listof",
	"mapof", "setof", "hashset", "linkedhashset", "enumset", "treemap", "longkeys", "record", "records", "strings", "longs", "ints",
	"boxedlongs", "objects", "repeats",
}

// javaReadsBack: which values a release's own codecs write and cannot read, or read
// as something else, is what testdata/readback says, no more and no less. The other
// tests of the family leave out what stands there, so that it must be true.
func javaReadsBack(t testing.TB, b *bench) {
	var have []string
	asked := 0
	for _, f := range formatsOf(t, b.version) {
		if f.carries&(documents|wrapped|messages) == 0 {
			continue
		}
		samples := slices.Clone(f.only)
		if f.roots {
			for _, name := range roots {
				samples = append(samples, jvm.Sample("root."+name))
			}
		}
		asked += len(samples)
		for _, s := range samples {
			if v := b.jvm.ReadBack(t, f.asked(s), s); v != jvm.ReadsEqual {
				kind, what, _ := strings.Cut(string(v), " ")
				if kind == "other" || len(what) > 120 {
					what = ""
				}
				name, _, _ := strings.Cut(f.java, ",")
				have = append(have, strings.TrimSpace(strings.Join([]string{name, string(s), kind, what}, " ")))
			}
		}
	}
	if asked == 0 {
		return // the codecs in question are tested with other releases: see formatsOf
	}
	slices.Sort(have)
	file := filepath.Join("testdata", "readback", b.version+".txt")
	if *updateReadBack {
		if err := os.WriteFile(file, []byte(strings.Join(have, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := lines(t, file)
	for _, line := range have {
		if !slices.Contains(want, line) {
			t.Errorf("Redisson %s: %s: not so in %s", b.version, line, file)
		}
	}
	for _, line := range want {
		if !slices.Contains(have, line) {
			t.Errorf("Redisson %s does no longer what %s says: %s", b.version, file, line)
		}
	}
}

func lines(t testing.TB, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	var out []string
	for in := bufio.NewScanner(f); in.Scan(); {
		out = append(out, in.Text())
	}
	return out
}

// bytesOfRoots: what a release writes of a value that is no bean comes back as a
// value of package java, and is written as the same bytes.
func bytesOfRoots(t testing.TB, b *bench) {
	for _, f := range formatsOf(t, b.version) {
		if !f.roots || f.reads {
			continue
		}
		codec := f.dynamic(rootClasses(t))
		for _, name := range roots {
			sample := jvm.Sample("root." + name)
			if !b.jvm.ReadBack(t, f.asked(sample), sample).Written() {
				continue
			}
			want := b.jvm.EncodeHex(t, f.asked(sample), sample)
			value, err := codec.Decode(unhex(t, want))
			if err != nil {
				t.Errorf("%s, %s: %v", sample, f.java, err)
				continue
			}
			payload, err := codec.Encode(value)
			if err != nil {
				t.Errorf("%s, %s: encode %#v: %v", sample, f.java, value, err)
			} else if got := fmt.Sprintf("%x", payload); got != want {
				at := difference(got, want)
				t.Errorf("%s, %s: differs at byte %d\n got …%s\njava …%s", sample, f.java, at/2, window(got, at), window(want, at))
			}
		}
	}
}
