package java

import (
	"math/big"
	"strings"
	"testing"
	"time"
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
		if got := Key(c.key); got != c.want {
			t.Errorf("%v: %s, want %s", c.key, got, c.want)
		}
	}
}

// TestKeyOfHostileSize: a key of megabytes costs nothing to name, because errors
// name it at every level above them.
func TestKeyOfHostileSize(t *testing.T) {
	t.Parallel()
	huge := new(big.Int).Lsh(big.NewInt(1), 40_000_000)
	text := strings.Repeat("\x00", 8<<20)
	many := &List{Elements: make([]any, 1<<20)}
	start := time.Now()
	for range 200 {
		for _, k := range []any{huge, BigDecimal{Unscaled: huge}, text, many, Text{Value: text}, Enum{Name: text}, Locale{Language: text}, []int64(nil)} {
			if n := len(Key(k)); n > maxKey {
				t.Fatalf("%T: %d bytes", k, n)
			}
		}
	}
	if d := time.Since(start); d > time.Minute { // also on a busy machine; whole ones would take hours
		t.Errorf("1,600 names took %s", d)
	}
}
