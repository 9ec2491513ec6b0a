package sniff_test

import (
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/sniff"
)

type row struct {
	codec, sample string
	payload       []byte
}

func rows(t testing.TB) []row {
	t.Helper()
	raw, err := os.ReadFile("testdata/payloads-4.7.0.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		payload, err := hex.DecodeString(f[2])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row{f[0], f[1], payload})
	}
	return out
}

// canonical returns the name to be guessed for a Java class: the inner codec
// counts where the frame alone does not hide it.
func canonical(codec string) string {
	codec = strings.ReplaceAll(codec, "Codec", "")
	codec = strings.ReplaceAll(codec, "LZ4V2", "LZ4") // the same bytes
	if strings.HasPrefix(codec, "ZStd") {
		return "zstd(?)"
	}
	return strings.ToLower(codec)
}

// TestPayloads counts, for each codec, how often it is guessed at all and how
// often first, among what Java wrote. A bare number fits so many codecs that
// nobody can do better there.
func TestPayloads(t *testing.T) {
	t.Parallel()
	floors := map[string][2]int{ // percent first, percent at all
		"kryo5": {100, 100}, "serialization": {100, 100}, "smilejackson": {100, 100}, "zstd(?)": {100, 100},
		"lz4(kryo5)": {95, 95}, "lz4(jsonjackson)": {75, 75}, "snappy(kryo5)": {95, 95}, "snappy(jsonjackson)": {75, 75},
		"snappyv2(kryo5)": {95, 95}, "snappyv2(jsonjackson)": {75, 75},
		"jsonjackson": {80, 100}, "marshalling": {100, 100}, "fst": {100, 100}, "string": {75, 95},
		"cborjackson": {65, 70}, "msgpackjackson": {70, 70}, "ionjackson": {60, 70}, "typedjsonjackson": {45, 95},
	}
	total, first, listed := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range rows(t) {
		want := canonical(r.codec)
		total[want]++
		got := sniff.Guess(r.payload)
		if len(got) > 0 && got[0].Codec == want {
			first[want]++
		} else if len(got) > 0 && got[0].Confidence >= sniff.Strong && !excused(r, got[0]) {
			t.Errorf("%s %s: taken for %s, %s: %s", r.codec, r.sample, got[0].Codec, got[0].Confidence, got[0].Why)
		}
		if slices.ContainsFunc(got, func(c sniff.Candidate) bool { return c.Codec == want }) {
			listed[want]++
		}
	}
	for codec, floor := range floors {
		n := total[codec]
		if n < 50 || 100*first[codec] < floor[0]*n || 100*listed[codec] < floor[1]*n {
			t.Errorf("%s: of %d payloads guessed first %d, at all %d; want %d%% and %d%%", codec, n, first[codec], listed[codec], floor[0], floor[1])
		}
	}
	if len(total) != len(floors) {
		t.Errorf("codecs in the table: %d, with a floor: %d", len(total), len(floors))
	}
}

// excused: a map of TypedJsonJackson with a key "@class" looks like JsonJackson;
// inside a compressed frame, a bare scalar may be another codec's.
func excused(r row, c sniff.Candidate) bool {
	outer, _, wrapped := strings.Cut(c.Codec, "(")
	return r.sample == "map with @class key" || wrapped && strings.HasPrefix(canonical(r.codec), outer+"(")
}

func TestNamedCases(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hex        string
		codec      string
		confidence sniff.Confidence
	}{
		"nothing":             {"", "string", sniff.Weak},
		"java.io stream":      {"aced0005740000", "serialization", sniff.Certain},
		"Smile":               {"3a290a0142616263", "smilejackson", sniff.Certain},
		"zstd":                {"0000000428b52ffd0058200000036162e3010000", "zstd(?)", sniff.Certain},
		"bare zstd":           {"28b52ffd005820000003616263", "zstd(?)", sniff.Fair},
		"xerial Snappy":       {"82534e415050590000000001", "snappyv2(?)", sniff.Strong},
		"LZ4 frame":           {"04224d186040820000", "lz4v2(?)", sniff.Strong},
		"River HashMap":       {"0404383e116a6176612e7574696c2e486173684d61700507dac1c31660d1", "marshalling", sniff.Strong},
		"River 2":             {"0204383e116a6176612e7574696c2e486173684d6170", "marshalling", sniff.Strong},
		"Fory":                {"00ff0102", "fory", sniff.Fair},
		"Fury":                {"02ff01020304", "fory", sniff.Fair},
		"Kryo of Chinese":     {"010085e4b8ade69687", "kryo5", sniff.Strong},
		"bare class for Kryo": {"01004f726465f20102", "kryo5", sniff.Strong},
		"cut JSON":            {hex.EncodeToString([]byte(`{"@class":"java.util.HashMap","a":`)), "jsonjackson", sniff.Fair},
		"JSON with BOM":       {hex.EncodeToString([]byte("\xef\xbb\xbf {\"@class\":\"a.B\"}")), "jsonjackson", sniff.Strong},
		"digits":              {hex.EncodeToString([]byte("1700000000123")), "long", sniff.Fair},
		"text":                {hex.EncodeToString([]byte("hello, world")), "string", sniff.Fair},
		"binary":              {"80818283848586", "bytearray", sniff.Weak},
		"Ion":                 {hex.EncodeToString([]byte("'java.util.Date'::17")), "ionjackson", sniff.Strong},
	} {
		payload, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		got := sniff.Guess(payload)
		if len(got) == 0 || got[0].Codec != c.codec || got[0].Confidence != c.confidence || got[0].Why == "" {
			t.Errorf("%s: %v; want %s, %s", name, got, c.codec, c.confidence)
		}
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	for c, want := range map[sniff.Confidence]string{
		sniff.Weak: "weak", sniff.Fair: "fair", sniff.Strong: "strong", sniff.Certain: "certain", 0: "none",
	} {
		if c.String() != want {
			t.Errorf("%d: %s", c, c)
		}
	}
}

// FuzzGuess: no payload makes it panic; candidates come in order, each once.
func FuzzGuess(f *testing.F) {
	for _, r := range rows(f) {
		if len(r.payload) < 120 {
			f.Add(r.payload)
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		seen := map[string]bool{}
		last := sniff.Certain
		for _, c := range sniff.Guess(payload) {
			if c.Confidence > last || c.Confidence < sniff.Weak || seen[c.Codec] || c.Why == "" {
				t.Fatalf("%x: %v", payload, c)
			}
			last, seen[c.Codec] = c.Confidence, true
		}
	})
}
