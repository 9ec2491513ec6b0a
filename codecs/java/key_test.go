package java

import (
	"math/big"
	"runtime"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  any
		want string
	}{
		{"name", "name"},
		{"", `[""]`},
		{"two words", "[text of length 9]"},
		{strings.Repeat("a", 65), strings.Repeat("a", 61) + "..."},
		{"4711", "[text of length 4]"},
		{"注文", "[text of length 6]"},
		{"a_1$", "a_1$"},
		{int32(5), "[java.lang.Integer]"},
		{int64(-5), "[java.lang.Long]"},
		{true, "[java.lang.Boolean]"},
		{nil, "[null]"},
		{Enum{Class: "demo.Color", Name: "RED"}, "[RED]"},
		{Enum{Class: "demo.Color", Ordinal: 2}, "[demo.Color]"},
		{BigDecimal{Unscaled: big.NewInt(125), Scale: 2}, "[java.math.BigDecimal]"},
		{&List{Class: "java.util.ArrayList", Elements: []any{"x"}}, "[java.util.ArrayList]"},
		{[]byte{1}, "[[B]"},
		{[]int32{1}, "[[I]"},
	} {
		if got := errpath.Key(c.key); got != c.want {
			t.Errorf("%v: %s, want %s", c.key, got, c.want)
		}
	}
}

// TestKeyOfHostileSize: a key of megabytes costs nothing to name, because errors
// name it at every level above them. It is not parallel: it measures what the process
// allocates.
func TestKeyOfHostileSize(t *testing.T) {
	huge := new(big.Int).Lsh(big.NewInt(1), 40_000_000)
	text := strings.Repeat("\x00", 8<<20)
	many := &List{Elements: make([]any, 1<<20)}
	for _, k := range []any{huge, BigDecimal{Unscaled: huge}, text, many, Text{Value: text}, Enum{Name: text}, Locale{Language: text}, []int64(nil)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		name := errpath.Key(k)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; len(name) > errpath.MaxKey || used > 1<<16 {
			t.Errorf("%T: a name of %d bytes, for which %d were allocated", k, len(name), used)
		}
	}
}
