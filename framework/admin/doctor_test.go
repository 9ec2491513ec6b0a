package admin

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

var server0 *lab.Server

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if server0, err = lab.RunRedis(); err != nil {
		fmt.Fprintln(os.Stderr, "these tests need redis-server:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := server0.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var oneOfMany = regexp.MustCompile(`\b1 (?:\w+ )?(?:messages|entries|elements|consumers)\b`)

// text is what was found, a line each.
func text(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		if oneOfMany.MatchString(f.Message + f.Advice) {
			fmt.Fprintf(&b, "grammar: %s\n", f.Message)
		}
		fmt.Fprintf(&b, "%s %s %d %d\n", f.Severity, f.Check, f.Count, f.Fixed)
	}
	return b.String()
}

// elements of both generations of Redisson around "hello", and ours.
const (
	oldElement = "\x81\xe9\x7d\xf4\x10\x22\xb1\xc3\x05\x00\x00\x00\x00\x00\x00\x00hello"
	newElement = "\x08\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\x05\x00\x00\x00\x00\x00\x00\x00hello"
	ourElement = "\x07\xa1\xa2\xa3\xa4\xa5\xa6\xa7\x05\x00\x00\x00\x00\x00\x00\x00hello"
)

func TestQueue(t *testing.T) {
	t.Parallel()
	rdb, client := server0.Client(), open(t, server0)
	now := time.Now()
	far := float64(now.Add(time.Hour).UnixMilli())
	for name, c := range map[string]struct {
		make    func(k wire.Keys)
		options DiagnoseOptions
		want    string
	}{
		"nothing": {func(wire.Keys) {}, DiagnoseOptions{}, "info absent 0 0\n"},
		"healthy": {func(k wire.Keys) {
			pending(t, rdb, k, far, ourElement)
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, ""},
		"no one listens": {func(k wire.Keys) { pending(t, rdb, k, far, ourElement) }, DiagnoseOptions{}, "warning listeners 1 0\n"},
		"paused and bounded": {func(k wire.Keys) {
			rdb.HSet(t.Context(), k.Control, "pause_reason", "why", "workers", "2")
		}, DiagnoseOptions{}, "warning control 0 0\ninfo control 0 0\n"},
		"control not understood": {func(k wire.Keys) {
			rdb.HSet(t.Context(), k.Control, "rate", "fast")
		}, DiagnoseOptions{}, "error control 0 0\n"},
		"control of another type": {func(k wire.Keys) {
			rdb.Set(t.Context(), k.Control, "x", 0)
		}, DiagnoseOptions{}, "error type 0 0\n"},
		"overdue": {func(k wire.Keys) {
			pending(t, rdb, k, float64(now.Add(-time.Minute).UnixMilli()), ourElement)
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, "error overdue 1 0\n"},
		"overdue behind slow consumers": {func(k wire.Keys) {
			pending(t, rdb, k, float64(now.Add(-time.Minute).UnixMilli()), ourElement)
			listen(t, rdb, k.Channel)
			rdb.RPush(t.Context(), k.Queue, slices.Repeat([]any{"ready"}, watch.FullReady)...)
		}, DiagnoseOptions{}, "error ready 10000 0\n"},
		"scores": {func(k wire.Keys) {
			pending(t, rdb, k, -5, ourElement)
			pending(t, rdb, k, 1e17, "\x07"+ourElement[2:]+"\x01")
			pending(t, rdb, k, float64(now.Add(20*365*24*time.Hour).UnixMilli()), newElement)
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, "error scores 1 0\nerror scores 1 0\nerror malformed 1 0\nwarning scores 1 0\n"},
		"fractions": {func(k wire.Keys) {
			pending(t, rdb, k, far+0.5, ourElement)
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, "warning scores 1 0\n"},
		"fractions, off": {func(k wire.Keys) {
			rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: far + 0.5, Member: ourElement})
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{View: registry.ViewOff}, "warning scores 1 0\n"},
		"mixed layouts": {func(k wire.Keys) {
			pending(t, rdb, k, far, oldElement)
			pending(t, rdb, k, far, newElement)
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, "error layouts 2 0\n"},
		"ghosts": {func(k wire.Keys) {
			rdb.RPush(t.Context(), k.Pending, "ghost", "another")
			pending(t, rdb, k, far, ourElement)
			rdb.RPush(t.Context(), k.Pending, "third")
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, "warning ghosts 3 0\n"},
		"ghosts, repaired": {func(k wire.Keys) {
			rdb.RPush(t.Context(), k.Pending, "ghost", "another")
			pending(t, rdb, k, far, ourElement)
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{Fix: true}, "warning ghosts 2 2\n"},
		"orphans": {func(k wire.Keys) {
			pending(t, rdb, k, far, newElement)
			rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: far, Member: ourElement})
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, "warning orphans 1 0\n"},
		"off": {func(k wire.Keys) {
			rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: far, Member: ourElement})
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{View: registry.ViewOff}, ""},
		"Java cancels":        {func(wire.Keys) {}, DiagnoseOptions{View: registry.ViewOff, JavaCancels: true}, "error view 0 0\ninfo absent 0 0\n"},
		"Java cancels, exact": {func(wire.Keys) {}, DiagnoseOptions{JavaCancels: true}, "info absent 0 0\n"},
		"twins": {func(k wire.Keys) {
			rdb.RPush(t.Context(), "{"+k.Queue+"}", "a", "b")
		}, DiagnoseOptions{}, "error twins 2 0\ninfo absent 0 0\n"},
		"no twin, another's key": {func(k wire.Keys) {
			rdb.Set(t.Context(), "{"+k.Queue+"}", "x", 0)
			pending(t, rdb, k, far, ourElement)
		}, DiagnoseOptions{}, "warning listeners 1 0\n"},
		"dead": {func(k wire.Keys) {
			rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, Values: []any{"body", "x"}})
		}, DiagnoseOptions{}, "warning dead 1 0\n"},
		"sessions": {func(k wire.Keys) {
			rdb.ZAdd(t.Context(), k.Sessions, redis.Z{Score: float64(now.Add(-time.Hour).UnixMilli()), Member: "s"})
			rdb.ZAdd(t.Context(), k.Sessions, redis.Z{Score: far, Member: "alive"})
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, "error sessions 1 0\n"},
		"sessions, a moment ago": {func(k wire.Keys) {
			rdb.ZAdd(t.Context(), k.Sessions, redis.Z{Score: float64(now.UnixMilli()), Member: "s"})
		}, DiagnoseOptions{}, "error sessions 1 0\n"},
		"sessions, a moment ago, with one that lives": {func(k wire.Keys) {
			rdb.ZAdd(t.Context(), k.Sessions, redis.Z{Score: float64(now.UnixMilli()), Member: "s"}, redis.Z{Score: far, Member: "alive"})
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{}, "warning sessions 1 0\n"},
		"sessions, lease not over, no one listens": {func(k wire.Keys) {
			rdb.ZAdd(t.Context(), k.Sessions, redis.Z{Score: float64(now.Add(20 * time.Second).UnixMilli()), Member: "s"})
		}, DiagnoseOptions{}, "warning silent 1 0\n"},
		"no one listens, in spite of a session": {func(k wire.Keys) {
			pending(t, rdb, k, far, ourElement)
			rdb.ZAdd(t.Context(), k.Sessions, redis.Z{Score: float64(now.UnixMilli()), Member: "s"})
		}, DiagnoseOptions{}, "error sessions 1 0\nwarning listeners 1 0\n"},
		"wrong type": {func(k wire.Keys) { rdb.Set(t.Context(), k.Pending, "x", 0) }, DiagnoseOptions{}, "error type 0 0\n"},
		"records as they are kept": {func(k wire.Keys) {
			rdb.HSet(t.Context(), k.Attempts, "a", "b")
			rdb.HSet(t.Context(), k.MessageNames, "a", "b")
			rdb.RPush(t.Context(), k.Due, "x")
			rdb.ZAdd(t.Context(), k.Trace, redis.Z{Member: "x"})
			rdb.ZAdd(t.Context(), k.IDs, redis.Z{Member: "x"})
		}, DiagnoseOptions{}, ""},
		"wrong type of a record": {func(k wire.Keys) {
			rdb.Set(t.Context(), k.Attempts, "x", 0)
			rdb.Set(t.Context(), k.Due, "x", 0)
			rdb.Set(t.Context(), k.IDs, "x", 0)
		}, DiagnoseOptions{}, "error type 0 0\nerror type 0 0\nerror type 0 0\n"},
		"too long": {func(k wire.Keys) {
			pending(t, rdb, k, far, oldElement)
			pending(t, rdb, k, far, newElement)
			listen(t, rdb, k.Channel)
		}, DiagnoseOptions{Walk: 1}, "info layouts 2 0\ninfo view 2 0\n"},
		"long": {func(k wire.Keys) {
			for range 101 {
				rdb.RPush(t.Context(), k.Pending, slices.Repeat([]any{"x"}, 1000)...)
			}
		}, DiagnoseOptions{Walk: 1}, "error set 101000 0\nwarning long 101000 0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			k := wire.KeysOf("doctor " + name)
			c.make(k)
			v, err := DiagnoseQueue(t.Context(), client, k.Queue, c.options)
			found := v.Findings
			if got := text(found); err != nil || got != c.want {
				t.Errorf("%v\n%swant\n%s", err, got, c.want)
			}
			for _, f := range found {
				if f.Queue != k.Queue || f.Message == "" || f.Advice == "" {
					t.Errorf("%+v: want the queue %q, a message and advice", f, k.Queue)
				}
			}
			if c.options.Fix {
				if v, err = DiagnoseQueue(t.Context(), client, k.Queue, c.options); err != nil || len(v.Findings) != 0 {
					t.Errorf("after the fix %s %v, want nothing", text(v.Findings), err)
				}
			}
		})
	}
}

// With a name mapping findings say what Java and the command line call the queue.
func TestQueueIsNamedAsGiven(t *testing.T) {
	t.Parallel()
	k := wire.KeysOf("app:it's mapped")
	server0.Client().XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, Values: []any{"body", "x"}})
	client := queuetest.Must[*framework.Client](t)(framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: server0.URL()}, Name: framework.NameConfig{Prefix: "app:"}}))
	defer func() { _ = client.Close() }()
	v, err := DiagnoseQueue(t.Context(), client, "it's mapped", DiagnoseOptions{})
	if err != nil || len(v.Findings) != 1 || v.Queue != "it's mapped" || v.Findings[0].Command != `duequeue dead groups "it's mapped"` {
		t.Errorf("%+v %v", v, err)
	}
}

