package queuetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// WithClock returns a client of the shared Redis whose scripts read the time from now.
func WithClock(t testing.TB, now func() time.Time) *redis.Client {
	t.Helper()
	rdb := lab.Connect(t, lab.Shared.Addr())
	rdb.AddHook(at(now))
	return rdb
}

// WithSlowClock returns a client of a server for whose scripts the time passes only when they look at
// it: each look takes so long.
func WithSlowClock(t testing.TB, addr string, look time.Duration) *redis.Client {
	t.Helper()
	rdb := lab.Connect(t, addr)
	rdb.AddHook(clock{func() string {
		return fmt.Sprintf(`(function()
local us = redis.call('INCRBY', 'test:clock', %d)
return {string.format('%%d', 4102444800 + math.floor(us / 1000000)), string.format('%%d', us %% 1000000)}
end)()`, look.Microseconds())
	}})
	return rdb
}

// Twin returns a client of a real Redis that repeats each command on the embedded server,
// as it stands. The test fails where a script replies otherwise there, or where the keys
// differ at the end. Time stands still for the scripts, in 2100.
func Twin(t testing.TB) *redis.Client {
	t.Helper()
	rdb, fake := lab.StartRedis(t).NewClient(nil), lab.Connect(t, miniredis.RunT(t).Addr())
	rdb.AddHook(twin{at(func() time.Time { return time.UnixMilli(4102444800000) }), t, fake})
	t.Cleanup(func() {
		ctx := context.Background()
		redis := lab.Connect(t, rdb.Options().Addr)
		keys := append(redis.Keys(ctx, "*").Val(), fake.Keys(ctx, "*").Val()...)
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			if r, f := value(ctx, redis, key), value(ctx, fake, key); r != f {
				t.Errorf("%q holds\n%s in Redis,\n%s in the embedded server", key, r, f)
			}
		}
	})
	return rdb
}

// value returns what a key holds.
func value(ctx context.Context, rdb *redis.Client, key string) string {
	var held any
	kind := rdb.Type(ctx, key).Val()
	switch kind {
	case "zset":
		held = rdb.ZRangeWithScores(ctx, key, 0, -1).Val()
	case "list":
		held = rdb.LRange(ctx, key, 0, -1).Val()
	case "hash":
		held = rdb.HGetAll(ctx, key).Val() // fmt sorts maps
	case "set":
		members := rdb.SMembers(ctx, key).Val()
		slices.Sort(members)
		held = members
	case "stream":
		held = rdb.XRange(ctx, key, "-", "+").Val()
	default:
		held = rdb.Get(ctx, key).Val()
	}
	return fmt.Sprintf("%s %q", kind, fmt.Sprint(held))
}

// clock is a hook that puts another Lua expression in the place of each look at the time.
type clock struct{ time func() string }

// at is a clock that stands still for a script.
func at(now func() time.Time) clock {
	return clock{func() string {
		us := now().UnixMicro()
		return fmt.Sprintf("{'%d', '%d'}", us/1e6, us%1e6)
	}}
}

var (
	timeCall = regexp.MustCompile(`(redis\.)?call\('TIME'\)`)
	entryID  = regexp.MustCompile(`('XADD', )([^,]+)(, )'\*'`)
	entries  atomic.Int64 // scripts whose entries have an ID
)

// nextEntry puts the ID of an entry in the place of '*': Redis 6.2 draws no number for a time that is given.
// A number is above those of earlier scripts, and above that of the last entry.
const nextEntry = `${1}${2}${3}(function(key)
local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
return '4102444800000-' .. string.format('%%d', math.max(%d, last and string.match(last[1], '%%d+$') + 1 or 0))
end)(${2})`

func (c clock) set(cmd redis.Cmder) {
	switch args := cmd.Args(); cmd.Name() {
	case "evalsha": // which no server knows, so that the source follows
		args[1] = strings.Repeat("0", 40)
	case "eval":
		source := args[1].(string)
		for _, found := range slices.Backward(timeCall.FindAllStringIndex(source, -1)) {
			source = source[:found[0]] + strings.ReplaceAll(c.time(), "\n", " ") + source[found[1]:]
		}
		source = strings.ReplaceAll(source, "return os.clock end", "return (function() return 0 end) end")
		args[1] = entryID.ReplaceAllString(source, fmt.Sprintf(nextEntry, entries.Add(1)<<20)) // whose ms the server would draw
	}
}

func (c clock) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c clock) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.set(cmd)
		return next(ctx, cmd)
	}
}

func (c clock) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			c.set(cmd)
		}
		return next(ctx, cmds)
	}
}

// twin is a hook that repeats commands on the embedded server.
type twin struct {
	clock
	t    testing.TB
	fake *redis.Client
}

func (w twin) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	next = w.clock.ProcessHook(next)
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		cmd.SetErr(err) // as the client does after its hooks
		w.repeat(ctx, cmd)
		return err
	}
}

func (w twin) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	next = w.clock.ProcessPipelineHook(next)
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			w.repeat(ctx, cmd)
		}
		return err
	}
}

// repeat sends a command that Redis has answered to the embedded server, and compares what a script
// replies.
func (w twin) repeat(ctx context.Context, cmd redis.Cmder) {
	var network net.Error
	if name := cmd.Name(); name == "multi" || name == "exec" || errors.As(cmd.Err(), &network) {
		return
	}
	again := redis.NewCmd(ctx, cmd.Args()...)
	_ = w.fake.Process(ctx, again)
	script, ok := cmd.(*redis.Cmd)
	if !ok || cmd.Name() != "eval" {
		return
	}
	if got, want := answer(again), answer(script); !reflect.DeepEqual(got, want) {
		w.t.Errorf("the embedded server replies %q, Redis %q, to a script with the arguments %q\n%s", got, want, script.Args()[2:], script.Args()[1])
	}
}

// answer is the reply of a script, or its error without where in the script it was raised.
func answer(cmd *redis.Cmd) any {
	if err := cmd.Err(); err != nil {
		text, _, _ := strings.Cut(err.Error(), " script:")
		return text
	}
	return cmd.Val()
}
