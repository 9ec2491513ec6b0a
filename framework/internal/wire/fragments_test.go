package wire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestDueFragment(t *testing.T) {
	t.Parallel()
	needs := "due"
	entry := func(due, written int64, payload string) string {
		return string(wire.DueRecord{ID: wire.ElementID{wire.KindJava, [8]byte{}}, DueMs: due, WrittenMs: written}.Entry([]byte(payload)))
	}
	const now = 1_000_000
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	list := func(entries ...string) {
		rdb.Del(t.Context(), k.Due)
		for _, e := range entries {
			rdb.RPush(t.Context(), k.Due, e)
		}
	}
	// match takes bodies, which are letters, the first staged of them from a stage.
	match := func(bodies string, staged, ready int) string {
		t.Helper()
		got := lua(t, rdb, needs, `local bodies, out = {}, {}
for b in string.gmatch(ARGV[1], '.') do bodies[#bodies + 1] = b end
local records, forget = due_match(KEYS[1], KEYS[2], bodies, tonumber(ARGV[2]), tonumber(ARGV[3]), 1000000, '995000 0')
for i = 1, #bodies do
  local guess = records[i] and string.find(records[i], '^%u') and '?' or ''
  out[i] = records[i] and guess .. string.format('%.0f', tonumber(string.sub(records[i], 2, 17))) or '-'
end
forget()
return table.concat(out, ' ')`, []string{k.Due, k.Queue}, bodies, staged, ready)
		return got.(string)
	}
	old := func(due int64, payload string) string { return entry(due, now-60_000, payload) }
	mark := func(written int64) string { return fmt.Sprintf("-----------------%016d--------", written) }
	young := func(due int64, payload string) string { return entry(due, now-10, payload) }
	for _, c := range []struct {
		name          string
		entries       []string
		bodies        string
		staged, ready int
		got, left     string
	}{
		{"side by side", []string{old(1, "a"), old(2, "b"), old(3, "c")}, "ab", 0, 3, "1 2", "3c"},
		{"equal ones", []string{old(1, "a"), old(2, "a"), old(3, "a")}, "aa", 0, 3, "1 2", "3a"},
		{"equal ones, some were popped", []string{old(1, "a"), old(2, "a"), old(3, "a"), old(4, "a")}, "a", 0, 2, "3", "1a 2a 4a"},
		{"another is staged", []string{young(1, "a"), old(2, "b")}, "b", 0, 1, "2", "1a |"},
		{"own stage", []string{young(1, "a"), young(2, "b"), old(3, "c")}, "ac", 1, 1, "1 3", "2b |"},
		{"own stage, an old entry", []string{old(1, "a")}, "a", 1, 0, "?1", ""},
		{"own stage, an entry of long ago", []string{entry(1, now-70_000, "a")}, "a", 1, 0, "-", "1a |"},
		{"own stage, others came in between", []string{young(1, "a"), young(2, "a")}, "a", 1, 0, "2", "1a |"},
		{"pushed by Java", []string{old(1, "a"), old(2, "b")}, "jab", 0, 5, "- 1 2", ""},
		{"pushed by Java, and equal", []string{old(1, "a"), old(2, "a")}, "a", 0, 3, "-", "1a 2a"},
		{"removed from the middle", []string{old(1, "a"), old(2, "b"), old(3, "c"), old(4, "d")}, "ab", 0, 3, "1 2", "3c 4d"},
		{"in another order", []string{old(1, "a"), old(2, "b"), old(3, "c")}, "cba", 0, 4, "3 2 1", ""},
		{"none", nil, "a", 0, 1, "-", ""},
		{"none of them", []string{old(1, "a"), old(2, "b")}, "cd", 0, 9, "- -", "1a 2b"},
		{"the last one, and an orphan", []string{old(1, "o"), old(2, "b")}, "b", 0, 1, "2", "1o |"},
		{"behind a mark", []string{old(1, "a"), mark(now - 9), old(2, "b")}, "b", 0, 1, "2", "1a |"},
		{"before a mark", []string{old(1, "a"), mark(now - 9), old(2, "b")}, "a", 0, 3, "-", "1a | 2b"},
		{"staged, before a mark", []string{young(1, "a"), mark(now - 9), old(2, "b")}, "ab", 1, 1, "1 2", ""},
		{"staged, before a mark, and others pushed", []string{young(1, "a"), mark(now - 9)}, "ax", 1, 3, "1 -", "|"},
		{"a mark of long ago", []string{young(1, "a"), mark(now - 700_000), old(2, "b")}, "b", 0, 1, "2", ""},
		{"a mark at the head", []string{mark(now - 9), old(2, "b"), old(3, "c")}, "b", 0, 2, "2", "3c"},
	} {
		list(c.entries...)
		if got := match(c.bodies, c.staged, c.ready); got != c.got {
			t.Errorf("%s: %s, want %s", c.name, got, c.got)
		}
		queuetest.WantDues(t, rdb, k, c.left)
		if t.Failed() {
			t.Fatal(c.name)
		}
	}
	// Far behind entries of messages that others took, where others push as well.
	list(append(slices.Repeat([]string{old(9, "o")}, 300), old(1, "a"), old(2, "b"), old(3, "c"))...)
	if got, n := match("ab", 0, 400), rdb.LLen(t.Context(), k.Due).Val(); got != "1 2" || n != 65 {
		t.Errorf("far behind: %s, %d entries left", got, n)
	}
	push := func(ready int, records ...string) {
		lua(t, rdb, needs, `local records, bodies = {}, {}
for i = 2, #ARGV do
  records[i - 1], bodies[i - 1] = ARGV[i] ~= 'x' and string.sub(ARGV[i], 1, 41), string.sub(ARGV[i], -1)
end
due_push(KEYS[1], records, bodies, tonumber(ARGV[1]), 1000000)`, []string{k.Due}, append([]any{ready}, toAny(records)...)...)
	}
	list(old(1, "a"), old(2, "b"), old(3, "c"))
	push(2, old(8, "h"), "x", old(9, "i"))
	queuetest.WantDues(t, rdb, k, "1a 8h x 9i 2b 3c")
	if ttl := rdb.PTTL(t.Context(), k.Due).Val(); ttl <= 0 {
		t.Errorf("time to live %v", ttl)
	}
	push(6)
	bound := func(ready int) int64 {
		lua(t, rdb, needs, `due_bound(KEYS[1], tonumber(ARGV[1]), `+"1000000"+`)`, []string{k.Due}, ready)
		return rdb.LLen(t.Context(), k.Due).Val()
	}
	if n := bound(1); n != 6 {
		t.Errorf("%d entries", n)
	}
	if n := bound(0); n != 7 { // with the mark
		t.Errorf("%d entries of an empty queue", n)
	}
	for i := range 1300 {
		rdb.RPush(t.Context(), k.Due, young(int64(i), "a"))
	}
	if one, two := bound(200), bound(0); one != 1200 || two != 1000 {
		t.Errorf("%d and %d entries", one, two)
	}
}

