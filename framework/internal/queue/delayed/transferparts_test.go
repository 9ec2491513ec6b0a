package delayed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// part runs Lua behind some fragments of a transfer, with the keys and arguments of one.
func part(t *testing.T, rdb *redis.Client, k wire.Keys, args TransferArgs, needs, body string) string {
	t.Helper()
	call := transferCall(k, args)
	snippet := library.New("snippet", "-- snippet: of a test.\n-- Needs: transfer "+needs+"\n"+body)
	return fmt.Sprint(queuetest.Must[any](t)(snippet.Run(t.Context(), rdb, call.Keys, call.Args...)))
}

// A drain takes what is due at one ms, if that is at least a quarter of what it reads; the
// rest stays where it is.
func TestDrainFragment(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for name, c := range map[string]struct {
		due  func(i int) int64 // ms ago, of 100 in the order of the list
		want string            // moved, of 64 at the head
		left string            // the first ones of the list
	}{
		"one ms":              {func(int) int64 { return 5 }, "64", "64 65"},
		"one ms, some others": {func(i int) int64 { return []int64{5, 5, 5, 1}[i%4] }, "48", "3 7"},
		"one ms at the end":   {func(i int) int64 { return []int64{1, 5}[i/64] }, "nothing", "0 1"},
		"few of one ms":       {func(i int) int64 { return int64(100 - i/16) }, "nothing", "0 1"},
	} {
		k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
		fillPayloads(t, rdb, k, 100, func(i int) (int64, string) { return now - c.due(i), fmt.Sprint(i) })
		got := part(t, rdb, k, TransferArgs{}, "drain",
			"local entries = drain(due_elements(64))\nreturn entries and #entries .. '' or 'nothing'")
		_, list := pendingOf(t, rdb, k)
		var left []string
		for _, element := range list[:2] {
			left = append(left, element[16:])
		}
		if l := strings.Join(left, " "); got != c.want || l != c.left {
			t.Errorf("%s: moved %s, left %s; want %s and %s", name, got, l, c.want, c.left)
		}
		if n := queuetest.Counts(t, rdb, k); n[1] != n[2] || n[0]+n[1] != 100 {
			t.Errorf("%s: ready, timeout, pending, dead = %v", name, n)
		}
	}
}

// A chunk is bounded by what is left of the limit and, by what came before, of the bytes.
func TestFittingFragment(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	got := part(t, rdb, queuetest.NewQueue(), TransferArgs{Limit: 100, MaxBytes: 1000}, "", `local out = {fitting(8), fitting(500)}
moved, bytes = 10, 500
out[3], out[4] = fitting(8), fitting(500)
stuck, bytes = 10, 999
out[5] = fitting(500)
moved, bytes = 100, 500
out[6] = fitting(500)
return table.concat(out, ' ')`)
	if want := "8 100 8 10 1 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What is malformed is dead and leaves Java's list by the way of the view; where the dead
// store refuses, it stays.
func TestShelveFragment(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	queuetest.Put(t, rdb, k, 5, []byte("bad"))
	queuetest.Put(t, rdb, k, 6, []byte("worse"))
	got := part(t, rdb, k, TransferArgs{}, "", `leave = function(element) redis.call('RPUSH', KEYS[4], 'left ' .. element) end
shelve('bad', '5', 'bad', 'reason')
refused = 'no'
shelve('worse', '6', 'worse', 'reason')
return malformed .. ' ' .. stuck`)
	left := rdb.LRange(t.Context(), k.Due, 0, -1).Val()
	if got != "1 1" || fmt.Sprint(left) != "[left bad]" || queuetest.Counts(t, rdb, k) != [4]int64{0, 1, 2, 1} {
		t.Errorf("%s, %q, %v", got, left, queuetest.Counts(t, rdb, k))
	}
}

// Whose entry ends a full list: of what others put there a few are moved on, also where it
// is a guess that they did.
func TestTransferKnowsWhoPushed(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for entry, want := range map[wire.DueRecord]int{
		{ID: wire.ElementID{Kind: wire.KindFirst}}:               0,
		{ID: wire.ElementID{Kind: wire.KindJava}}:                0,
		{ID: wire.ElementID{Kind: wire.KindJava}, Guess: true}:   0,
		{ID: wire.ElementID{Kind: wire.KindMinted}}:              0,
		{ID: wire.ElementID{Kind: wire.KindOther}}:               10,
		{ID: wire.ElementID{Kind: wire.KindOther}, Guess: true}:  10,
		{ID: wire.ElementID{Kind: wire.KindPushed}}:              10,
		{ID: wire.ElementID{Kind: wire.KindPushed}, Guess: true}: 10,
	} {
		k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
		fillPayloads(t, rdb, k, 20, func(i int) (int64, string) { return now - 5, fmt.Sprint(i) })
		rdb.RPush(t.Context(), k.Queue, "ready")
		rdb.RPush(t.Context(), k.Due, entry.Entry([]byte("ready")))
		for _, noView := range []bool{true, false} {
			if !noView && want > 0 {
				continue // the end of the list is another one by now
			}
			if r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{MaxReady: 1, NoView: noView, budget: patient})); r.Moved != want {
				t.Errorf("%c, a guess %v: %d moved, want %d", entry.ID.Kind, entry.Guess, r.Moved, want)
			}
		}
	}
}

// A full list is searched for what is malformed, within bounds, and nothing is moved.
func TestInspectFragment(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	pipe := rdb.Pipeline()
	for i := range 300 {
		element := fmt.Sprint("bad ", i)
		if i%10 > 0 {
			element = string(wire.Pack(wire.NewIDs().Next(), []byte("good")))
		}
		pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(i + 1), Member: element})
	}
	queuetest.Must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
	got := part(t, rdb, k, TransferArgs{budget: patient}, "inspect", "inspect()\nreturn moved .. ' ' .. malformed .. ' ' .. walked")
	// The first 100 that stay are looked at, give or take a chunk; 30 are malformed.
	if n := rdb.XLen(t.Context(), k.Dead).Val(); got != fmt.Sprintf("0 %d 0", n) || n < 11 || n > 18 {
		t.Errorf("moved, malformed, walks: %s; %d dead", got, n)
	}
}
