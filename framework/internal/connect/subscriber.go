package connect

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

const (
	retryFirst = 50 * time.Millisecond
	retryMax   = 2 * time.Second
	// deniedFirst and deniedMax space tries to subscribe to channels that were denied.
	deniedFirst = time.Second
	deniedMax   = time.Minute
)

// DefaultPing is the default of [Options].
const DefaultPing = 10 * time.Second

// SubscribeOptions shape a [Subscriber]. The zero value has usable defaults.
type SubscribeOptions struct {
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
	opts   SubscribeOptions
	events chan<- Event

	mu       sync.Mutex // guards channels, which change while it runs, and current
	channels []string
	current  redisapi.PubSub // nil before a session has one

	denied  map[string]error // channels that Redis does not permit, on this connection
	sending sync.Mutex       // keeps asked in the order in which the commands are sent
	asked   []string         // the channels of commands that are not answered yet; all is that of all channels

	changes []change      // what to subscribe to and to leave beside the receiver
	changed chan struct{} // wakes the one that works them off
}

// Subscribe returns a subscriber to channels, which tells events of what happens.
func Subscribe(rdb redisapi.Client, opts SubscribeOptions, events chan<- Event, channels ...string) *Subscriber {
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
	Channel string // of Message, Joined and Denied
	Payload string // of Message
	Err     error  // of Down and Denied
	// Denied are the channels that Redis does not permit, of Up, each with a [*fault.PermissionError].
	Denied map[string]error
}

// Kind is a kind of [Event].
type Kind int

// The kinds.
const (
	Up      Kind = iota // every channel is subscribed that Redis permits, on a new connection
	Alive               // an answer to a ping
	Down                // the subscription failed or is silent; Err says why
	Message             // a message
	Joined              // a channel that came later, or was denied, is subscribed
	Denied              // Redis does not permit a channel that came later; it is tried again
)

// all stands for the command that names all channels. Redis permits it as a whole, or not at all.
const all = ""

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
	s.current, s.denied, s.asked = nil, map[string]error{}, []string{all}
	s.mu.Unlock()
	if len(channels) == 0 { // Redis refuses to subscribe to nothing: the next session looks again
		return false
	}
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
	h := &hearing{Subscriber: s, ps: ps, channels: channels, missing: make(map[string]struct{}, len(channels))}
	for _, c := range channels {
		h.missing[c] = struct{}{}
	}
	h.receive(ctx)
	return h.wasUp
}

// hearing is one session, once its first command is sent.
type hearing struct {
	*Subscriber

	ps       redisapi.PubSub
	channels []string
	missing  map[string]struct{} // channels of which Redis has not answered yet
	wasUp    bool
}

// receive receives until that fails.
func (h *hearing) receive(ctx context.Context) {
	open := asIs(ctx)
	wait, pinged := h.opts.PingTimeout, true // the confirmation is an answer too
	for {
		message, err := h.ps.ReceiveTimeout(open, wait)
		if err != nil && isTimeout(err) && !pinged && h.ps.Ping(open) == nil {
			wait, pinged = h.opts.PingTimeout, true
			continue
		}
		if channel, refusal := h.refused(err); refusal != nil {
			h.refuse(ctx, open, channel, refusal)
		} else if err != nil {
			h.tell(ctx, Event{Kind: Down, Err: rediserr.Classify("SUBSCRIBE", err)})
			return
		} else {
			h.heard(ctx, message)
		}
		if len(h.missing) == 0 {
			wait, pinged = h.opts.Ping, false
		}
	}
}

// refuse deals with a refusal: of all channels at once, each is asked for by itself.
func (h *hearing) refuse(ctx, open context.Context, channel string, refusal error) {
	switch {
	case channel == all:
		h.askEach(open, h.ps, h.channels)
	case h.wasUp:
		h.tell(ctx, Event{Kind: Denied, Channel: channel, Err: refusal})
	default:
		h.answered(ctx, channel)
	}
}

// heard deals with what Redis says.
func (h *hearing) heard(ctx context.Context, message any) {
	switch m := message.(type) {
	case *redis.Subscription:
		if m.Kind != "subscribe" {
			return
		}
		h.permitted(m.Channel, len(h.missing) == 1)
		if h.wasUp {
			h.tell(ctx, Event{Kind: Joined, Channel: m.Channel})
		} else {
			h.answered(ctx, m.Channel)
		}
	case *redis.Message:
		h.tell(ctx, Event{Kind: Message, Channel: m.Channel, Payload: m.Payload})
	case *redis.Pong:
		h.tell(ctx, Event{Kind: Alive})
	}
}

// answered notes the answer of a channel; the last one tells that the subscription is up.
func (h *hearing) answered(ctx context.Context, channel string) {
	if delete(h.missing, channel); len(h.missing) > 0 {
		return
	}
	h.wasUp = true
	h.mu.Lock()
	denied := maps.Clone(h.denied)
	h.mu.Unlock()
	h.tell(ctx, Event{Kind: Up, Denied: denied})
}

// refused reports which command the refusal of a channel is the answer of, and why. Redis answers in the
// order of the commands. Of any other error, also that the command is not permitted at all, refusal is
// nil.
func (s *Subscriber) refused(err error) (channel string, refusal error) {
	denied, is := errors.AsType[*fault.PermissionError](rediserr.Classify("SUBSCRIBE", err))
	if !is || denied.Command != "" {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		return "", nil
	}
	channel, s.asked = s.asked[0], s.asked[1:]
	if denied.Channel = channel; channel != all {
		s.denied[channel] = denied
	}
	return channel, denied
}

// permitted notes that a channel is subscribed; last says that it is the last one of all.
func (s *Subscriber) permitted(channel string, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.denied, channel)
	if len(s.asked) > 0 && (s.asked[0] == channel || s.asked[0] == all && last) {
		s.asked = s.asked[1:]
	}
}

// askEach subscribes to each channel by a command of its own.
func (s *Subscriber) askEach(ctx context.Context, ps redisapi.PubSub, channels []string) {
	for _, c := range channels {
		s.ask(ctx, ps, c)
	}
}

// ask subscribes to one channel. A failure is seen by the receiver.
func (s *Subscriber) ask(ctx context.Context, ps redisapi.PubSub, channel string) {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	over := s.current != ps // another session has begun, with all channels
	if !over {
		s.asked = append(s.asked, channel)
	}
	s.mu.Unlock()
	if !over {
		_ = ps.Subscribe(ctx, channel)
	}
}

// askAgain lets what was denied be tried again, and returns whether there was any.
func (s *Subscriber) askAgain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for channel := range s.denied {
		if slices.Contains(s.channels, channel) {
			s.changes = append(s.changes, change{channel: channel})
		}
	}
	return len(s.denied) > 0
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
	again, tries := time.NewTimer(deniedFirst), 0
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		case <-again.C:
			if tries++; !s.askAgain() {
				tries = 0
			}
			again.Reset(min(deniedFirst<<min(tries, 6), deniedMax))
		}
		for ps, c := s.next(); ps != nil && ctx.Err() == nil; ps, c = s.next() {
			// A failure is seen by the receiver too, which begins a new session.
			if c.leave {
				_ = ps.Unsubscribe(open, c.channel)
			} else {
				s.ask(open, ps, c.channel)
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
