package keyorder_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestHashMapGolden compares with the order of the JDK's own HashMap; the
// integration/java/src/vectors/hashorder/HashOrder.java says how the file was made.
func TestHashMapGolden(t *testing.T) {
	t.Parallel()
	text := codectest.Must(os.ReadFile("testdata/hashorder.txt"))(t)
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		kind, list, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		want := parseKeys(t, kind, list)
		shuffled := slices.Clone(want)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		got := codectest.Must(keyorder.HashMap(shuffled))(t)
		if !slices.EqualFunc(got, want, equalKey) {
			t.Errorf("line %d (%s, %d keys):\n got %v\nwant %v", n, kind, len(want), got, want)
		}
		if kind == "s" {
			checkStrings(t, n, want, shuffled)
		}
	}
	if n != 1000 {
		t.Errorf("golden file holds %d maps, want 1000", n)
	}
}

func checkStrings(t *testing.T, n int, want, shuffled []any) {
	t.Helper()
	keys := make([]string, len(shuffled))
	for i, k := range shuffled {
		keys[i] = k.(string)
	}
	keyorder.Strings(keys)
	for i, k := range keys {
		if k != want[i] {
			t.Errorf("line %d: Strings gives %q at %d, want %q", n, k, i, want[i])
			return
		}
	}
}

func equalKey(a, b any) bool {
	x, ok := a.(float64)
	y, _ := b.(float64)
	if ok {
		return math.Float64bits(x) == math.Float64bits(y)
	}
	return a == b
}

func parseKeys(t *testing.T, kind, list string) []any {
	t.Helper()
	if list == "" {
		return nil
	}
	var keys []any
	for text := range strings.SplitSeq(list, ",") {
		k := kind
		if kind == "b" {
			k, text = text[:1], text[1:]
		}
		keys = append(keys, parseKey(t, k, text))
	}
	return keys
}

func parseKey(t *testing.T, kind, text string) any {
	t.Helper()
	if kind == "s" {
		return text
	}
	v := codectest.Must(strconv.ParseInt(text, 10, 64))(t)
	switch kind {
	case "i":
		return int32(v)
	case "l":
		return v
	case "d":
		return math.Float64frombits(uint64(v))
	}
	t.Fatalf("unknown kind %q", kind)
	return nil
}

func TestHashMapUnhashable(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]any{
		"enum of unknown ordinal": java.Enum{Class: "demo.Color", Name: "RED", Ordinal: -1}, "bytes": []byte("x"), "list": &java.List{},
		"int too wide": math.MaxInt32 + 1,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := keyorder.HashMap([]any{"a", key})
			var unhashable *keyorder.UnhashableError
			if !errors.As(err, &unhashable) || !strings.Contains(err.Error(), "java.Map") {
				t.Errorf("%s: error %v", name, err)
			}
		})
	}
}

func TestHashCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  int32
	}{
		{nil, 0},
		{"", 0},
		{"orderId", -1207110391},
		{"其他信息", 641315022},
		{"😀", 1772899},
		{"\xed\xa0\xbd", 0xd83d},
		{true, 1231},
		{false, 1237},
		{int8(-1), -1},
		{int16(300), 300},
		{int32(-5), -5},
		{42, 42},
		{int64(-1), 0},
		{int64(1) << 32, 1},
		{java.Char('A'), 65},
		{float32(1), 1065353216},
		{float32(math.NaN()), 2143289344},
		{1.0, 1072693248},
		{math.Copysign(0, -1), math.MinInt32},
		{math.NaN(), 2146959360},
	} {
		got, ok := keyorder.HashCode(c.value)
		if !ok || got != c.want {
			t.Errorf("HashCode(%#v) = %d, %v; want %d", c.value, got, ok, c.want)
		}
	}
}

func TestStringsAllocatesNothingForFew(t *testing.T) {
	keys := []string{"orderId", "remark", "amount", "tags"}
	if n := testing.AllocsPerRun(100, func() { keyorder.Strings(keys) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkStrings(b *testing.B) {
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = "key" + strconv.Itoa(i)
	}
	for b.Loop() {
		keyorder.Strings(keys)
	}
}

// TestHashMapOfConstants: their hash codes are addresses in Java, so that any order is right.
func TestHashMapOfConstants(t *testing.T) {
	t.Parallel()
	constant := func(ordinal int) any {
		return java.Enum{Class: "demo.Color", Name: "C" + strconv.Itoa(ordinal), Ordinal: ordinal}
	}
	for _, mark := range []byte("!#") {
		at, err := keyorder.Keys([]any{constant(2), constant(0), constant(1)}, mark)
		if err != nil || !slices.Equal(at, []int{1, 2, 0}) {
			t.Errorf("%c: %v, %v", mark, at, err)
		}
	}
}
