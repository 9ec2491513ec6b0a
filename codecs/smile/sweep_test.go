package smile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/smile"
)

// The texts of SmileSweep.java in integration/java/src/vectors/jackson, in its order.
var (
	sweepKinds  = []string{"x", "é", "中", "xxxxxxé", "中x", "😀"}
	sweepRanges = [][2]int{
		{31, 34}, {54, 72}, {253, 258}, {664, 668}, {995, 1005}, {1331, 1335}, {1997, 2003}, {2664, 2668}, {3994, 4002}, {7988, 8004}, {12000, 12001},
	}
)

// sweepText returns a text of that many UTF-16 units.
func sweepText(kind string, length int) string {
	if kind == "😀" {
		return strings.Repeat(kind, (length+1)/2)
	}
	units := []rune(kind)
	text := []rune(strings.Repeat(kind, length/len(units)+1))
	return string(text[:length])
}

func sweepValue(place, text string, before int) any {
	first := strings.Repeat("y", before)
	key, value := "k", text
	switch place {
	case "root":
		return text
	case "element":
		return &java.List{Class: java.ClassArrayList, Elements: []any{first, text, "z"}}
	case "key":
		key, value = text, "v"
	}
	return &java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: "p", Value: first}, {Key: key, Value: value}, {Key: "q", Value: "z"}}}
}

// TestLongTexts: texts of all lengths that matter to Jackson's buffers, in all places, are
// written as Java does, and again as they were read.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	raw := codectest.Must(os.ReadFile("testdata/sweep-4.7.0.tsv"))(t)
	makers := map[string]codecs.Codec{
		"SmileJacksonCodec": smile.Jackson(jackson.Since("4.7.0")), "SmileJackson3Codec": smile.Jackson3(jackson.Since("4.7.0")),
	}
	for line := range strings.Lines(string(raw)) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		kind, _ := strconv.Atoi(row[1])
		t.Run(strings.Join(row[:3], " "), func(t *testing.T) {
			t.Parallel()
			c, sum, payloads := makers[row[0]], sha256.New(), 0
			for _, lengths := range sweepRanges {
				for length := lengths[0]; length <= lengths[1]; length++ {
					for _, before := range sweepBefore(row[2]) {
						payload := codectest.Must(c.Encode(sweepValue(row[2], sweepText(sweepKinds[kind], length), before)))(t)
						if back, err := c.Decode(payload); err != nil {
							t.Fatal(err)
						} else if again, err := c.Encode(back); err != nil || !bytes.Equal(again, payload) {
							t.Fatalf("%d units behind %d: %v, other bytes when written again", length, before, err)
						}
						_ = binary.Write(sum, binary.BigEndian, int32(len(payload)))
						sum.Write(payload)
						payloads++
					}
				}
			}
			if got := hex.EncodeToString(sum.Sum(nil)); strconv.Itoa(payloads) != row[3] || got != row[4] {
				t.Errorf("%d payloads with SHA-256 %s, Java wrote %s with %s", payloads, got, row[3], row[4])
			}
		})
	}
}

func sweepBefore(place string) []int {
	if place == "root" {
		return []int{0}
	}
	return []int{0, 1000, 3990, 7852, 7930, 7982}
}
