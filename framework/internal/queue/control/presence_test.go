package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func announcer(rdb redis.UniversalClient, lease time.Duration, k wire.Keys, tell func() Record) *Announcer {
	return NewAnnouncer(rdb, []AnnouncedQueue{{Keys: k, Tell: tell}}, lease, quiet)
}

// A process is seen while it lives, with what has changed, and not after it stopped.
func TestAProcessShowsItself(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ctx, k := t.Context(), queuetest.NewQueue()
	held := 1
	a := announcer(rdb, time.Hour, k, func() Record {
		return Record{
			Workers: 8, Intake: "open", Held: held, Up: 5000,
			Running: []Running{{ID: "id-1", Attempt: 3, For: 1500}},
		}
	})
	a.Start(ctx)
	var p Process
	lab.WaitFor(t, "the record", func() bool {
		all := queuetest.Must[[]Process](t)(ReadProcesses(ctx, rdb, k))
		if len(all) == 1 {
			p = all[0]
		}
		return len(all) == 1
	})
	if host, _ := os.Hostname(); p.Host != host || p.PID != os.Getpid() || p.Program == "" || p.Version == "" || p.Workers != 8 || p.Up != 5000 ||
		len(p.Running) != 1 || p.Running[0] != (Running{ID: "id-1", Attempt: 3, For: 1500}) || p.Silent || p.Age > time.Minute {
		t.Errorf("%+v", p)
	}
	held = 2
	a.Changed(0)
	lab.WaitFor(t, "what has changed", func() bool { return queuetest.Must[[]Process](t)(ReadProcesses(ctx, rdb, k))[0].Held == 2 })
	a.Close(ctx)
	if all := queuetest.Must[[]Process](t)(ReadProcesses(ctx, rdb, k)); len(all) != 0 || rdb.Exists(ctx, k.Processes).Val() != 0 {
		t.Errorf("after its stop: %+v", all)
	}
}

// write puts a record as a process does.
func write(t *testing.T, rdb redis.Scripter, k wire.Keys, id string, again, lease time.Duration, r Record) int64 {
	t.Helper()
	n, err := presenceScript.Run(t.Context(), rdb, []string{k.Processes}, id, again.Milliseconds(), lease.Milliseconds(), r.text(), maxProcesses)
	if err != nil {
		t.Fatal(err)
	}
	return n.(int64)
}

// One that was killed is silent once it should have written again, and gone a lease later.
// Others remove what is left of it.
func TestAKilledProcessIsSilentThenGone(t *testing.T) {
	t.Parallel()
	mini := miniredis.RunT(t)
	rdb, k := lab.Connect(t, mini.Addr()), queuetest.NewQueue()
	began := time.UnixMilli(1_700_000_000_000)
	mini.SetTime(began)
	const again, lease = 20 * time.Second, 30 * time.Second
	write(t, rdb, k, "killed", again, lease, Record{})
	for _, c := range []struct {
		after  time.Duration
		silent bool
		here   bool
	}{
		{0, false, true},
		{again, false, true},
		{again + again/10 + time.Second, false, true},
		{again + again/10 + time.Second + 1e6, true, true},
		{again + lease, true, true},
		{again + lease + time.Millisecond, false, false},
		{-time.Hour, false, true},
	} {
		mini.SetTime(began.Add(c.after))
		all := queuetest.Must[[]Process](t)(ReadProcesses(t.Context(), rdb, k))
		if (len(all) == 1) != c.here || c.here && all[0].Silent != c.silent {
			t.Errorf("after %v: %+v", c.after, all)
		}
	}
	mini.SetTime(began.Add(again + lease + time.Second))
	for i := range 8 { // one in four looks at others
		mini.SetTime(began.Add(again + lease + time.Second + time.Duration(i)*time.Millisecond))
		write(t, rdb, k, "alive", again, lease, Record{})
	}
	if fields := rdb.HKeys(t.Context(), k.Processes).Val(); len(fields) != 1 || fields[0] != "alive" {
		t.Errorf("left: %q", fields)
	}
	if ttl := rdb.PTTL(t.Context(), k.Processes).Val(); ttl <= again || ttl > 2*(again+lease) {
		t.Errorf("the key lives for %v", ttl)
	}
}

