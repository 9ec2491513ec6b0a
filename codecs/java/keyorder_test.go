package java

import (
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/keyorder"
)

// numbers reads numbers separated by spaces.
func numbers(t *testing.T, text string) []int64 {
	t.Helper()
	var out []int64
	for field := range strings.FieldsSeq(text) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func dateOf(n []int64) LocalDate { return LocalDate{int32(n[0]), uint8(n[1]), uint8(n[2])} }

func clockOf(n []int64) LocalTime {
	return LocalTime{uint8(n[0]), uint8(n[1]), uint8(n[2]), int32(n[3])}
}

// goldenKey reads one key of keyorder.txt.
func goldenKey(t *testing.T, kind, text string) any {
	t.Helper()
	switch kind {
	case "integer":
		n, _ := new(big.Int).SetString(text, 10)
		return n
	case "decimal":
		d, err := ParseBigDecimal(text)
		if err != nil || d.String() != text {
			t.Fatalf("%s: %s, %v", text, d, err)
		}
		return d
	case "uuid":
		u, err := ParseUUID(text)
		if err != nil || u.String() != text {
			t.Fatalf("%s: %s, %v", text, u, err)
		}
		return u
	case "zone":
		return Text{"java.time.ZoneRegion", text}
	case "charset":
		return Text{"sun.nio.cs." + strings.ReplaceAll(text, "-", "_"), text}
	case "zoneddatetime":
		at := strings.LastIndexByte(text, ' ')
		n := numbers(t, text[:at])
		return ZonedDateTime{dateOf(n), clockOf(n[3:]), text[at+1:], ZoneOffset(n[7]), true}
	case "bitset":
		b := &BitSet{}
		for _, w := range numbers(t, text) {
			b.Words = append(b.Words, uint64(w))
		}
		return b
	}
	return goldenTime(t, kind, numbers(t, text))
}

func goldenTime(t *testing.T, kind string, n []int64) any {
	t.Helper()
	switch kind {
	case "date":
		return Date{Millis: n[0]}
	case "instant":
		return Instant{n[0], int32(n[1])}
	case "duration":
		return Duration{n[0], int32(n[1])}
	case "localdate":
		return dateOf(n)
	case "localtime":
		return clockOf(n)
	case "localdatetime":
		return LocalDateTime{dateOf(n), clockOf(n[3:])}
	case "zoneoffset":
		return ZoneOffset(n[0])
	case "offsettime":
		return OffsetTime{clockOf(n), ZoneOffset(n[4])}
	case "offsetdatetime":
		return OffsetDateTime{dateOf(n), clockOf(n[3:]), ZoneOffset(n[7])}
	case "year":
		return Year(n[0])
	case "yearmonth":
		return YearMonth{int32(n[0]), uint8(n[1])}
	case "monthday":
		return MonthDay{uint8(n[0]), uint8(n[1])}
	case "period":
		return Period{int32(n[0]), int32(n[1]), int32(n[2])}
	}
	t.Fatalf("unknown kind %s", kind)
	return nil
}

// TestKeysGolden compares hash codes and orders with the JDK's; the generator
// integration/java/src/vectors/hashorder/KeyOrder.java says how the file was made.
func TestKeysGolden(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/keyorder.txt")
	if err != nil {
		t.Fatal(err)
	}
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
			if m := (&Map{Entries: []Entry{{key, 1}}}); f[1] != "bitset" {
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
		if !sameKey(shuffled[at], want[i]) {
			t.Errorf("mark %c, %d keys:\n got %v\nwant %v", mark, len(want), permuted(shuffled, got), want)
			return
		}
	}
}
