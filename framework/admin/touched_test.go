package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Whatever a command of Redis makes of one of the keys that Java writes, doctor names the state,
// and says what to do; -fix takes nothing away that is all that is left of a message.
func TestKeysThatOthersTouch(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	far := float64(time.Now().Add(time.Hour).UnixMilli())
	for name, c := range map[string]struct {
		do   func(ctx context.Context, q, other wire.Keys) error
		want string // of the queue
		says string // in what is said of it
		then string // of the other one, "" for nothing; both are examined together
	}{
		"DEL of the set":    {func(ctx context.Context, q, _ wire.Keys) error { return rdb.Del(ctx, q.Timeout).Err() }, "error set 3 0\n", "RESTORE", "info absent 0 0\n"},
		"DEL of the list":   {func(ctx context.Context, q, _ wire.Keys) error { return rdb.Del(ctx, q.Pending).Err() }, "warning list 3 0\n", "are delivered", "info absent 0 0\n"},
		"DEL of both":       {func(ctx context.Context, q, _ wire.Keys) error { return rdb.Del(ctx, q.Timeout, q.Pending).Err() }, "", "", "info absent 0 0\n"},
		"RENAME of the set": {func(ctx context.Context, q, o wire.Keys) error { return rdb.Rename(ctx, q.Timeout, o.Timeout).Err() }, "error set 3 0\n", "RENAMENX", "warning list 3 0\n"},
		"RENAME of the list": {
			func(ctx context.Context, q, o wire.Keys) error { return rdb.Rename(ctx, q.Pending, o.Pending).Err() }, "warning list 3 0\n", "are delivered",
			"error set 3 0\n",
		},
		"COPY of the set": {
			func(ctx context.Context, q, o wire.Keys) error {
				return rdb.Copy(ctx, q.Timeout, o.Timeout, 0, false).Err()
			}, "error copies 3 0\n", "each queue delivers them",
			"error copies 1 0\nwarning list 3 0\n",
		},
		"COPY of the list": {func(ctx context.Context, q, o wire.Keys) error {
			return rdb.Copy(ctx, q.Pending, o.Pending, 0, false).Err()
		}, "", "", "error set 3 0\n"},
		"COPY of both": {func(ctx context.Context, q, o wire.Keys) error {
			rdb.Copy(ctx, q.Pending, o.Pending, 0, false)
			return rdb.Copy(ctx, q.Timeout, o.Timeout, 0, false).Err()
		}, "error copies 3 0\n", "COPY, RESTORE, RENAME", ""},
		"EXPIRE of the set":        {func(ctx context.Context, q, _ wire.Keys) error { return rdb.Expire(ctx, q.Timeout, time.Hour).Err() }, "error expiry 1 1\n", "all pending messages", "info absent 0 0\n"},
		"EXPIRE of the list":       {func(ctx context.Context, q, _ wire.Keys) error { return rdb.Expire(ctx, q.Pending, time.Hour).Err() }, "warning expiry 1 1\n", "Java's view", "info absent 0 0\n"},
		"EXPIRE of the ready list": {func(ctx context.Context, q, _ wire.Keys) error { return rdb.Expire(ctx, q.Queue, time.Hour).Err() }, "error expiry 1 1\n", "all ready messages", "info absent 0 0\n"},
		"RESTORE of an older set, with an end": {func(ctx context.Context, q, _ wire.Keys) error {
			text, err := rdb.Dump(ctx, q.Timeout).Result()
			if err != nil {
				return err
			}
			pending(t, rdb, q, far, "\x07later00\x05\x00\x00\x00\x00\x00\x00\x00hello")
			return rdb.RestoreReplace(ctx, q.Timeout, time.Hour, text).Err()
		}, "error expiry 1 1\nwarning ghosts 1 0\n", "RESTORE", "info absent 0 0\n"},
		"RESTORE of an older list": {func(ctx context.Context, q, _ wire.Keys) error {
			text, err := rdb.Dump(ctx, q.Pending).Result()
			if err != nil {
				return err
			}
			pending(t, rdb, q, far, "\x07later00\x05\x00\x00\x00\x00\x00\x00\x00hello")
			return rdb.RestoreReplace(ctx, q.Pending, 0, text).Err()
		}, "warning orphans 1 0\n", "not in Java's view", "info absent 0 0\n"},
		"SET of another type": {func(ctx context.Context, q, _ wire.Keys) error { return rdb.Set(ctx, q.Timeout, "x", 0).Err() }, "error type 0 0\n", "holds a string", "info absent 0 0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, q, other := t.Context(), queuetest.NewQueue(), queuetest.NewQueue()
			listen(t, rdb, q.Channel)
			listen(t, rdb, other.Channel)
			for i := range 3 {
				pending(t, rdb, q, far, fmt.Sprintf("\x07%7d\x05\x00\x00\x00\x00\x00\x00\x00hello", time.Now().UnixNano()%1e6*10+int64(i)))
			}
			rdb.RPush(ctx, q.Queue, "ready")
			if err := c.do(ctx, q, other); err != nil {
				t.Fatal(err)
			}
			client := open(t, srv)
			found := queuetest.Must[[]Finding](t)(Diagnose(ctx, client, []string{q.Queue, other.Queue}, DiagnoseOptions{}))
			of := func(name string) []Finding {
				return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.Queue != name })
			}
			got := of(q.Queue)
			said := ""
			for _, f := range got {
				said += f.Message + f.Advice
			}
			// With Fix what has an end is kept, and nothing is taken away; ghosts are asked for again.
			want := strings.ReplaceAll(strings.ReplaceAll(c.want, "expiry 1 1", "expiry 1 0"), "ghosts 1 1", "ghosts 1 0")
			if text(got) != want || !strings.Contains(said, c.says) {
				t.Errorf("got\n%s%s\nwant\n%s%q", text(got), said, want, c.says)
			}
			if then := text(of(other.Queue)); then != c.then {
				t.Errorf("of the other queue:\n%swant\n%s", then, c.then)
			}
			entries := rdb.LLen(ctx, q.Pending).Val()
			fixed := queuetest.Must[Verdict](t)(DiagnoseQueue(ctx, client, q.Queue, DiagnoseOptions{Fix: true})).Findings
			for _, f := range fixed {
				if f.Check == "expiry" && f.Fixed != 1 {
					t.Errorf("not kept: %+v", f)
				}
			}
			if strings.Contains(c.want, "error set") && rdb.LLen(ctx, q.Pending).Val() != entries {
				t.Error("-fix has removed what is left of messages")
			}
			again := queuetest.Must[Verdict](t)(DiagnoseQueue(ctx, client, q.Queue, DiagnoseOptions{})).Findings
			if slices.ContainsFunc(again, func(f Finding) bool { return f.Check == "expiry" }) {
				t.Errorf("after -fix: %s", text(again))
			}
		})
	}
}

