package lease

import (
	"context"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// pair is a primary with a replica, and a client that speaks to the one or the other.
type pair struct {
	primary, replica *lab.Server
	promoted         atomic.Bool
	rdb              *redis.Client
}

func newPair(t *testing.T) *pair {
	p := &pair{primary: lab.StartRedis(t, lab.Args("--repl-diskless-sync-delay", "0"))}
	p.replica = lab.StartRedis(t, lab.Args("--replicaof", "127.0.0.1", strconv.Itoa(p.primary.Port())))
	p.rdb = p.primary.NewClient(func(o *redis.Options) {
		o.MaxRetries = -1
		o.Dialer = func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			if p.promoted.Load() {
				return d.DialContext(ctx, network, p.replica.Addr())
			}
			return d.DialContext(ctx, network, p.primary.Addr())
		}
	})
	up := p.replica.Client()
	lab.WaitFor(t, "the replica follows", func() bool {
		return strings.Contains(up.Info(t.Context(), "replication").Val(), "master_link_status:up")
	})
	return p
}

// cut ends the replication; the replica keeps what it has.
func (p *pair) cut(t *testing.T) {
	t.Helper()
	must(t, p.replica.Client().Do(t.Context(), "replicaof", "no", "one").Err())
}

// promote ends the primary: from now on the replica serves.
func (p *pair) promote() {
	p.promoted.Store(true)
	p.primary.Kill()
}

// A message that a replica had acknowledged survives the failover, though its process
// settled it on the old primary alone and then ended its neighbour on the new one.
func TestFailoverKeepsWhatTheReplicaAcknowledged(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	e := &env{rdb: p.rdb, keys: newKeys()}
	s := e.session(t, Options{})
	for _, body := range []string{"a", "b"} {
		_, err := delayed.Offer(t.Context(), p.rdb, e.keys, delayed.OfferArgs{
			Payload: []byte(body), Await: delayed.Await{Replicas: 1, Timeout: time.Minute}, IDs: wire.NewIDs(),
		})
		must(t, err)
	}
	lab.WaitFor(t, "both are transferred", func() bool {
		_, err := delayed.Transfer(t.Context(), p.rdb, e.keys, delayed.TransferArgs{})
		must(t, err)
		return len(e.queue(t)) == 2
	})
	b := take(t, s, 2)
	wantBodies(t, b, "a", "b")
	lab.WaitFor(t, "the replica has the fetch", func() bool {
		return p.replica.Client().Exists(t.Context(), e.keys.Inflight(s.ID(), b.Messages[0].Token.Nonce)).Val() == 1
	})
	p.cut(t)
	r, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{Charge: true, MaxAttempts: 9, Delay: time.Hour})
	if must(t, err); r.Outcome != Retried {
		t.Fatalf("nack %+v", r)
	}
	p.promote()
	for try := 0; ; try++ {
		if _, err = s.Ack(t.Context(), tokens(b)[1:]); err == nil {
			break
		} else if try > 10 { // connections to the old primary fail once each
			t.Fatal(err)
		}
	}
	e.wantQueue(t, "a")
}
