package marshalling

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/serial/serialtest"
)

// vector is one payload that Java wrote.
type vector struct {
	library, label string
	payload        []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB, file string) []vector {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	var out []vector
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 || !strings.HasPrefix(f[0], "river") {
			continue
		}
		payload, err := hex.DecodeString(f[2])
		if err != nil {
			tb.Fatalf("%s: %v", f[1], err)
		}
		out = append(out, vector{library: f[0], label: f[1], payload: payload})
	}
	if len(out) == 0 {
		tb.Fatalf("%s holds no payload", file)
	}
	return out
}

// samples are all payloads that Java wrote, named by library and label.
func samples(tb testing.TB) []serialtest.Vector {
	tb.Helper()
	var out []serialtest.Vector
	for _, v := range append(vectors(tb, "legacy.tsv"), vectors(tb, "samples.tsv")...) {
		out = append(out, serialtest.Vector{Name: v.library + "/" + v.label, Payload: v.payload})
	}
	return out
}

// differs are the vectors that are not written as Java wrote them, with the
// reason.
var differs = func() map[string]string {
	out := map[string]string{}
	for _, label := range []string{"MyList", "MyList[e]", "MyAd", "MyLL", "dblbrace list", "tags"} {
		out["river4-2.0.9/"+label] = "the superclass of a list is written as library 2.0.10 and later do"
	}
	for _, label := range []string{"String fffffffff1", "HashMap {orderId:100}", "Color.GREEN", "Order"} {
		out["river2/"+label] = "protocol 4 is written, as Redisson does"
		out["river3/"+label] = "protocol 4 is written, as Redisson does"
	}
	return out
}()