// After SWAPDB the queue is in another database, and doctor names those that hold keys.
func TestSwappedDatabases(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, k := srv.Client(), queuetest.NewQueue()
	pending(t, rdb, k, float64(time.Now().Add(time.Hour).UnixMilli()), ourElement)
	if err := rdb.Do(t.Context(), "SWAPDB", 0, 3).Err(); err != nil {
		t.Fatal(err)
	}
	found := queuetest.Must[Verdict](t)(DiagnoseQueue(t.Context(), open(t, srv), k.Queue, DiagnoseOptions{})).Findings
	if len(found) != 1 || found[0].Check != "absent" || !strings.Contains(found[0].Message, "3") {
		t.Errorf("%+v", found)
	}
}

// A queue of which nothing is left but the noted number of partitions is absent.
func TestANoteAloneIsNoQueue(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	k := queuetest.NewQueue()
	srv.Client().HSet(t.Context(), k.Control, "partitions", "1")
	if found := queuetest.Must[[]Finding](t)(Absent(t.Context(), open(t, srv), k.Queue)); len(found) != 1 {
		t.Errorf("%+v", found)
	}
}

func open(t *testing.T, srv *lab.Server) *framework.Client {
	t.Helper()
	c := queuetest.Must[*framework.Client](t)(framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}}))
	t.Cleanup(func() { _ = c.Close() })
	return c
}
