package sniff_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/sniff"
)

type row struct {
	codec, sample string
	payload       []byte
}

func rows(t testing.TB) []row {
	t.Helper()
	var out []row
	for _, f := range codectest.Rows(t, "testdata/payloads-4.7.0.tsv") {
		out = append(out, row{f[0], f[1], codectest.FromHex(t, f[2])})
	}
	return out
}

// canonical returns the name to be guessed for a Java class: the inner codec
// counts where the frame alone does not hide it.
func canonical(codec string) string {
	codec = strings.ReplaceAll(codec, "Codec", "")
	codec = strings.ReplaceAll(codec, "LZ4V2", "LZ4") // the same bytes
	return strings.ToLower(codec)
}

func TestNamedCases(t *testing.T) {
	t.Parallel()
	rows := codectest.Rows(t, "testdata/named.tsv")
	for _, row := range rows {
		payload := []byte(row[2])
		if row[1] == "hex" {
			payload = codectest.FromHex(t, row[2])
		}
		got := sniff.Guess(payload)
		if len(got) == 0 || got[0].Codec != row[3] || got[0].Confidence.String() != row[4] || got[0].Why == "" {
			t.Errorf("%s: %v; want %s, %s", row[0], got, row[3], row[4])
		}
	}
	if len(rows) < 35 {
		t.Errorf("only %d rows", len(rows))
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

// TestBombs: what expands without end is judged by its frame, within bounds.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 64<<20)
	wide := codecs.Limits{Bytes: 128 << 20}
	once := codectest.Must(compress.ZStd(codecs.ByteArray(codecs.PlainLimits(wide)), compress.Limits(wide)).Encode(zeros))(t)
	twice := codectest.Must(compress.SnappyV2(codecs.ByteArray()).Encode(once))(t)
	within := codectest.Must(compress.ZStd(codecs.ByteArray()).Encode(zeros[:1<<19]))(t)
	for _, payload := range [][]byte{within, once, twice} {
		sniff.Guess(payload) // what is made once
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := sniff.Guess(payload)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 || len(got) == 0 {
			t.Errorf("%d bytes for a payload of %d: %v", used, len(payload), got)
		}
	}
	if got := sniff.Guess(once); got[0].Codec != "zstd(?)" || !strings.Contains(got[0].Why, "the limit is 1048576") {
		t.Errorf("%v", got)
	}
}

// TestVerdicts: of what any release's codecs wrote, no verdict is certain and wrong,
// and one that is strong and wrong stands beside the right one: two codecs of one
// family may write the same bytes.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, r := range captures(t) {
		want := strings.TrimSuffix(strings.TrimSuffix(r.codec, "+refs"), " 3.0")
		if strings.ToLower(r.sample) == "map with @class key" || want == "string" || want == "bytearray" {
			continue // whatever the text looks like, it may be one
		}
		got := sniff.Guess(r.payload)
		listed := slices.ContainsFunc(got, func(c sniff.Candidate) bool { return c.Codec == want && c.Confidence >= sniff.Fair })
		for _, c := range got {
			if c.Codec != want && (c.Confidence == sniff.Certain || c.Confidence == sniff.Strong && !listed) {
				t.Errorf("%s %s: taken for %s, %s: %s", r.codec, r.sample, c.Codec, c.Confidence, c.Why)
			}
		}
	}
}
