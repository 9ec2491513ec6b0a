package redisson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lua runs a snippet behind fragments and returns its reply.
func lua(t *testing.T, s server, fragments []string, body string, keys []string, args ...any) any {
	t.Helper()
	return must[any](t)(NewScript("snippet", Fragment(fragments...)+body).Run(t.Context(), s.rdb, keys, args...))
}

func TestDueFragment(t *testing.T) {
	t.Parallel()
	needs := []string{"digest", "records", "due"}
	record := func(due int64) string {
		return string(DueRecord{ID: ElementID{KindJava, [8]byte{}}, DueMs: due, WrittenMs: 9}.Append(nil))
	}
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		keys := []string{k.Due}
		lua(t, s, needs, `due_append(KEYS[1], {'a', 'b', 'a'}, {ARGV[1], ARGV[2], ARGV[3]}, false)`,
			keys, record(1), record(2), record(3))
		if got := s.rdb.HGet(t.Context(), k.Due, "a").Val(); got != record(1)+record(3) {
			t.Errorf("appended: %q", got)
		}
		got := lua(t, s, needs, `local p = due_pop(KEYS[1], {'a', 'x', 'a', 'a', 'b'})
for i = 1, 5 do p[i] = p[i] or 'none' end return p`, keys)
		if want := []any{record(1), "none", record(3), "none", record(2)}; !slices.Equal(got.([]any), want) {
			t.Errorf("popped: %q", got)
		}
		if n := s.rdb.Exists(t.Context(), k.Due).Val(); n != 0 {
			t.Error("the hash is not empty")
		}
		lua(t, s, needs, `due_append(KEYS[1], {'a'}, {ARGV[1]}, false)
due_push(KEYS[1], {'a', 'b', 'a'}, {ARGV[2], false, ARGV[3]})`, keys, record(3), record(1), record(2))
		if got := s.rdb.HGet(t.Context(), k.Due, "a").Val(); got != record(1)+record(2)+record(3) {
			t.Errorf("put back: %q", got)
		}
		lua(t, s, needs, `due_append(KEYS[1], {'a', 'a'}, {ARGV[1], ARGV[2]}, true)`, keys, record(7), record(8))
		if got := s.rdb.HGet(t.Context(), k.Due, "a").Val(); got != record(7)+record(8) {
			t.Errorf("replaced: %q", got)
		}
	})
}

func TestDueSweep(t *testing.T) {
	t.Parallel()
	needs := []string{"digest", "records", "due"}
	at := func(written int64) string {
		return string(DueRecord{ID: ElementID{Kind: KindOther}, WrittenMs: written}.Append(nil))
	}
	const hour = 3_600_000
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		fill := func() {
			s.rdb.HSet(t.Context(), k.Due, "old", at(1000), "kept", at(1000)+at(hour), "young", at(hour))
		}
		sweep := func(ready int) []string {
			fill()
			lua(t, s, needs, `for i = 1, 50 do due_sweep(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])) end`,
				[]string{k.Due}, 1001+hour, ready)
			fields := s.rdb.HKeys(t.Context(), k.Due).Val()
			slices.Sort(fields)
			return fields
		}
		if got := sweep(3); len(got) != 3 {
			t.Errorf("as many fields as ready messages: %v left", got)
		}
		if got := sweep(2); !slices.Equal(got, []string{"kept", "young"}) {
			t.Errorf("one more field than ready messages: %v left", got)
		}
		lua(t, s, needs, `due_sweep(KEYS[1], 5, 0)`, []string{newQueue().Due})
	})
}

