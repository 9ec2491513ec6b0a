package redisson

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/script"
)

// The scripts of RedissonDelayedQueue, as in the released jars; only the format
// differs: dLc0 up to 3.21.0, Bc0Lc0 since 3.21.1. KEYS as Java passes them.
func javaOffer(format, id string) *script.Script {
	return script.New("java offer", `
local value = struct.pack('`+format+`', `+id+`, string.len(ARGV[3]), ARGV[3])
redis.call('zadd', KEYS[2], ARGV[1], value)
redis.call('rpush', KEYS[3], value)
local v = redis.call('zrange', KEYS[2], 0, 0)
if v[1] == value then redis.call('publish', KEYS[4], ARGV[1]) end`)
}

func javaTransfer(format string) *script.Script {
	return script.New("java transfer", `
local expiredValues = redis.call('zrangebyscore', KEYS[2], 0, ARGV[1], 'limit', 0, ARGV[2])
if #expiredValues > 0 then
  for i, v in ipairs(expiredValues) do
    local randomId, value = struct.unpack('`+format+`', v)
    redis.call('rpush', KEYS[1], value)
    redis.call('lrem', KEYS[3], 1, v)
  end
  redis.call('zrem', KEYS[2], unpack(expiredValues))
end
local v = redis.call('zrange', KEYS[2], 0, 0, 'WITHSCORES')
if v[1] ~= nil then return v[2] end
return nil`)
}

func javaContains(format string) *script.Script {
	return script.New("java contains", `
local s = redis.call('llen', KEYS[1])
for i = 0, s - 1, 1 do
  local v = redis.call('lindex', KEYS[1], i)
  local randomId, value = struct.unpack('`+format+`', v)
  if ARGV[1] == value then return 1 end;
end
return 0`)
}

func javaRemove(format string) *script.Script {
	return script.New("java remove", `
local s = redis.call('llen', KEYS[1])
for i = 0, s - 1, 1 do
  local v = redis.call('lindex', KEYS[1], i)
  local randomId, value = struct.unpack('`+format+`', v)
  if ARGV[1] == value then
    redis.call('zrem', KEYS[2], v)
    redis.call('lrem', KEYS[1], 1, v)
    return 1
  end;
end
return 0`)
}

const (
	formatOld = "dLc0"
	formatNew = "Bc0Lc0"
)

func javaKeys(k Keys) []string { return []string{k.Queue, k.Timeout, k.Pending, k.Channel} }

// What Go offers, each generation of Java's own scripts reads, finds, removes and
// transfers.
func TestJavaReadsUniversalElement(t *testing.T) {
	t.Parallel()
	rdb := connect(t, realServer.Addr())
	for _, format := range []string{formatOld, formatNew} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			k := newQueue()
			at := time.UnixMilli(nowMs(t, rdb) - 10)
			payloads := []string{"", "\x00", "hello", string(make([]byte, 300)), "gone"}
			for _, p := range payloads {
				must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte(p), At: at}))
			}
			for _, p := range payloads {
				if found := must[any](t)(javaContains(format).Run(t.Context(), rdb, []string{k.Pending}, p)); found != int64(1) {
					t.Errorf("contains(%q) = %v", p, found)
				}
			}
			if removed := must[any](t)(javaRemove(format).Run(t.Context(), rdb, []string{k.Pending, k.Timeout}, "gone")); removed != int64(1) {
				t.Errorf("remove = %v", removed)
			}
			next := must[any](t)(javaTransfer(format).Run(t.Context(), rdb, javaKeys(k), nowMs(t, rdb), 100))
			if got := ready(t, rdb, k); next != nil || !slices.Equal(got, payloads[:4]) {
				t.Errorf("ready %q, next %v", got, next)
			}
			if n := counts(t, rdb, k); n != [4]int64{4, 0, 0, 0} {
				t.Errorf("ready, timeout, pending, dead = %v", n)
			}
		})
	}
}

// What each generation of Java offers, Go hears of, sees and transfers; both in
// one queue, which stops Java itself.
func TestGoReadsJavaElements(t *testing.T) {
	t.Parallel()
	rdb := connect(t, realServer.Addr())
	k, a := newQueue(), newArrivals()
	w := watch(t, rdb, []WatchedQueue{{Keys: k, Served: a.serve(t.Context(), rdb, k)}}, Options{})
	eventually(t, "the subscription", func() bool { return w.Health().Subscribed })
	soon := nowMs(t, rdb) + 250
	old, fresh := javaOffer(formatOld, "tonumber(ARGV[2])"), javaOffer(formatNew, "string.len(ARGV[2]), ARGV[2]")
	offers := []struct {
		script  *script.Script
		id      any
		payload string
	}{
		{old, "-1234567890123456789", "old 1"},
		{fresh, "abcdefgh", "new 1"},
		{old, "9223372036854775807", "old 2"},
		{fresh, "\x00\xff\x01\x02\x03\x04\x05\x06", "new 2"},
		{old, "0", "\x00"},
	}
	for i, o := range offers {
		must[any](t)(o.script.Run(t.Context(), rdb, javaKeys(k), soon+int64(i), o.id, o.payload))
	}
	for i, m := range must[[]PendingMessage](t)(Pending(t.Context(), rdb, k, 0, 10, false)) {
		if string(m.Payload) != offers[i].payload || m.DueMs != soon+int64(i) || m.Text == "" {
			t.Errorf("pending %d: %+v", i, m)
		}
	}
	eventually(t, "all messages", func() bool { return a.count() == len(offers) })
	for i, o := range offers {
		at, ok := a.when(o.payload)
		if !ok || a.all[i] != o.payload || at.UnixMilli() < soon+int64(i) {
			t.Errorf("%q arrived at %d, due %d; order %q", o.payload, at.UnixMilli(), soon+int64(i), a.all)
		}
	}
	if n := counts(t, rdb, k); n != [4]int64{} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
}

// Java and Go transfer the same queue at the same time: every message once.
func TestTransferBesideJava(t *testing.T) {
	t.Parallel()
	rdb := connect(t, realServer.Addr())
	k := newQueue()
	watch(t, rdb, []WatchedQueue{{Keys: k, DueTracking: true}}, Options{})
	const n = 400
	java, offer := javaTransfer(formatNew), javaOffer(formatNew, "string.len(ARGV[2]), ARGV[2]")
	var want []string
	base := nowMs(t, rdb)
	for i := range n {
		payload := fmt.Sprint(i)
		want = append(want, payload)
		due := base + int64(i%300)
		if i%2 == 0 {
			must[any](t)(offer.Run(t.Context(), rdb, javaKeys(k), due, fmt.Sprintf("%08d", i), payload))
		} else {
			must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte(payload), At: time.UnixMilli(due)}))
		}
		must[any](t)(java.Run(t.Context(), rdb, javaKeys(k), nowMs(t, rdb), 100))
	}
	eventually(t, "all messages", func() bool {
		must[any](t)(java.Run(t.Context(), rdb, javaKeys(k), nowMs(t, rdb), 100))
		return counts(t, rdb, k) == [4]int64{n, 0, 0, 0}
	})
	got := ready(t, rdb, k)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Error("some message is missing or doubled")
	}
	if o := rdb.LLen(t.Context(), k.Due).Val(); o == 0 {
		t.Log("Java moved everything")
	}
}
