package wire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestIndexFragment(t *testing.T) {
	t.Parallel()
	needs := "index"
	a, b := strings.Repeat("a", 40), strings.Repeat("af", 20)
	id := func(n byte) string { return string([]byte{wire.KindFirst, 7, 0, 255, 128, '\n', 0, 0, n}) }
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	find := func(digest string, most int) string {
		found := lua(t, rdb, needs, `local out = {}
for i, m in ipairs(index_find(KEYS[1], ARGV[1], tonumber(ARGV[2]))) do out[i] = m[1] .. m[2] end
return out`, []string{k.IDs}, digest, most)
		return fmt.Sprintf("%q", found)
	}
	if got := find(a, 5); got != "[]" {
		t.Errorf("found %s in nothing", got)
	}
	for i, failures := range []int{0, 2, 300, 2} {
		lua(t, rdb, needs, `index_add(KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3], 1000)
index_add(KEYS[1], ARGV[4], 1, ARGV[3], 1000)`, []string{k.IDs}, a, failures, id(byte(i)), b)
	}
	want := []string{"255" + id(2), "2" + id(1), "2" + id(3), "0" + id(0)}
	if got := find(a, 9); got != fmt.Sprintf("%q", want) {
		t.Errorf("found %s, want %q", got, want)
	}
	if got := find(a, 2); got != fmt.Sprintf("%q", want[:2]) {
		t.Errorf("found %s, want %q", got, want[:2])
	}
	lua(t, rdb, needs, `index_remove(KEYS[1], ARGV[1], 2, ARGV[2])
index_remove(KEYS[1], ARGV[1], 300, ARGV[3])
index_remove(KEYS[1], ARGV[1], 1, ARGV[4])`, []string{k.IDs}, a, id(3), id(2), id(0))
	if got, left := find(a, 9), slices.Delete(slices.Clone(want), 2, 3)[1:]; got != fmt.Sprintf("%q", left) {
		t.Errorf("after removals: %s, want %q", got, left)
	}
	if got := find(b, 9); strings.Count(got, "1u") != 4 {
		t.Errorf("the other payload has %s", got)
	}
}

// The life of a key is extended, at most to ten years, and never shortened.
func TestExpireFragment(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	rdb.RPush(t.Context(), k.Due, "a")
	for _, c := range []struct{ ms, least, most int64 }{
		{-5, 86_400_000, 86_400_000},
		{86_300_000, 86_400_000, 86_400_000}, // long enough
		{90_000_000, 176_400_000, 176_400_000},
		{1, 176_400_000, 176_400_000},
		{1 << 60, 315_446_400_000, 315_446_400_000},
	} {
		lua(t, rdb, "expire", `expire_extend(KEYS[1], tonumber(ARGV[1]))`, []string{k.Due}, c.ms)
		got := rdb.PTTL(t.Context(), k.Due).Val()
		if got > time.Duration(c.most)*time.Millisecond || got < time.Duration(c.least-60_000)*time.Millisecond {
			t.Errorf("after %d ms: lives for %v", c.ms, got)
		}
	}
}
