package lease

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// lane is the session's own connection, which it has while it waits in Redis and until
// [Session.Disconnect]: takes and waits go one after the other over it, so that a wait's
// registration is executed before its block, and so that a wait can be ended without
// touching anybody else's connection. A session without one takes over those of the client.
type lane struct {
	take redisapi.Client // the client's own read timeout
	wait redisapi.Client // the same connection with one longer than the block
	// id is Redis's number of the connection; -1 where it does not tell, then an
	// interruption closes the connection.
	id atomic.Int64
}

// lanes opens the lane of a session for a wait, again after it was dropped.
type lanes struct {
	template redisapi.Client
	key      string // decides the node of a cluster
	block    time.Duration

	mu  sync.Mutex
	cur *lane
}

func (l *lanes) get(ctx context.Context) (*lane, error) {
	if cur := l.present(); cur != nil {
		return cur, nil
	}
	node, err := redisapi.Node(ctx, l.template, l.key)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur == nil {
		l.cur = openLane(node, l.block)
	}
	return l.cur, nil
}

// present returns the lane that is open, nil where none is.
func (l *lanes) present() *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cur
}

// drop closes a lane; the next get opens another one, at the node that serves the
// queue by then.
func (l *lanes) drop(ctx context.Context, old *lane) {
	l.mu.Lock()
	if l.cur == old {
		l.cur = nil
	}
	l.mu.Unlock()
	_ = old.take.Close() // closes the connection of wait as well; it may be broken already
	redisapi.Reload(context.WithoutCancel(ctx), l.template)
}

func (l *lanes) close() {
	l.mu.Lock()
	old := l.cur
	l.cur = nil
	l.mu.Unlock()
	if old != nil {
		_ = old.take.Close()
	}
}

// openLane dials nothing yet.
func openLane(node redisapi.Client, block time.Duration) *lane {
	ln := &lane{}
	// go-redis ignores the timeout of a blocking command in a pipeline.
	ln.take, ln.wait = connect.Alone(node, ln.id.Store, func(timeout time.Duration) time.Duration {
		return block + max(timeout, blockSlack)
	})
	return ln
}

// route is what a take goes over: the session's own connection or, where it has none, one of
// the client that its options are from.
type route struct {
	session *Session
	lane    *lane // nil for the client
	node    redisapi.Client
	pinged  redisapi.Conn // one connection of the client, where the ping must tell of it
}

// via returns the route of a take. One that begins with a ping keeps to one connection.
func (s *Session) via(ctx context.Context, ping bool) (route, error) {
	ln := s.lanes.present()
	if ln == nil && s.MayLand() { // a connection that is made anew comes after the end of the old one
		var err error
		if ln, err = s.lanes.get(ctx); err != nil {
			return route{}, err
		}
	}
	if ln != nil {
		return route{session: s, lane: ln, node: ln.take}, nil
	}
	node, err := redisapi.Node(ctx, s.lanes.template, s.keys.Queue)
	if err != nil {
		return route{}, err
	}
	r := route{session: s, node: node}
	if ping {
		r.pinged = redisapi.Pinned(node)
	}
	return r, nil
}

// Process sends a command.
func (r *route) Process(ctx context.Context, cmd redis.Cmder) error {
	return r.client().Process(ctx, cmd)
}

// send is Process, with a script ahead of the command where one waits to be sent.
func (r *route) send(ctx context.Context, ahead *script.Ahead, cmd redis.Cmder) error {
	if ahead.Waiting() {
		return ahead.Send(ctx, r.client(), cmd)
	}
	return r.Process(ctx, cmd)
}

// client is what commands go to.
func (r *route) client() interface {
	script.Pipelined
	Process(ctx context.Context, cmd redis.Cmder) error
} {
	if r.pinged != nil {
		return r.pinged
	}
	return r.node
}

// drop is called where the connection broke, or the node does not serve the queue any more.
func (r *route) drop(ctx context.Context) {
	if r.lane != nil {
		r.session.lanes.drop(ctx, r.lane)
		return
	}
	redisapi.Reload(context.WithoutCancel(ctx), r.session.lanes.template) // the pool sees to a broken connection
}

// done gives a connection back to the client.
func (r *route) done() {
	if r.pinged != nil {
		_ = r.pinged.Close()
	}
}

// Disconnect closes the session's own connection, where it has one: it will not wait in
// Redis for a while. Takes go over the client's from now on; a Wait opens another one.
func (s *Session) Disconnect() { s.lanes.close() }
