package admin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// opened is a client of a server that does nothing by itself.
func opened(t *testing.T, cfg framework.Config) *framework.Client {
	t.Helper()
	cfg.NoTransfer = true
	c, err := framework.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func namesOf(found []QueueStatus) []string {
	var names []string
	for _, q := range found {
		names = append(names, q.Queue)
	}
	return names
}

// All queues are found, Java's and Go's, by whatever key they have; nothing else is.
func TestQueues(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, ctx := srv.Client(), t.Context()
	past := float64(time.Now().Add(-time.Minute).UnixMilli())
	pending(t, rdb, wire.KeysOf("java"), past, newElement)
	rdb.RPush(ctx, "java", "a", "b")
	if _, _, err := control.PauseFor(ctx, rdb, wire.KeysOf("paused"), control.Pause{Reason: "why", By: "alice"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	rdb.XAdd(ctx, &redis.XAddArgs{Stream: wire.KeysOf("dead").Dead, Values: []string{"body", "x"}})
	listen(t, rdb, wire.KeysOf("listens").Channel)
	rdb.HSet(ctx, wire.KeysOf("tag{ged}").Attempts, "a", "b")
	rdb.Set(ctx, wire.KeysOf("wrong").Timeout, "text", 0)
	for i := range 3000 { // what is none
		rdb.Set(ctx, fmt.Sprintf("redis:%d", i), "x", 0)
	}
	rdb.Set(ctx, "duequeue:fetches:{java}:session", "x", 0)
	rdb.Set(ctx, "duequeue:dedup:{java}:key", "x", 0)
	rdb.Set(ctx, "redisson_delay_queue_nothing:{x}", "x", 0)

	found, more, err := Queues(ctx, opened(t, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}}), QueuesOptions{})
	if names := namesOf(found); err != nil || more || !slices.Equal(names, []string{"dead", "java", "listens", "paused", "tag{ged}", "wrong"}) {
		t.Fatalf("%q %v %v", names, more, err)
	}
	by := map[string]QueueStatus{}
	for _, q := range found {
		by[q.Queue] = q
	}
	if q := by["java"]; q.Ready != 2 || q.Delayed != 1 || q.Overdue != 1 || q.Lag < time.Minute || !q.LagAtLeast || q.Listeners != 0 || q.NextDue.IsZero() {
		t.Errorf("%+v", q)
	}
	if q := by["paused"]; q.Pause == nil || q.Pause.Reason != "why" || q.Pause.By != "alice" || q.Lag != 0 || q.LagAtLeast {
		t.Errorf("%+v", q)
	}
	if q := by["listens"]; q.Listeners != 1 || q.Processes != 0 {
		t.Errorf("%+v", q)
	}
	var wrong *fault.WrongTypeError
	if q := by["wrong"]; !errors.As(q.Err, &wrong) || by["dead"].Dead != 1 || by["dead"].Err != nil {
		t.Errorf("%+v %+v", q, by["dead"])
	}
	if found, more, err = Queues(ctx, opened(t, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}}), QueuesOptions{Most: 2, Share: 1}); err != nil || !more || len(found) != 2 {
		t.Errorf("%q %v %v", namesOf(found), more, err)
	}
	named := framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, Name: framework.NameConfig{Prefix: "j", Suffix: "a"}}
	if found, _, err = Queues(ctx, opened(t, named), QueuesOptions{}); err != nil || !slices.Equal(namesOf(found), []string{"av"}) || found[0].Ready != 2 {
		t.Errorf("of a client with prefix and suffix: %+v %v", found, err)
	}
}