// Records are bounded, in size and number.
func TestPresenceBounds(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	long := strings.Repeat("x", 1000)
	r := Record{Because: long, Rate: 1e9, Intake: "closed", Reason: "undecodable"}
	r.User = long
	for range 5000 {
		r.Refused = append(r.Refused, Refusal{Key: long}, Refusal{Key: long[:maxName]})
		r.Running = append(r.Running, Running{ID: "1a211a5640c-a2ea41dc0f0001", Attempt: 20, For: 1 << 50, Alone: true})
		r.Hung = append(r.Hung, Running{ID: "1a211a5640c-a2ea41dc0f0001", Digest: strings.Repeat("d", 40), For: 1 << 50})
	}
	if n := len(r.text()); n > 4096 {
		t.Errorf("%d bytes", n)
	}
	for i := range maxProcesses {
		if write(t, rdb, k, fmt.Sprint(i), time.Hour, time.Hour, Record{}) != 1 {
			t.Fatalf("no room for number %d", i)
		}
	}
	if write(t, rdb, k, "one more", time.Hour, time.Hour, Record{}) != 0 {
		t.Error("there is room for more")
	}
	if write(t, rdb, k, "7", time.Hour, time.Hour, Record{}) != 1 {
		t.Error("one that is known has no room")
	}
}

// What others wrote there is left out; a key of another type has a typed error, and breaks no
// process.
func TestForeignRecords(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ctx, k := t.Context(), queuetest.NewQueue()
	write(t, rdb, k, "good", time.Hour, time.Hour, Record{Held: 1})
	for field, value := range map[string]string{
		"empty": "", "short": "12", "no head": strings.Repeat("x", 40) + "{}", "no record": strings.Repeat("0", 35) + "9" + "[",
		"negative": "-" + strings.Repeat("1", 35) + "{}", "later version": "",
	} {
		rdb.HSet(ctx, k.Processes, field, value)
	}
	if all, err := ReadProcesses(ctx, rdb, k); err != nil || len(all) != 1 || all[0].Held != 1 {
		t.Errorf("%+v %v", all, err)
	}
	for range 20 {
		write(t, rdb, k, "good", time.Hour, time.Hour, Record{})
	}
	rdb.Del(ctx, k.Processes)
	rdb.Set(ctx, k.Processes, "text", 0)
	var wrong *fault.WrongTypeError
	if _, err := ReadProcesses(ctx, rdb, k); !errors.As(err, &wrong) || wrong.Key != k.Processes || wrong.Want != "hash" {
		t.Errorf("got %v", err)
	}
	a := announcer(rdb, time.Hour, k, func() Record { return Record{} })
	if !a.write(ctx, true) || a.failing.Cause() == nil {
		t.Errorf("it would ask again at once: %v", a.failing.Cause())
	}
	a = announcer(lab.Connect(t, "127.0.0.1:1"), time.Hour, queuetest.NewQueue(), func() Record { return Record{} })
	if a.write(t.Context(), true) {
		t.Error("Redis is away, and it would wait for long")
	}
	ctx, end := context.WithCancel(t.Context())
	a.Start(ctx)
	end()
	a.Close(ctx)
}

