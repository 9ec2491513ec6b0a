package fault_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/registry"
)

func TestPoisonReady(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	f := fault.PoisonReady(srv.Client(), "q", 1)
	noError(t, f.Strike(ctx), f.Strike(ctx))
	bodies := srv.Client().LRange(ctx, "q", 0, -1).Val()
	injected := f.Injected()
	if len(bodies) != len(injected) || len(bodies) < 20 {
		t.Fatalf("%d on the list, %d reported", len(bodies), len(injected))
	}
	seen := map[string]bool{}
	for i, in := range injected {
		if in.Malformed || string(in.Body) != bodies[i] || !bytes.Contains(in.Body, []byte(fault.Mark)) || seen[bodies[i]] {
			t.Errorf("%s: reported wrongly, without mark, or twice", in.Kind)
		}
		seen[bodies[i]] = true
	}
	wantTally(t, f, 2, len(bodies))

	again := fault.PoisonReady(srv.Client(), "other", 1)
	noError(t, again.Strike(ctx))
	for i, in := range again.Injected() {
		if !bytes.Equal(in.Body, injected[i].Body) {
			t.Errorf("%s: the same seed made other bytes", in.Kind)
		}
	}
}

// TestPoisonTimeout: the transfer puts exactly what is reported as malformed into the
// dead store and delivers the rest.
func TestPoisonTimeout(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	queue := registry.Define[[]byte]("q", "poisoned", registry.Codec(codecs.ByteArray()))
	client := rig.Open(t, srv.URL())
	var got rig.Collector[[]byte]
	rig.Run(t, client, framework.Consume(queue, &got))

	f := fault.PoisonTimeout(srv.Client(), "q", 2)
	noError(t, f.Strike(ctx))
	var payloads, malformed [][]byte
	for _, in := range f.Injected() {
		if in.Malformed {
			malformed = append(malformed, in.Body)
		} else {
			payloads = append(payloads, in.Body)
		}
	}
	wantTally(t, f, 1, len(payloads)+len(malformed))
	for _, d := range got.Await(t, len(payloads), 10e9) {
		if !contains(payloads, string(d.Payload)) {
			t.Errorf("delivered %.40q, which was not reported", d.Payload)
		}
	}
	rig.Eventually(t, 10e9, func() string {
		if n := rig.Counts(t, client, queue).Dead; int(n) != len(malformed) {
			return "the dead store does not hold all malformed elements"
		}
		return ""
	})
	for _, entry := range srv.Client().XRange(ctx, fault.KeysOf("q").Dead, "-", "+").Val() {
		if body, _ := entry.Values["body"].(string); !contains(malformed, body) {
			t.Errorf("dead: %.40q (%v), which was not reported", body, entry.Values["detail"])
		}
	}
}

func contains(all [][]byte, one string) bool {
	for _, b := range all {
		if string(b) == one {
			return true
		}
	}
	return false
}

func TestPubSubKill(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	f := fault.PubSubKill(srv)
	if err := f.Strike(ctx); !errors.Is(err, fault.ErrNoTarget) {
		t.Errorf("nobody subscribed: %v, want ErrNoTarget", err)
	}
	sub := srv.Client().Subscribe(ctx, "channel")
	defer closed(t, sub)
	_, err := sub.Receive(ctx)
	noError(t, err)
	strike(t, f)
	for { // the client subscribes again, and is thrown out again
		if _, err := sub.Receive(ctx); err != nil && f.Tally().Effects > 2 {
			break
		}
		noError(t, ctx.Err())
	}
	heal(t, f)
	for {
		if n, err := srv.Client().Publish(ctx, "channel", "x").Result(); err == nil && n == 1 {
			break
		}
		_, _ = sub.ReceiveTimeout(ctx, 10e6) // lets the client subscribe again
		noError(t, ctx.Err())
	}
}