// pending puts an element where Redisson does.
func pending(t *testing.T, rdb *redis.Client, k wire.Keys, score float64, element string) {
	t.Helper()
	err := rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: score, Member: element}).Err()
	if err == nil {
		err = rdb.RPush(t.Context(), k.Pending, element).Err()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func listen(t *testing.T, rdb *redis.Client, channel string) {
	t.Helper()
	ps := rdb.Subscribe(t.Context(), channel)
	t.Cleanup(func() { _ = ps.Close() })
	if _, err := ps.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestServerSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings map[string]string
		want     string
	}{
		"safe":              {map[string]string{"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "everysec"}, ""},
		"evicts":            {map[string]string{"maxmemory": "100", "maxmemory-policy": "allkeys-lru", "appendonly": "yes"}, "error eviction 0 0\n"},
		"would evict":       {map[string]string{"maxmemory": "0", "maxmemory-policy": "volatile-ttl", "appendonly": "yes"}, "warning eviction 0 0\n"},
		"snapshots":         {map[string]string{"maxmemory-policy": "noeviction", "appendonly": "no", "save": "3600 1"}, "warning persistence 0 0\n"},
		"nothing is stored": {map[string]string{"maxmemory-policy": "noeviction", "appendonly": "no"}, "warning persistence 0 0\n"},
		"no fsync":          {map[string]string{"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "no"}, "warning persistence 0 0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{}
			s.settings(c.settings)
			if got := text(s.found); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	found, err := checkServer(t.Context(), server0.Client())
	if err != nil || !strings.Contains(text(found), "persistence") {
		t.Errorf("the server of tests stores nothing: %s %v", text(found), err)
	}
}

func TestServerState(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		"used_memory:50,maxmemory:0,evicted_keys:0,role:master,loading:0,rdb_last_bgsave_status:ok": "",
		"used_memory:89,maxmemory:100":  "",
		"used_memory:90,maxmemory:100":  "warning memory 0 0\n",
		"used_memory:100,maxmemory:100": "error memory 0 0\n",
		"evicted_keys:7":                "error evicted 0 0\n",
		"rdb_last_bgsave_status:err":    "error disk 0 0\n",
		"aof_last_write_status:err":     "error disk 0 0\n",
		"role:slave":                    "error role 0 0\n",
		"loading:1":                     "warning loading 0 0\n",
	} {
		s, fields := &server{}, map[string]string{}
		for _, f := range strings.Split(info, ",") {
			name, value, _ := strings.Cut(f, ":")
			fields[name] = value
		}
		if s.judge(fields); text(s.found) != want {
			t.Errorf("%s: got %q, want %q", info, text(s.found), want)
		}
	}
}

// A full Redis is found as such.
func TestFullServer(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.Args("--maxmemory", "2mb", "--maxmemory-policy", "noeviction"))
	rdb := srv.Client()
	var err error
	for i := 0; err == nil && i < 100; i++ {
		err = rdb.Set(t.Context(), strconv.Itoa(i), make([]byte, 100_000), 0).Err()
	}
	found, failed := checkServer(t.Context(), rdb)
	if failed != nil || err == nil || !strings.Contains(text(found), "error memory") && !strings.Contains(text(found), "warning memory") {
		t.Errorf("%v: %s %v", err, text(found), failed)
	}
}

// On a Cluster a node knows only its own clients: who listens elsewhere is found, too.
func TestListenersOfCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rdb := cluster.Client()
	client := queuetest.Must[*framework.Client](t)(framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{Mode: framework.ModeCluster, Addrs: cluster.Addrs()}}))
	defer func() { _ = client.Close() }()
	keys := wire.KeysOf("listened:to")
	rdb.ZAdd(t.Context(), keys.Timeout, redis.Z{Score: float64(time.Now().Add(time.Hour).UnixMilli()), Member: ourElement})
	rdb.RPush(t.Context(), keys.Pending, ourElement)
	listeners := func() string {
		v, err := DiagnoseQueue(t.Context(), client, keys.Queue, DiagnoseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return text(v.Findings)
	}
	if got := listeners(); got != "warning listeners 1 0\n" {
		t.Errorf("no one listens: %q", got)
	}
	listening := rdb.Subscribe(t.Context(), keys.Channel)
	defer func() { _ = listening.Close() }()
	if _, err := listening.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if got := listeners(); got != "" {
			t.Fatalf("someone listens: %q", got)
		}
	}
}