func toAny(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

func TestTraceFragment(t *testing.T) {
	t.Parallel()
	needs := "digest trace"
	record := func(raw byte, due, expiry int64) wire.TraceRecord {
		return wire.TraceRecord{DueRecord: wire.DueRecord{ID: wire.ElementID{wire.KindFirst, [8]byte{raw}}, DueMs: due}, ExpiryMs: expiry}
	}
	const now = 1_000_000
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	keys := []string{k.Trace}
	add := func(payload string, r wire.TraceRecord, live any) {
		lua(t, rdb, needs, `trace_append(KEYS[1], digest(ARGV[1]), ARGV[2], 1000000, tonumber(ARGV[3]))`, keys, payload, queuetest.TraceRecord(r), live)
	}
	for _, r := range []wire.TraceRecord{
		record(1, now, now+9), record(2, now-5, now+9), record(3, now+60_000, now+9), record(4, now-9, now+9), record(5, now-7, now+9),
	} {
		add("p", r, "")
		add("q", r, "")
	}
	find := func(raw byte) string {
		return fmt.Sprint(lua(t, rdb, needs, `return trace_find(KEYS[1], digest('p'), ARGV[1]) or 'none'`, keys,
			string([]byte{wire.KindFirst, raw, 0, 0, 0, 0, 0, 0, 0})))
	}
	if got, want := find(2), record(2, now-5, now+9); got != queuetest.TraceMember(want, []byte("p")) {
		t.Errorf("found %q", got)
	}
	if got := find(9); got != "none" {
		t.Errorf("found %q", got)
	}
	// By payload: the first ones that are not expired; the oldest due time first.
	candidates := func(most, at int) string {
		return fmt.Sprintf("%x", lua(t, rdb, needs, `local out = {}
for i, m in ipairs(trace_candidates(KEYS[1], digest('p'), tonumber(ARGV[1]), tonumber(ARGV[2]))) do out[i] = string.sub(trace_of(m), 34, 34) end
return out`, keys, most, at))
	}
	if got := candidates(9, now) + candidates(2, now) + candidates(9, now+9); got != "[04 05 02 01 03][02 01][]" {
		t.Errorf("candidates %s", got)
	}
	// What expired goes with later offers; what is overdue goes only where there is
	// more than live messages and the slack.
	rdb.Del(t.Context(), k.Trace)
	for i := range byte(3) {
		rdb.ZAdd(t.Context(), k.Trace, redis.Z{Member: queuetest.TraceMember(record(i, now+60_000, now-1), []byte("old"))})
	}
	for range 40 {
		add("new", record(7, now+60_000, now+90_000), "")
	}
	if n := rdb.ZCard(t.Context(), k.Trace).Val(); n != 1 {
		t.Errorf("%d records", n)
	}
	orphans := make([]redis.Z, 3000)
	for i := range orphans {
		r := record(8, now-60_000, now+90_000)
		r.ID.Raw[1], r.ID.Raw[2] = byte(i), byte(i>>8)
		orphans[i].Member = queuetest.TraceMember(r, []byte("p"))
	}
	rdb.ZAdd(t.Context(), k.Trace, orphans...)
	for _, c := range []struct{ live, least, most int64 }{{5000, 3001, 3001}, {500, 1400, 1500}} {
		for range 200 {
			add("new", record(7, now+60_000, now+90_000), c.live)
		}
		if n := rdb.ZCard(t.Context(), k.Trace).Val(); n < c.least || n > c.most {
			t.Errorf("%d records of %d live messages", n, c.live)
		}
	}
	if ttl := rdb.PTTL(t.Context(), k.Trace).Val(); ttl <= 0 {
		t.Errorf("the records live for %v", ttl)
	}
}

// A record is read as it was written, and kept for a week after the message was due, or for
// a day where nothing but its key is known. Counters that are over are none.
func TestAttemptsFragment(t *testing.T) {
	t.Parallel()
	const day = 86_400_000
	type row struct {
		counts, history string
		due, at         int64 // since the record was written
		want            string
	}
	rdb := lab.Shared.Client()
	for _, c := range []row{
		{"0,0,0", "", 1 * day, 0, "0,0,0,order 4711,100,nil,, until 2"},
		{"1,0,0", "", 1 * day, 7 * day, "1,0,0,order 4711,100,nil,, until 8"},
		{"3,2,1", "000001; ;", 1 * day, 8 * day, "3,2,1,order 4711,100,nil,000001; ;, until 8"},
		{"3,2,1", "000001; ;", 1 * day, 8*day + 1, "0,0,0,order 4711,100,nil,000001; ;, until 8"},
		{"3,2,1", "", -5 * day, 7 * day, "3,2,1,order 4711,100,nil,, until 7"},
		{"3,2,0", "", 1 * day, 0, "3,2,0,order 4711,100,nil,, until 8"},
		{"30,20,10", "", 1 * day, 0, "30,20,10,order 4711,100,nil,, until 8"},
	} {
		for _, hung := range []int{0, 1, 2, 200} {
			got := lua(t, rdb, "attempts", `local written = 100 * 86400000
local m = record_new('n', 100, '12345678')
m.delivered, m.failed, m.died = string.match(ARGV[1], '(%d+),(%d+),(%d+)')
m.hung = tonumber(ARGV[5])
m.key, m.history, m.due = 'order 4711', ARGV[2], written + tonumber(ARGV[3])
if ARGV[1] == '0,0,0' then m.origin = m.due end
local text, now = record_text(m, written), written + tonumber(ARGV[4])
local d, f, x = string.match(text, '^(%d+),(%d+),(%d+);') -- as versions read it that count no hangs
if d ~= m.delivered or f ~= m.failed or tonumber(x) ~= tonumber(m.died) then return text end
local r = record_read(text, now)
if r.hung ~= (m.kept < now and 0 or math.min(m.hung, 99)) then return 'hung ' .. r.hung end
if r.kind ~= 'n' or r.id ~= '12345678' or r.due ~= m.due then return 'another' end
if ARGV[1] == '0,0,0' then r.origin = 100 end
return r.delivered .. ',' .. r.failed .. ',' .. r.died .. ',' .. r.key .. ',' .. r.origin .. ',' .. tostring(r.first)
  .. ',' .. r.history .. ', until ' .. (r.kept - written) / 86400000`, nil, c.counts, c.history, c.due, c.at, hung)
			if got != c.want {
				t.Errorf("%+v, hung %d: got %q", c, hung, got)
			}
		}
	}
	for _, value := range []string{"", "x", "1,2", "x;y", "3,2,1", "3,2,1;" + strings.Repeat("-", 117)} {
		if got := lua(t, rdb, "attempts", `return record_read(ARGV[1], 0) and 1 or 0`, nil, value); got != int64(0) {
			t.Errorf("%q is read", value)
		}
	}
}

func TestPackFragment(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, size := range []int{0, 1, 255, 256, 70_000} {
		payload := make([]byte, size)
		id := wire.NewIDs().Next()
		got := lua(t, rdb, "element", `return element_pack(ARGV[1], ARGV[2])`, nil, id.Raw[:], payload)
		if got != string(wire.Pack(id, payload)) {
			t.Errorf("%d bytes: differs", size)
		}
	}
}
