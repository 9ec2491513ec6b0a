package interop_test

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// vectorSet is a part of a file of vectors, and the release that writes it.
type vectorSet struct {
	version string
	beside  string // the release of a run with which it is tested; empty: its own
	codec   string // as the Java program calls it
	file    string // in codecs
	config  string // first column of the file; empty for a file without it
	// except are rows that this release writes differently here: see the reason.
	except []string
	reason string
}

const (
	kryoVectors  = "kryo5/testdata/kryo5.tsv"
	riverVectors = "marshalling/testdata/legacy.tsv"
	javaVectors  = "serialization/testdata/vectors.tsv"
	fstVectors   = "fst/testdata/vectors.tsv"
)

// vectorSets are all that a release of ours writes again. Protocols 2 and 3 of River
// and FST 3 are set by no release.
var vectorSets = []vectorSet{
	{version: "4.7.0", codec: "kryo5", file: kryoVectors, config: "redisson4.7/kryo5.6.2"},
	{version: "4.7.0", codec: "kryo5+refs", file: kryoVectors, config: "redisson4.7/kryo5.6.2/refs"},
	{
		version: "3.27.2", codec: "kryo5", file: kryoVectors, config: "redisson3.19.1-3.34/kryo5.5.0",
		except: []string{"AtomicBoolean", "AtomicInteger", "AtomicLong", "AtomicReference"},
		reason: "the vectors were taken without the flag that opens java.util.concurrent.atomic, so that writing failed",
	},
	{version: "3.19.0", codec: "kryo5", file: kryoVectors, config: "redisson3.19.0/kryo5.3.0(jdk opens)"},
	{version: "3.18.1", codec: "marshalling", file: riverVectors, config: "river4"},
	{version: "3.13.5", beside: "3.13.6", codec: "marshalling", file: riverVectors, config: "river4-2.0.9"},
	{version: "4.7.0", codec: "serialization", file: javaVectors},
	{version: "3.12.5", codec: "fst", file: fstVectors, config: "fst"},
}

// TestVectors: the golden data of the codecs is what the released jars write, row by
// row, from the values in ../java/src/vectors.
func TestVectors(t *testing.T) {
	t.Parallel()
	chosen := releases(t)
	for _, set := range vectorSets {
		if with := cmp.Or(set.beside, set.version); !slices.Contains(chosen, with) {
			t.Logf("report: the vectors of %s %s are not compared: Redisson %s is not among the releases of this run", set.file, set.config, with)
			continue
		}
		t.Run(set.version+"/"+set.codec, func(t *testing.T) {
			t.Parallel()
			written := writtenBy(t, set)
			rows := vectors(t, set)
			if len(rows) == 0 {
				t.Fatalf("%s has no rows of %s", set.file, set.config)
			}
			for label, want := range rows {
				if got, ok := written[label]; !ok {
					t.Errorf("%s: the Java program has no such value", label)
				} else if !slices.Contains(set.except, label) && !sameVector(got, want) {
					at := difference(got, want)
					t.Errorf("%s differs at byte %d\n got …%s\nwant …%s", label, at/2, window(got, at), window(want, at))
				}
			}
			if set.except != nil {
				t.Logf("report: %v are not compared: %s", set.except, set.reason)
			}
			t.Logf("report: Redisson %s writes %d vectors of %s %s again", set.version, len(rows)-len(set.except), set.file, set.config)
		})
	}
}

// sameVector compares hex; what could not be written is empty in the files.
func sameVector(got, want string) bool {
	return got == want || want == "" && strings.HasPrefix(got, "WRITEFAIL")
}

func writtenBy(t *testing.T, set vectorSet) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(jvm.Run(t, set.version, "Main", set.codec)) {
		label, hex, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[label] = hex
	}
	return out
}

// vectors are the rows of one configuration: label and hex.
func vectors(t *testing.T, set vectorSet) map[string]string {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "codecs", set.file))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only read
	rows := map[string]string{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		row, ok := lines.Text(), true
		if set.config != "" {
			row, ok = strings.CutPrefix(row, set.config+"\t")
		}
		if columns := strings.Split(row, "\t"); ok && len(columns) > 1 {
			rows[columns[0]] = columns[1]
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}
