package subscribe

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

const (
	retryFirst = 50 * time.Millisecond
	retryMax   = 2 * time.Second
)

// DefaultPing is the default of [Options].
const DefaultPing = 10 * time.Second

// Options shape a [Subscriber]. The zero value has usable defaults.
type Options struct {
	Ping        time.Duration // how long the subscription may be silent before it is pinged; [DefaultPing] by default
	PingTimeout time.Duration // how long its answer may take before it is made anew; 2 s by default
}

// asIs returns the context of all that goes over a connection which is subscribed already.
// It has ended: reading and writing go on all the same, but where the connection fails,
// go-redis does not connect anew by itself, with its mutex held, which Close waits for.
// Each connection is a session of its own here.
func asIs(ctx context.Context) context.Context {
	ended, end := context.WithCancel(ctx)
	end()
	return ended
}

// Subscriber holds the one subscription of a process, to the channels of all
// queues, and makes it anew whenever it fails or falls silent.
type Subscriber struct {
	rdb    redisapi.Client
	opts   Options
	events chan<- Event

	mu       sync.Mutex // guards channels, which change while it runs, and current
	channels []string
	current  redisapi.PubSub // nil before a session has one

	changes []change      // what to subscribe to and to leave beside the receiver
	changed chan struct{} // wakes the one that works them off
}

// New returns a subscriber to channels, which tells events of what happens.
func New(rdb redisapi.Client, opts Options, events chan<- Event, channels ...string) *Subscriber {
	if opts.Ping <= 0 {
		opts.Ping = DefaultPing
	}
	if opts.PingTimeout <= 0 {
		opts.PingTimeout = 2 * time.Second
	}
	return &Subscriber{rdb: rdb, opts: opts, events: events, channels: channels, changed: make(chan struct{}, 1)}
}

// change is a channel to subscribe to, or to leave.
type change struct {
	channel string
	leave   bool
}

// Event is what a [Subscriber] tells its owner.
type Event struct {
	Kind    Kind
	Channel string // of Message and Joined
	Payload string // of Message
	Err     error  // of Down
}

// Kind is a kind of [Event].
type Kind int

// The kinds.
const (
	Up      Kind = iota // every channel is subscribed, on a new connection
	Alive               // an answer to a ping
	Down                // the subscription failed or is silent; Err says why
	Message             // a message
	Joined              // a channel that came later is subscribed
)

// Run keeps the subscription up until ctx ends.
func (s *Subscriber) Run(ctx context.Context) {
	ctx, end := context.WithCancel(ctx)
	var following background.Group
	defer following.Wait()
	defer end() // also where this panics: it may be run again
	following.Loop(ctx, "join and leave channels", func() { s.follow(ctx) })
	first := 0
	for attempt := 0; ctx.Err() == nil; attempt++ {
		if s.session(ctx, first) {
			attempt = 0
		} else {
			first++
		}
		// The context's end is seen by the loop.
		_ = retry.Pause(ctx, retry.Backoff(attempt, retryFirst, retryMax))
	}
}

// session subscribes once and receives until that fails. It reports whether the
// subscription was up meanwhile. The client of a Cluster subscribes at the node of the first channel:
// which one is first changes, since a node may be down.
func (s *Subscriber) session(ctx context.Context, first int) (wasUp bool) {
	s.mu.Lock()
	channels := slices.Sorted(slices.Values(s.channels))
	if len(channels) > 0 {
		first %= len(channels)
		channels = slices.Concat(channels[first:], channels[:first])
	}
	s.changes = nil // this session begins with all of it
	s.current = nil
	s.mu.Unlock()
	ps := redisapi.Subscribe(ctx, s.rdb)
	if err := ps.Subscribe(ctx, channels...); err != nil {
		_ = ps.Close()
		s.tell(ctx, Event{Kind: Down, Err: rediserr.Classify("SUBSCRIBE", err)})
		return false
	}
	s.mu.Lock()
	s.current = ps
	s.mu.Unlock()
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
			s.tell(ctx, Event{Kind: Down, Err: rediserr.Classify("SUBSCRIBE", err)})
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
				s.tell(ctx, Event{Kind: Joined, Channel: m.Channel})
			case len(missing) == 0:
				wasUp, wait, pinged = true, s.opts.Ping, false
				s.tell(ctx, Event{Kind: Up})
			}
		case *redis.Message:
			s.tell(ctx, Event{Kind: Message, Channel: m.Channel, Payload: m.Payload})
		case *redis.Pong:
			s.tell(ctx, Event{Kind: Alive})
		}
	}
}

// Join subscribes to one more channel. It does not wait.
func (s *Subscriber) Join(channel string) {
	s.mu.Lock()
	s.channels = append(s.channels, channel)
	s.changes = append(s.changes, change{channel: channel})
	s.mu.Unlock()
	s.wake()
}

// Leave leaves a channel. It does not wait.
func (s *Subscriber) Leave(channel string) {
	s.mu.Lock()
	s.channels = slices.DeleteFunc(s.channels, func(c string) bool { return c == channel })
	s.changes = append(s.changes, change{channel: channel, leave: true})
	s.mu.Unlock()
	s.wake()
}

func (s *Subscriber) wake() {
	select {
	case s.changed <- struct{}{}:
	default: // it looks again anyway
	}
}

// follow works the changes off, in their order, where there is a connection: a session
// that begins later has them anyway. It ends with ctx.
func (s *Subscriber) follow(ctx context.Context) {
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
func (s *Subscriber) next() (redisapi.PubSub, change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ps := s.current
	if len(s.changes) == 0 || ps == nil {
		return nil, change{}
	}
	c := s.changes[0]
	s.changes = s.changes[1:]
	return ps, c
}

func (s *Subscriber) tell(ctx context.Context, e Event) {
	select {
	case s.events <- e:
	case <-ctx.Done():
	}
}

// Ping asks for a sign of life beside the receiver.
func (s *Subscriber) Ping(ctx context.Context) {
	s.mu.Lock()
	ps := s.current
	s.mu.Unlock()
	if ps != nil {
		// A failure is seen by the receiver too.
		_ = ps.Ping(asIs(ctx))
	}
}

func isTimeout(err error) bool {
	var netErr net.Error
	return errors.As(err, &netErr) && netErr.Timeout()
}