// BenchmarkWrite tells what a record costs Redis, beside the rate of writes at 300 processes
// with 50 queues.
func BenchmarkWrite(b *testing.B) {
	rdb := lab.Connect(b, lab.Shared.Addr())
	const processes, queues = 300, 50
	keys := make([]wire.Keys, queues)
	calls := make([]redis.Cmder, 0, queues)
	text := Record{Workers: 8, Usable: 8, Intake: "open", Held: 3, Running: []Running{
		{ID: "1a211a5640c-a2ea41dc0f0001", Attempt: 1, For: 120}, {ID: "1a211a5640c-a2ea41dc0f0002", Attempt: 1, For: 90}, {ID: "1a211a5640c-a2ea41dc0f0003", Attempt: 2, For: 5},
	}}.text()
	for i := range keys {
		keys[i] = queuetest.NewQueue()
	}
	run := func(process int) {
		pipe := rdb.Pipeline()
		calls = calls[:0]
		for _, k := range keys {
			calls = append(calls, pipe.EvalSha(b.Context(), presenceScript.SHA(), []string{k.Processes}, fmt.Sprintf("%016d", process), 20_000, 30_000, text, maxProcesses))
		}
		if _, err := pipe.Exec(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := rdb.ScriptLoad(b.Context(), presenceScript.Source()).Err(); err != nil {
		b.Fatal(err)
	}
	for p := range processes {
		run(p)
	}
	before := usedCPU(b, rdb)
	b.ResetTimer()
	n := 0
	for b.Loop() {
		run(n % processes)
		n++
	}
	perWrite := (usedCPU(b, rdb) - before).Seconds() / float64(n*queues)
	b.ReportMetric(perWrite*1e6, "redis-µs/write")
	b.ReportMetric(perWrite*processes*queues/20*100, "%redis@300x50")
	b.ReportMetric(float64(len(text)+headBytes), "bytes/record")
}

// usedCPU is the time of the processor that Redis has used.
func usedCPU(b *testing.B, rdb *redis.Client) time.Duration {
	b.Helper()
	info, err := rdb.Info(b.Context(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	var total float64
	for line := range strings.Lines(info) {
		var v float64
		for _, name := range []string{"used_cpu_sys:", "used_cpu_user:"} {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), name); ok {
				if _, err := fmt.Sscan(rest, &v); err != nil {
					b.Fatal(err)
				}
				total += v
			}
		}
	}
	return time.Duration(total * float64(time.Second))
}

// A process says what it was built of: its own version and revision, and the version of this module.
func TestVersions(t *testing.T) {
	t.Parallel()
	const revision = "1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	shop := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{
			Main:     debug.Module{Path: "shop.example/shop", Version: version},
			Deps:     []*debug.Module{{Path: "github.com/duequeue/duequeue", Version: "v0.9.0"}},
			Settings: settings,
		}
	}
	for _, c := range []struct {
		info            *debug.BuildInfo
		program, module string
	}{
		{shop("v1.4.2"), "v1.4.2", "v0.9.0"},
		{shop("v1.4.2", vcs("false")...), "v1.4.2 1a2b3c4d5e6f", "v0.9.0"},
		{shop("v1.4.2+dirty", vcs("true")...), "v1.4.2+dirty 1a2b3c4d5e6f", "v0.9.0"},
		{shop("(devel)", vcs("true")...), "(devel) 1a2b3c4d5e6f+dirty", "v0.9.0"},
		{shop("v0.0.0-20300102030405-1a2b3c4d5e6f", vcs("false")...), "v0.0.0-20300102030405-1a2b3c4d5e6f", "v0.9.0"},
		{shop("", vcs("false")...), "1a2b3c4d5e6f", "v0.9.0"},
		{shop(""), "", "v0.9.0"},
		{shop(strings.Repeat("9", 1000)), strings.Repeat("9", maxText), "v0.9.0"},
		{&debug.BuildInfo{Main: debug.Module{Path: "github.com/duequeue/duequeue", Version: "v0.9.1"}}, "v0.9.1", "v0.9.1"},
		{&debug.BuildInfo{}, "", "(devel)"},
	} {
		if program, module := versions(c.info); program != c.program || module != c.module {
			t.Errorf("%+v: %q of duequeue %q; want %q of %q", c.info.Main, program, module, c.program, c.module)
		}
	}
}
