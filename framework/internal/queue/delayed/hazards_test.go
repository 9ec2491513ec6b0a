package delayed

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Each key of each script, holding another type: a typed error that names it, and
// nothing changed.
func TestWrongType(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ctx := t.Context()
	offer := func(k wire.Keys) error {
		_, err := Offer(ctx, rdb, k, OfferArgs{
			Payload: []byte("new"), Delay: time.Hour, Trace: make([]byte, wire.TraceContextBytes),
		})
		return err
	}
	transfer := func(k wire.Keys) error {
		_, err := Transfer(ctx, rdb, k, TransferArgs{})
		return err
	}
	count := func(k wire.Keys) error {
		_, err := Counts(ctx, rdb, k)
		return err
	}
	cases := []struct {
		name string
		run  func(wire.Keys) error
		key  func(wire.Keys) string
		want string
	}{
		{"offer, timeout set", offer, func(k wire.Keys) string { return k.Timeout }, "zset"},
		{"offer, pending list", offer, func(k wire.Keys) string { return k.Pending }, "list"},
		{"offer, ready list", offer, func(k wire.Keys) string { return k.Queue }, "list"},
		{"offer, traces", offer, func(k wire.Keys) string { return k.Trace }, "zset"},
		{"transfer, timeout set", transfer, func(k wire.Keys) string { return k.Timeout }, "zset"},
		{"transfer, pending list", transfer, func(k wire.Keys) string { return k.Pending }, "list"},
		{"transfer, ready list", transfer, func(k wire.Keys) string { return k.Queue }, "list"},
		{"transfer, due list", transfer, func(k wire.Keys) string { return k.Due }, "list"},
		{"transfer, dead store", transfer, func(k wire.Keys) string { return k.Dead }, "stream"},
		{"counts, sessions", count, func(k wire.Keys) string { return k.Sessions }, "zset"},
	}
	for _, c := range cases {
		k := queuetest.NewQueue()
		queuetest.Put(t, rdb, k, 5, wire.Pack(wire.NewIDs().Next(), []byte("due")))
		rdb.Del(ctx, c.key(k))
		if err := rdb.Set(ctx, c.key(k), "a string", 0).Err(); err != nil {
			t.Fatal(err)
		}
		before := queuetest.Dump(t, rdb, k)
		err := c.run(k)
		var wrong *fault.WrongTypeError
		if !errors.As(err, &wrong) || wrong.Key != c.key(k) || wrong.Want != c.want || wrong.Got != "string" {
			t.Errorf("%s: got %v", c.name, err)
		}
		if after := queuetest.Dump(t, rdb, k); after != before {
			t.Errorf("%s: changed from\n%s\nto\n%s", c.name, before, after)
		}
		// When the key is gone everything works again.
		rdb.Del(ctx, c.key(k))
		if err := c.run(k); err != nil {
			t.Errorf("%s, after the key is gone: %v", c.name, err)
		}
	}
}

// Every command of the two scripts taken away: an error that names the command;
// the offer adds nothing, the transfer loses and doubles nothing.
func TestPermissionsOfCommands(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	admin := srv.Client()
	for _, command := range []string{"TIME", "TYPE", "ZADD", "RPUSH", "PUBLISH", "EVALSHA"} {
		t.Run("offer without "+command, func(t *testing.T) {
			t.Parallel()
			k := queuetest.NewQueue()
			rdb := lab.AsUser(t, srv, "-"+strings.ToLower(command))
			_, err := Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("x"), Delay: time.Hour})
			p, ok := errors.AsType[*fault.PermissionError](err)
			if !ok || p.Command != command || p.Grant() != "+"+strings.ToLower(command) {
				t.Errorf("got %v", err)
			}
			if n := queuetest.Counts(t, admin, k); n != [4]int64{} {
				t.Errorf("ready, timeout, pending, dead = %v", n)
			}
		})
	}
	for _, command := range []string{
		"TIME", "TYPE", "ZREM", "ZRANGEBYSCORE", "LREM", "RPUSH", "ZRANGE", "XADD", "HSET", "HLEN", "EVALSHA",
	} {
		t.Run("transfer without "+command, func(t *testing.T) {
			t.Parallel()
			k, ids := queuetest.NewQueue(), wire.NewIDs()
			for i := range 3 {
				queuetest.Put(t, admin, k, i+1, wire.Pack(ids.Next(), []byte{'a' + byte(i)}))
			}
			queuetest.Put(t, admin, k, 2, []byte("garbage"))
			rdb := lab.AsUser(t, srv, "-"+strings.ToLower(command))
			r, err := Transfer(t.Context(), rdb, k, TransferArgs{})
			if r.DeadErr != nil {
				err = r.DeadErr
			}
			p, ok := errors.AsType[*fault.PermissionError](err)
			optional := command == "HSET" || command == "HLEN" // only the due records suffer
			if ok == optional || ok && p.Command != command {
				t.Errorf("got %v", err)
			}
			n := queuetest.Counts(t, admin, k)
			if good := n[0] + n[1] + n[3]; command != "ZRANGE" && good != 4 {
				t.Errorf("ready, timeout, pending, dead = %v: lost or doubled", n)
			}
			// Granted again, all arrive exactly once.
			for range 2 {
				queuetest.Must[TransferResult](t)(Transfer(t.Context(), admin, k, TransferArgs{budget: patient}))
			}
			if got := strings.Join(queuetest.Ready(t, admin, k), ""); got != "abc" || queuetest.Counts(t, admin, k)[3] != 1 {
				t.Errorf("ready %q, dead %d", got, queuetest.Counts(t, admin, k)[3])
			}
		})
	}
}

