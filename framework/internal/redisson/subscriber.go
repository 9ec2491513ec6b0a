package redisson

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	subscribeFirst = 50 * time.Millisecond
	subscribeMax   = 2 * time.Second
)

// subscriber holds the one subscription of a process, to the channels of all
// queues, and makes it anew whenever it fails or falls silent.
type subscriber struct {
	rdb      redis.UniversalClient
	channels []string
	opts     Options
	events   chan<- subEvent
	current  atomic.Pointer[redis.PubSub] // for ping from outside
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
)

// run keeps the subscription up until ctx ends.
func (s *subscriber) run(ctx context.Context) {
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
	ps := s.rdb.Subscribe(ctx, s.channels...)
	s.current.Store(ps)
	// Receiving ignores the context; closing ends it.
	unhook := context.AfterFunc(ctx, func() { _ = ps.Close() })
	defer func() {
		unhook()
		_ = ps.Close()
	}()
	missing := make(map[string]struct{}, len(s.channels))
	for _, c := range s.channels {
		missing[c] = struct{}{}
	}
	wait, pinged := s.opts.PingTimeout, true // the confirmation is an answer too
	for {
		message, err := ps.ReceiveTimeout(ctx, wait)
		if err != nil && isTimeout(err) && !pinged && ps.Ping(ctx) == nil {
			wait, pinged = s.opts.PingTimeout, true
			continue
		}
		if err != nil {
			s.tell(ctx, subEvent{kind: subDown, err: Classify("SUBSCRIBE", err)})
			return wasUp
		}
		if len(missing) == 0 {
			wait, pinged = s.opts.Ping, false
		}
		switch m := message.(type) {
		case *redis.Subscription:
			// The client may also have made the connection anew by itself.
			again := wasUp && m.Count == len(s.channels)
			delete(missing, m.Channel)
			if len(missing) == 0 && !wasUp || again {
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
		_ = ps.Ping(ctx)
	}
}

func isTimeout(err error) bool {
	var netErr net.Error
	return errors.As(err, &netErr) && netErr.Timeout()
}