func TestTraceFragment(t *testing.T) {
	t.Parallel()
	needs := []string{"digest", "records", "trace"}
	record := func(kind byte, raw byte, expiry int64) string {
		r := TraceRecord{DueRecord: DueRecord{ID: ElementID{kind, [8]byte{raw}}}, ExpiryMs: expiry}
		return string(r.Append(nil))
	}
	id := func(kind, raw byte) string { return string([]byte{kind, raw, 0, 0, 0, 0, 0, 0, 0}) }
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		keys := []string{k.Trace}
		for i, r := range []string{record('u', 1, 100), record('u', 2, 300), record('n', 3, 300), record('u', 4, 300)} {
			lua(t, s, needs, `trace_append(KEYS[1], digest('p'), ARGV[1], tonumber(ARGV[2]))`, keys, r, i)
		}
		pop := func(wanted any, now int) string {
			body := `return trace_pop(KEYS[1], {'p'}, {ARGV[1] ~= '' and ARGV[1]}, tonumber(ARGV[2]))[1] or 'none'`
			return lua(t, s, needs, body, keys, wanted, now).(string)
		}
		for i, c := range []struct{ got, want string }{
			{pop(id('n', 3), 10), record('n', 3, 300)}, // by id, from the middle
			{pop("", 200), record('u', 2, 300)},        // the first expired meanwhile
			{pop(id('u', 9), 200), record('u', 4, 300)},
			{pop("", 200), "none"},
		} {
			if c.got != c.want {
				t.Errorf("pop %d: got %q, want %q", i, c.got, c.want)
			}
		}
		if n := s.rdb.Exists(t.Context(), k.Trace).Val(); n != 0 {
			t.Error("the hash is not empty")
		}
		// An expired field of another payload disappears with later offers.
		lua(t, s, needs, `trace_append(KEYS[1], 'other', ARGV[1], 0)
trace_append(KEYS[1], 'new', ARGV[2], 200)`, keys, record('u', 1, 100), record('u', 2, 300))
		if got := s.rdb.HKeys(t.Context(), k.Trace).Val(); !slices.Equal(got, []string{"new"}) {
			t.Errorf("fields left: %v", got)
		}
	})
}

// Counters are kept for a week after the message was due, or longer where they were
// before, in a text that older versions take for a history.
func TestAttemptsFragment(t *testing.T) {
	t.Parallel()
	const (
		day = 86_400_000
		now = 100 * day
	)
	kept := func(counts string, until int64, more string) string {
		return fmt.Sprintf("%s;%s%016d%s", counts, cmp.Or(more, "000000")[:6], until, strings.TrimPrefix(more, "000001"))
	}
	onBoth(t, func(t *testing.T, s server) {
		for value, want := range map[string]string{
			"":                                     kept("0,0,0", now+7*day, ""),
			"x":                                    kept("0,0,0", now+7*day, ""),
			"1,2":                                  kept("0,0,0", now+7*day, ""),
			"x;y":                                  kept("0,0,0", now+7*day, ""),
			"3,2,1":                                kept("3,2,1", now+7*day, ""),
			"10,0,0":                               kept("10,0,0", now+7*day, ""),
			kept("3,2,1", now, ""):                 kept("3,2,1", now+7*day, ""),
			kept("3,2,1", now+8*day, ""):           kept("3,2,1", now+8*day, ""),
			kept("3,2,1", now-1, ""):               kept("0,0,0", now+7*day, ""),
			kept("3,2,1", now, "000001records"):    kept("3,2,1", now+7*day, "000001records"),
			kept("3,2,1", now-1, "000001records"):  kept("0,0,0", now+7*day, "000001records"),
			kept("3,2,1", now+9*day, "000001; ; "): kept("3,2,1", now+9*day, "000001; ; "),
		} {
			got := lua(t, s, []string{"attempts"}, `local now = tonumber(ARGV[2])
local d, f, x, history = attempts_parse(ARGV[1] ~= '' and ARGV[1], now)
return attempts_text(d, f, x, history, now)`, nil, value, now)
			if got != want {
				t.Errorf("%q: got %q, want %q", value, got, want)
			}
			if h := ParseHistory(strings.SplitN(want, ";", 2)[1]); len(h.Deaths) > 0 {
				t.Errorf("%q is a history: %+v", want, h)
			}
		}
	})
}

func TestPackFragment(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		for _, size := range []int{0, 1, 255, 256, 70_000} {
			payload := make([]byte, size)
			id := NewIDs().Next()
			got := lua(t, s, []string{"element"}, `return element_pack(ARGV[1], ARGV[2])`, nil, id.Raw[:], payload)
			if got != string(Pack(id, payload)) {
				t.Errorf("%d bytes: differs", size)
			}
		}
	})
}