// Every key taken away: refused as a whole.
func TestPermissionsOfKeys(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	admin := srv.Client()
	for i, name := range []string{
		"queue", "timeout", "pending", "channel", "sessions", "attempts", "due", "trace", "ids", "dead", "dedup", "control",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := queuetest.NewQueue()
			queuetest.Put(t, admin, k, 5, wire.Pack(wire.NewIDs().Next(), []byte("x")))
			rules := []string{"resetkeys"}
			for j, key := range k.All() {
				if j != i {
					rules = append(rules, "~"+key)
				}
			}
			rules = append(rules, "~"+k.Fetches("*"), "~"+k.Inflight("*", "*"), "~"+k.Stage("*"))
			rdb := lab.AsUser(t, srv, rules...)
			before := queuetest.Dump(t, admin, k)
			_, err1 := Transfer(t.Context(), rdb, k, TransferArgs{})
			_, err2 := Offer(t.Context(), rdb, k, OfferArgs{Delay: time.Hour})
			for what, err := range map[string]error{"transfer": err1, "offer": err2} {
				if _, ok := errors.AsType[*fault.PermissionError](err); err != nil && !ok {
					t.Errorf("%s: got %v", what, err)
				}
			}
			if err1 != nil && err2 != nil && queuetest.Dump(t, admin, k) != before {
				t.Error("something changed")
			}
			// The probe names the key.
			p, ok := errors.AsType[*fault.PermissionError](connect.ProbeQueues(t.Context(), rdb, []wire.Keys{k}, nil)[0])
			if !ok || p.Key != k.All()[i] || p.Grant() != "~"+p.Key {
				t.Errorf("probe: got %v", p)
			}
		})
	}
}

func TestPermissionOfChannel(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	k := queuetest.NewQueue()
	rdb := lab.AsUser(t, srv, "resetchannels", "&other")
	_, err := Offer(t.Context(), rdb, k, OfferArgs{Delay: time.Hour})
	if _, ok := errors.AsType[*fault.PermissionError](err); !ok {
		t.Errorf("offer: got %v", err)
	}
	if n := queuetest.Counts(t, srv.Client(), k); n != [4]int64{} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
	p, ok := errors.AsType[*fault.PermissionError](connect.ProbeQueues(t.Context(), rdb, []wire.Keys{k}, nil)[0])
	if !ok || p.Channel != k.Channel || p.Grant() != "&"+k.Channel {
		t.Errorf("probe: got %+v", p)
	}
}

// A full Redis refuses offers and can be drained.
func TestFullRedis(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	k, ids := queuetest.NewQueue(), wire.NewIDs()
	for i := range 20 {
		queuetest.Put(t, rdb, k, i+1, wire.Pack(ids.Next(), []byte("a payload that takes some room")))
	}
	queuetest.Put(t, rdb, k, 3, []byte("garbage"))
	if err := rdb.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	_, err := Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("x")})
	var full *fault.ServerError
	if !errors.As(err, &full) || full.Kind != fault.KindOutOfMemory || !strings.Contains(err.Error(), "maxmemory") {
		t.Errorf("offer: got %v", err)
	}
	r := frozen(t, rdb, k, TransferArgs{})
	if r.Moved != 20 || r.Malformed != 1 || r.DeadErr != nil {
		t.Errorf("transfer: got %+v", r)
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{20, 0, 0, 1} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
	if n := rdb.LLen(t.Context(), k.Due).Val(); n != 20 {
		t.Errorf("%d due entries", n)
	}
}

// SCRIPT FLUSH between calls costs a round trip and nothing else.
func TestScriptFlush(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	k := queuetest.NewQueue()
	for range 3 {
		if err := rdb.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("x")}))
		rdb.ScriptFlush(t.Context())
		for _, o := range TransferAll(t.Context(), rdb, []QueueTransfer{{Keys: k}, {Keys: queuetest.NewQueue()}}) {
			if o.Err != nil {
				t.Error(o.Err)
			}
		}
	}
	lab.WaitFor(t, "three messages", func() bool {
		queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{budget: patient}))
		return len(queuetest.Ready(t, rdb, k)) == 3
	})
}

// A server that goes away in the middle: errors are of the network, and with its
// append-only file nothing is lost.
func TestRedisRestart(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.AppendOnly())
	rdb := srv.Client()
	k := queuetest.NewQueue()
	queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("x"), Delay: time.Millisecond}))
	srv.Kill()
	_, err := Transfer(t.Context(), rdb, k, TransferArgs{})
	if !rediserr.IsTransient(err) {
		t.Errorf("while it is down: got %v", err)
	}
	if _, err = Offer(t.Context(), rdb, k, OfferArgs{Tries: 1}); !rediserr.IsTransient(err) || errors.Is(err, io.EOF) {
		t.Errorf("while it is down: got %v", err)
	}
	srv.Restart()
	lab.WaitFor(t, "the message", func() bool {
		_, err := Transfer(t.Context(), rdb, k, TransferArgs{budget: patient})
		return err == nil && len(queuetest.Ready(t, rdb, k)) == 1
	})
}