// On a Cluster those of all nodes are found, and who listens at any of them.
func TestQueuesOfACluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rdb, ctx := cluster.Client(), t.Context()
	var want []string
	for i := range 12 {
		k := wire.KeysOf(fmt.Sprintf("q%02d", i))
		want = append(want, k.Queue)
		if err := rdb.ZAdd(ctx, k.Timeout, redis.Z{Score: 1e15, Member: ourElement}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for i, node := range cluster.Nodes() {
		listen(t, node.Client(), wire.KeysOf(want[i]).Channel)
		listen(t, node.Client(), wire.KeysOf(want[5]).Channel)
	}
	c := opened(t, framework.Config{Redis: framework.RedisConfig{Addrs: cluster.Addrs()}})
	found, more, err := Queues(ctx, c, QueuesOptions{Share: 1})
	if err != nil || more || !slices.Equal(namesOf(found), want) {
		t.Fatalf("%q %v %v", namesOf(found), more, err)
	}
	for i, q := range found {
		listeners := map[bool]int64{true: 1}[i < 3]
		if i == 5 {
			listeners = 3
		}
		if q.Delayed != 1 || q.Err != nil || q.Listeners != listeners {
			t.Errorf("%+v, want %d listeners", q, listeners)
		}
	}
	if _, err := Pause(ctx, c, "q03", PauseOptions{Reason: "x"}); err != nil {
		t.Error(err)
	}
	if s, err := ControlOf(ctx, c, "q03"); err != nil || s.Pause == nil || s.Pause.Reason != "x" || s.Now.IsZero() {
		t.Errorf("%+v %v", s, err)
	}
}

// Mistakes are typed, and set nothing.
func TestControlMistakes(t *testing.T) {
	t.Parallel()
	c := opened(t, framework.Config{Redis: framework.RedisConfig{URL: server0.URL()}})
	ctx := t.Context()
	for name, f := range map[string]func() error{
		"no reason": func() error { _, err := Pause(ctx, c, "mistakes", PauseOptions{}); return err },
		"no limit":  func() error { _, err := SetLimit(ctx, c, "mistakes", LimitOptions{}); return err },
		"author":    func() error { _, err := Resume(ctx, c, "mistakes", "a\nb"); return err },
	} {
		var wrong *fault.ControlError
		if err := f(); !errors.As(err, &wrong) || wrong.Reason == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, f := range map[string]func() error{
		"pause":     func() error { _, err := Pause(ctx, c, "", PauseOptions{Reason: "x"}); return err },
		"resume":    func() error { _, err := Resume(ctx, c, "", ""); return err },
		"limit":     func() error { _, err := SetLimit(ctx, c, "", LimitOptions{Workers: 1}); return err },
		"control":   func() error { _, err := ControlOf(ctx, c, ""); return err },
		"processes": func() error { _, err := Processes(ctx, c, ""); return err },
		"in flight": func() error { _, err := InFlightOf(ctx, c, ""); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "name") {
			t.Errorf("%s of no queue: %v", name, err)
		}
	}
	if n := server0.Client().Exists(ctx, "duequeue:control:{mistakes}").Val(); n != 0 {
		t.Error("something was set")
	}
}

// StatusOf reports known queues what Queues tells, of a queue with partitions as one.
func TestStatusOf(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, ctx := srv.Client(), t.Context()
	rdb.HSet(ctx, wire.KeysOf("PARTS").Control, "partitions", "3 0")
	for i := range 3 {
		rdb.RPush(ctx, wire.PartitionName("PARTS", i), "x", "y")
	}
	pending(t, rdb, wire.KeysOf("PLAIN"), float64(time.Now().Add(-time.Minute).UnixMilli()), newElement)
	c := opened(t, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	found, err := StatusOf(ctx, c, "PLAIN", "PARTS", "NONE")
	if err != nil || len(found) != 3 {
		t.Fatal(found, err)
	}
	if q := found[0]; q.Queue != "PLAIN" || q.Delayed != 1 || q.Overdue != 1 || q.Ready != 0 {
		t.Errorf("%+v", q)
	}
	if q := found[1]; q.Queue != "PARTS" || q.Ready != 6 {
		t.Errorf("%+v", q)
	}
	if q := found[2]; q.Queue != "NONE" || q.Ready+q.Delayed+q.Dead != 0 {
		t.Errorf("%+v", q)
	}
}
