package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// waitSlack is what a wait's read may take beyond the block itself where the client's
// read timeout is not longer than that by leastSlack: go-redis ignores the timeout of a
// blocking command in a pipeline.
const (
	waitSlack  = 3 * time.Second
	leastSlack = time.Second
)

// lane is the session's own connection, which it has while it waits in Redis and until
// [Session.Disconnect]: takes and waits go one after the other over it, so that a wait's
// registration is executed before its block, and so that a wait can be ended without
// touching anybody else's connection. A session without one takes over those of the client.
type lane struct {
	take *redis.Client // the client's own read timeout
	wait *redis.Client // the same connection with one longer than the block
	// id is Redis's number of the connection; -1 where it does not tell, then an
	// interruption closes the connection.
	id atomic.Int64
}

// lanes opens the lane of a session for a wait, again after it was dropped.
type lanes struct {
	template redis.UniversalClient
	key      string // decides the node of a cluster
	block    time.Duration

	mu  sync.Mutex
	cur *lane
}

func (l *lanes) get(ctx context.Context) (*lane, error) {
	if cur := l.present(); cur != nil {
		return cur, nil
	}
	node, err := nodeOf(ctx, l.template, l.key)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur == nil {
		l.cur = openLane(node.Options(), l.block)
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
	if c, ok := l.template.(*redis.ClusterClient); ok {
		c.ReloadState(context.WithoutCancel(ctx)) // only sets a reload off, in the background
	}
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

// nodeOf returns the client of the server that holds key.
func nodeOf(ctx context.Context, rdb redis.UniversalClient, key string) (*redis.Client, error) {
	switch c := rdb.(type) {
	case *redis.Client:
		return c, nil
	case *redis.ClusterClient:
		return c.MasterForKey(ctx, key)
	default:
		return nil, &OptionError{"client", fmt.Sprintf("is a %T; a *redis.Client or *redis.ClusterClient is needed", rdb)}
	}
}

// openLane dials nothing yet. The options are those of the given client, with one
// connection and without any repetition: a repeated take needs the same nonce.
func openLane(o *redis.Options, block time.Duration) *lane {
	ln := &lane{}
	opt := *o
	opt.MaxRetries = -1
	opt.PoolSize, opt.MinIdleConns, opt.MaxIdleConns, opt.MaxActiveConns = 1, 0, 0, 0
	if opt.ReadTimeout <= 0 {
		opt.ReadTimeout = 3 * time.Second
	}
	// No second pool for pipelines: a wait is one, and would go over another connection
	// than the takes, and an interruption to the wrong one.
	opt.PipelinePoolSize = -1
	opt.PushNotificationProcessor = nil
	opt.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	before := opt.OnConnect
	opt.OnConnect = func(ctx context.Context, cn *redis.Conn) error {
		if before != nil {
			if err := before(ctx, cn); err != nil {
				return err
			}
		}
		id, err := cn.ClientID(ctx).Result()
		if err != nil {
			var refused redis.Error
			if !errors.As(err, &refused) {
				return err
			}
			id = -1
		}
		ln.id.Store(id)
		return nil
	}
	ln.take = connect.NewClient(&opt)
	silence := opt.ReadTimeout
	if silence < block+leastSlack {
		silence = block + waitSlack
	}
	ln.wait = connect.Equip(ln.take.WithTimeout(silence)) // it has none of the other's hooks
	return ln
}

// route is what a take goes over: the session's own connection or, where it has none, one of
// the client that its options are from.
type route struct {
	session *Session
	lane    *lane // nil for the client
	node    *redis.Client
	pinged  *redis.Conn // one connection of the client, where the ping must tell of it
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
	node, err := nodeOf(ctx, s.lanes.template, s.keys.Queue)
	if err != nil {
		return route{}, err
	}
	r := route{session: s, node: node}
	if ping {
		r.pinged = node.Conn()
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
	if c, ok := r.session.lanes.template.(*redis.ClusterClient); ok { // the pool sees to a broken connection
		c.ReloadState(context.WithoutCancel(ctx)) // only sets a reload off, in the background
	}
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
