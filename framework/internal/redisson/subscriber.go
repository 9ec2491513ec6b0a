package redisson

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

const (
	subscribeFirst = 50 * time.Millisecond
	subscribeMax   = 2 * time.Second
)

// asIs returns the context of all that goes over a connection which is subscribed already.
// It has ended: reading and writing go on all the same, but where the connection fails,
// go-redis does not connect anew by itself, with its mutex held, which Close waits for.
// Each connection is a session of its own here.
func asIs(ctx context.Context) context.Context {
	ended, end := context.WithCancel(ctx)
	end()
	return ended
}

// subscriber holds the one subscription of a process, to the channels of all
// queues, and makes it anew whenever it fails or falls silent.
type subscriber struct {
	rdb     redis.UniversalClient
	opts    Options
	events  chan<- subEvent
	current atomic.Pointer[redis.PubSub] // for ping from outside

	mu       sync.Mutex // guards channels, which change while it runs
	channels []string

	changes []subChange   // what to subscribe to and to leave beside the receiver
	changed chan struct{} // wakes the one that works them off
}

func newSubscriber(rdb redis.UniversalClient, opts Options, events chan<- subEvent, channels []string) *subscriber {
	return &subscriber{rdb: rdb, opts: opts, events: events, channels: channels, changed: make(chan struct{}, 1)}
}

// subChange is a channel to subscribe to, or to leave.
type subChange struct {
	channel string
	leave   bool
}

// subEvent is what the subscriber tells the owner.
type subEvent struct {
	kind    subKind
	channel string
	payload string
	err     error
}

type subKind int

const (
	subUp      subKind = iota // every channel is subscribed, on a new connection
	subAlive                  // an answer to a ping
	subDown                   // the subscription failed or is silent; err says why
	subMessage                // a message
	subJoined                 // a channel that came later is subscribed
)

// run keeps the subscription up until ctx ends.
func (s *subscriber) run(ctx context.Context) {
	var following sync.WaitGroup
	following.Go(func() { s.follow(ctx) })
	defer following.Wait()
	for attempt := 0; ctx.Err() == nil; attempt++ {
		if s.session(ctx) {
			attempt = 0
		}
		// The context's end is seen by the loop.
		_ = pause(ctx, backoff(attempt, subscribeFirst, subscribeMax))
	}
}

// session subscribes once and receives until that fails. It reports whether the
// subscription was up meanwhile.
func (s *subscriber) session(ctx context.Context) (wasUp bool) {
	s.mu.Lock()
	channels := slices.Sorted(slices.Values(s.channels))
	s.changes = nil // this session begins with all of it
	s.current.Store(nil)
	s.mu.Unlock()
	ps := s.rdb.Subscribe(ctx)
	if err := ps.Subscribe(ctx, channels...); err != nil {
		_ = ps.Close()
		s.tell(ctx, subEvent{kind: subDown, err: rediserr.Classify("SUBSCRIBE", err)})
		return false
	}
	s.current.Store(ps)
	s.wake()
	// Receiving ignores the context; closing ends it.
	unhook := context.AfterFunc(ctx, func() { _ = ps.Close() })
	defer func() {
		unhook()
		_ = ps.Close()
	}()
	missing := make(map[string]struct{}, len(channels))
	for _, c := range channels {
		missing[c] = struct{}{}
	}
	open := asIs(ctx)
	wait, pinged := s.opts.PingTimeout, true // the confirmation is an answer too
	for {
		message, err := ps.ReceiveTimeout(open, wait)
		if err != nil && isTimeout(err) && !pinged && ps.Ping(open) == nil {
			wait, pinged = s.opts.PingTimeout, true
			continue
		}
		if err != nil {
			s.tell(ctx, subEvent{kind: subDown, err: rediserr.Classify("SUBSCRIBE", err)})
			return wasUp
		}
		if len(missing) == 0 {
			wait, pinged = s.opts.Ping, false
		}
		switch m := message.(type) {
		case *redis.Subscription:
			delete(missing, m.Channel)
			switch {
			case m.Kind != "subscribe":
			case wasUp:
				s.tell(ctx, subEvent{kind: subJoined, channel: m.Channel})
			case len(missing) == 0:
				wasUp, wait, pinged = true, s.opts.Ping, false
				s.tell(ctx, subEvent{kind: subUp})
			}
		case *redis.Message:
			s.tell(ctx, subEvent{kind: subMessage, channel: m.Channel, payload: m.Payload})
		case *redis.Pong:
			s.tell(ctx, subEvent{kind: subAlive})
		}
	}
}

// join subscribes to a channel that the list has already. It does not wait.
func (s *subscriber) join(channel string) { s.change(subChange{channel: channel}) }

// leave takes a channel out of the list and leaves it. It does not wait.
func (s *subscriber) leave(channel string) {
	s.mu.Lock()
	s.channels = slices.DeleteFunc(s.channels, func(c string) bool { return c == channel })
	s.mu.Unlock()
	s.change(subChange{channel: channel, leave: true})
}

func (s *subscriber) change(c subChange) {
	s.mu.Lock()
	s.changes = append(s.changes, c)
	s.mu.Unlock()
	s.wake()
}

func (s *subscriber) wake() {
	select {
	case s.changed <- struct{}{}:
	default: // it looks again anyway
	}
}

// follow works the changes off, in their order, where there is a connection: a session
// that begins later has them anyway. It ends with ctx.
func (s *subscriber) follow(ctx context.Context) {
	open := asIs(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		for ps, c := s.next(); ps != nil && ctx.Err() == nil; ps, c = s.next() {
			// A failure is seen by the receiver too, which begins a new session.
			if c.leave {
				_ = ps.Unsubscribe(open, c.channel)
			} else {
				_ = ps.Subscribe(open, c.channel)
			}
		}
	}
}

// next takes the first change, with the connection that it is for; nil where there is
// nothing to do.
func (s *subscriber) next() (*redis.PubSub, subChange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ps := s.current.Load()
	if len(s.changes) == 0 || ps == nil {
		return nil, subChange{}
	}
	c := s.changes[0]
	s.changes = s.changes[1:]
	return ps, c
}

func (s *subscriber) tell(ctx context.Context, e subEvent) {
	select {
	case s.events <- e:
	case <-ctx.Done():
	}
}

// ping asks for a sign of life beside the receiver.
func (s *subscriber) ping(ctx context.Context) {
	if ps := s.current.Load(); ps != nil {
		// A failure is seen by the receiver too.
		_ = ps.Ping(asIs(ctx))
	}
}

func isTimeout(err error) bool {
	var netErr net.Error
	return errors.As(err, &netErr) && netErr.Timeout()
}