// What dead consumers hold is counted, and a queue that is only elsewhere says where.
func TestHeldAndAbsent(t *testing.T) {
	t.Parallel()
	rdb := server0.Client()
	k := wire.KeysOf("doctor held")
	const session, nonce = "0123456789abcdef", "fedcba9876543210"
	rdb.ZAdd(t.Context(), k.Sessions, redis.Z{Score: 1, Member: session})
	rdb.SAdd(t.Context(), k.Fetches(session), nonce)
	rdb.RPush(t.Context(), k.Inflight(session, nonce), "header", "a", "\x00duequeue:settled:"+nonce+":ack", "c")
	rdb.RPush(t.Context(), k.Stage(session), "d")
	found, err := checkQueue(t.Context(), rdb, k, k.Queue, DiagnoseOptions{})
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Message, "still holds 3 messages") || found[0].Command != "duequeue reap 'doctor held'" {
		t.Errorf("%+v %v", found, err)
	}
	opts := *rdb.Options()
	opts.DB = 9
	other := redis.NewClient(&opts)
	defer func() { _ = other.Close() }()
	found, err = checkQueue(t.Context(), other, k, k.Queue, DiagnoseOptions{})
	if err != nil || text(found) != "info absent 0 0\n" || !strings.Contains(found[0].Message, "database 9") || !strings.Contains(found[0].Message, "db0 (") {
		t.Errorf("%+v %v", found, err)
	}
}
