package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const killEvery = 20 * time.Millisecond

// PubSubKill throws every subscriber out, again and again, until Heal: subscriptions
// break at once each time they are made. For subscriptions that look alive and are dead
// see [MuteSubscriptions]. A server without a subscriber is [ErrNoTarget].
func PubSubKill(s *Server) Fault {
	f := &simple{state: state{name: "pub/sub: subscribers thrown out", unit: "subscribers thrown out"}}
	var stop context.CancelFunc
	var all sync.WaitGroup
	kill := func(ctx context.Context) (int, error) {
		n, err := s.client.ClientKillByFilter(ctx, "type", "pubsub").Result()
		f.effects.Add(n)
		return int(n), err
	}
	f.begin = func(ctx context.Context) error {
		n, err := kill(ctx)
		if err != nil || n == 0 {
			return errors.Join(fmt.Errorf("%w: %d subscribers", ErrNoTarget, n), err)
		}
		var on context.Context
		on, stop = context.WithCancel(context.WithoutCancel(ctx))
		all.Go(func() {
			tick := time.NewTicker(killEvery)
			defer tick.Stop()
			for {
				select {
				case <-on.Done():
					return
				case <-tick.C:
					// Refused while the server is down: then there is no subscriber either.
					_, _ = kill(on)
				}
			}
		})
		return nil
	}
	f.end = func(context.Context) error {
		stop()
		all.Wait()
		return nil
	}
	return f
}
