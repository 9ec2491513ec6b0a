package keyorder_test

import (
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
)

// numbers reads numbers separated by spaces.
func numbers(t *testing.T, text string) []int64 {
	t.Helper()
	var out []int64
	for field := range strings.FieldsSeq(text) {
		n := codectest.Must(strconv.ParseInt(field, 10, 64))(t)
		out = append(out, n)
	}
	return out
}

// goldenKey reads one key of keyorder.txt.
func goldenKey(t *testing.T, kind, text string) any {
	t.Helper()
	switch kind {
	case "integer":
		n, _ := new(big.Int).SetString(text, 10)
		return n
	case "decimal":
		d, err := java.ParseBigDecimal(text)
		if err != nil || d.String() != text {
			t.Fatalf("%s: %s, %v", text, d, err)
		}
		return d
	case "uuid":
		u, err := java.ParseUUID(text)
		if err != nil || u.String() != text {
			t.Fatalf("%s: %s, %v", text, u, err)
		}
		return u
	case "zone":
		return java.Text{Class: "java.time.ZoneRegion", Value: text}
	case "charset":
		return java.Text{Class: "sun.nio.cs." + strings.ReplaceAll(text, "-", "_"), Value: text}
	case "bitset":
		b := &java.BitSet{}
		for _, w := range numbers(t, text) {
			b.Words = append(b.Words, uint64(w))
		}
		return b
	}
	return goldenTime(t, kind, text)
}

// goldenTime makes a value of the parts of its class; the id of a zone is the last word.
func goldenTime(t *testing.T, kind, text string) any {
	t.Helper()
	var p jdk.Value
	if at := strings.LastIndexByte(text, ' '); kind == "zoneddatetime" {
		p.Zone, text = text[at+1:], text[:at]
	}
	n := numbers(t, text)
	if kind == "date" {
		return java.Date{Millis: n[0]}
	}
	for _, row := range jdk.All() {
		if row.Parts == nil || strings.ToLower(row.Class) != "java.time."+kind {
			continue
		}
		for _, part := range row.Parts {
			switch part {
			case jdk.Date:
				p.SetDate(n[0], n[1], n[2])
				n = n[3:]
			case jdk.Clock:
				p.SetClock(n[0], n[1], n[2], n[3])
				n = n[4:]
			case jdk.Zone:
				p.Offset, p.HasOffset = int32(n[0]), true
			default:
				set(&p, part, n[0])
				n = n[1:]
			}
		}
		return row.Join(&p)
	}
	t.Fatalf("unknown kind %s", kind)
	return nil
}

func set(p *jdk.Value, part jdk.Part, n int64) {
	switch part {
	case jdk.Epoch, jdk.Seconds:
		p.Seconds = n
	case jdk.Month:
		p.Month = uint8(n)
	case jdk.Day:
		p.Day = uint8(n)
	default:
		*p.Int(part) = int32(n)
	}
}

// TestKeysGolden compares hash codes and orders with the JDK's; the generator
// integration/java/src/vectors/hashorder/KeyOrder.java says how the file was made.
func TestKeysGolden(t *testing.T) {
	t.Parallel()
	text := codectest.Must(os.ReadFile("testdata/keyorder.txt"))(t)
	lines := map[string]int{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		lines[f[0]]++
		switch f[0] {
		case "h":
			key := goldenKey(t, f[1], f[2])
			if h, ok := keyorder.HashCode(key); !ok || strconv.Itoa(int(h)) != f[3] {
				t.Errorf("%s %s: hash code %d, %v; Java's is %s", f[1], f[2], h, ok, f[3])
			}
			if m := (&java.Map{Entries: []java.Entry{{Key: key, Value: 1}}}); f[1] != "bitset" {
				if _, found := m.Get(goldenKey(t, f[1], f[2])); !found {
					t.Errorf("%s %s is not found in a map", f[1], f[2])
				}
			}
		case "s":
			var want []any
			for key := range strings.SplitSeq(f[2], ";") {
				want = append(want, goldenKey(t, f[1], key))
			}
			checkOrder(t, '<', want)
		default:
			var want []any
			for key := range strings.SplitSeq(f[1], ",") {
				if key != "" {
					want = append(want, key)
				}
			}
			checkOrder(t, map[string]byte{"c": '#', "t": '%', "p": '#'}[f[0]], want)
		}
	}
	if lines["h"] != 240 || lines["c"] != 144 || lines["t"] != 48 || lines["p"] != 48 || lines["s"] != 16 {
		t.Errorf("the golden file holds %v", lines)
	}
}

func checkOrder(t *testing.T, mark byte, want []any) {
	t.Helper()
	shuffled := slices.Clone(want)
	rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	got, err := keyorder.Elements(shuffled, mark)
	if err != nil {
		t.Error(err)
		return
	}
	for i, at := range got {
		if keyorder.Compare(shuffled[at], want[i]) != 0 {
			t.Errorf("mark %c, %d keys:\n got %v\nwant %v", mark, len(want), got, want)
			return
		}
	}
}
