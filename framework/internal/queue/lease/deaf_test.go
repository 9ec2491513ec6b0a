package lease

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// deafConn loses what the server says while the flag is set: a connection that is half
// open, over which Redis hears us.
type deafConn struct {
	net.Conn
	deaf *atomic.Bool
}

func (c deafConn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.deaf.Load() {
			return n, err
		}
	}
}

// Over a connection that is half open nothing moves the lease on once Redis has been
// silent for a sixth of it: others get the messages when the lease is over, not later,
// and nothing more is popped. When Redis is heard again all goes on.
func TestSilentRedisIsNotToldToWaitLonger(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	var deaf atomic.Bool
	client := redis.NewClient(&redis.Options{
		MaxRetries: -1, DisableIdentity: true, ReadTimeout: 200 * time.Millisecond, DialerRetries: 1,
		Dialer: func(ctx context.Context, network, _ string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, lab.Shared.Addr())
			return deafConn{c, &deaf}, err
		},
	})
	defer func() { _ = client.Close() }()
	s, err := New(client, client, e.keys, Options{Repeats: 1})
	must(t, err)
	defer s.lanes.close()
	e.push(t, "a", "b")
	_, err = s.Take(t.Context(), 1, nil)
	must(t, err)
	until := e.rdb.ZScore(t.Context(), e.keys.Sessions, s.ID()).Val()

	silent := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.validUntil = time.Now().Add(s.opts.Lease/2 - time.Second)
	}
	silent()
	deaf.Store(true)
	if _, err := s.Renew(t.Context()); err == nil {
		t.Error("renewed by an answer that nobody heard")
	}
	if b, err := s.Take(t.Context(), 1, nil); err == nil {
		t.Errorf("took %d messages", len(b.Messages))
	}
	if got := e.rdb.ZScore(t.Context(), e.keys.Sessions, s.ID()).Val(); got != until {
		t.Errorf("the lease was moved on by %v ms", got-until)
	}
	e.wantQueue(t, "b")

	deaf.Store(false)
	silent()
	if lost, err := s.Renew(t.Context()); lost || err != nil {
		t.Errorf("lost %v: %v", lost, err)
	}
	b, err := s.Take(t.Context(), 1, nil)
	must(t, err)
	if len(b.Messages) != 1 || e.rdb.ZScore(t.Context(), e.keys.Sessions, s.ID()).Val() <= until {
		t.Errorf("took %d", len(b.Messages))
	}
}
