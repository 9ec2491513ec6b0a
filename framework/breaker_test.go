package framework_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

var errBroken = errors.New("unmarked")

// breakerStory is a queue whose handler fails for bad messages always, and for all while
// the dependency is down.
type breakerStory struct {
	*frameworktest.Kit
	q       *registry.Queue[string]
	down    bool
	failure error
	good    int
	unready string
}

func tellBreaker(t *testing.T, body func(t *testing.T, s *breakerStory), opts ...registry.Option) {
	t.Helper()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		s := &breakerStory{
			Kit: k, failure: errBroken,
			q: registry.Define[string]("orders", "", append(opts, registry.Codec(codecs.String()))...),
		}
		frameworktest.HandleFunc(k, s.q, func(_ context.Context, d *handlers.Delivery[string]) error {
			if s.down || strings.HasPrefix(d.Payload, "bad") {
				return s.failure
			}
			return nil
		})
		body(t, s)
	}, framework.WithLogger(slog.New(slog.DiscardHandler)))
}

func (s *breakerStory) offerBad(n int) {
	for i := range n {
		frameworktest.Offer(s.Kit, s.q, fmt.Sprint("bad ", i), 0)
	}
}

// pass lets time pass with a good message every so often (0: none), and looks at the
// readiness each half hour.
func (s *breakerStory) pass(d, every time.Duration) {
	const look = 30 * time.Minute
	next := time.Duration(0)
	for past := time.Duration(0); past < d; {
		if every > 0 && past >= next {
			frameworktest.Offer(s.Kit, s.q, fmt.Sprint("good ", s.good), 0)
			s.good++
			next += every
		}
		step := min(look, d-past)
		if every > 0 {
			step = min(step, next-past)
		}
		s.Advance(step)
		past += step
		if h := s.Engine().Health(); !h.Ready {
			s.unready = strings.Join(h.Reasons, "; ")
		}
	}
}

// calls counts the calls by message, and tells how late the latest good one was.
func (s *breakerStory) tally() (calls map[string]int, worst time.Duration) {
	calls = map[string]int{}
	for _, c := range s.Calls(s.q) {
		name := c.Payload.(string)
		if calls[name]++; strings.HasPrefix(name, "good") {
			worst = max(worst, c.Started.Sub(c.Due))
		}
	}
	return calls, worst
}

// TestBreakerAgainstPoison: bad messages that fail for ever, beside good ones, with all
// defaults.
func TestBreakerAgainstPoison(t *testing.T) {
	t.Parallel()
	every := []time.Duration{5 * time.Second, time.Minute, 10 * time.Minute, 0}
	for _, bad := range []int{1, 3, 10} {
		for _, pause := range every {
			sampled := bad == 3 && pause == 10*time.Minute || bad == 10 && pause == 10*time.Minute
			if !lab.LongForm() && !sampled {
				continue // the long form
			}
			t.Run(fmt.Sprintf("%d bad, a good one every %v", bad, pause), func(t *testing.T) {
				t.Parallel()
				tellBreaker(t, func(t *testing.T, s *breakerStory) {
					s.offerBad(bad)
					s.pass(3*time.Hour, pause)
					calls, worst := s.tally()
					most := 10 * time.Second
					if bad > 3 {
						most = time.Minute
					}
					if worst > most {
						t.Errorf("a good message is %v late", worst)
					}
					for i := range s.good {
						if n := calls[fmt.Sprint("good ", i)]; n != 1 {
							t.Errorf("good message %d has %d calls", i, n)
						}
					}
					if degraded := s.Engine().Health().Degraded; bad <= 3 && len(degraded) > 0 {
						t.Errorf("few bad messages open the breaker: %v", degraded)
					}
					if s.unready != "" {
						t.Errorf("unready: %s", s.unready)
					}
					if bad > 3 { // each good one lets all of them be tried
						s.pass(24*time.Hour, 2*time.Hour)
					}
					s.Advance(60 * time.Hour)
					calls, _ = s.tally()
					for i := range bad {
						if n := calls[fmt.Sprint("bad ", i)]; n != registry.DefaultMaxAttempts {
							t.Errorf("bad message %d has %d calls", i, n)
						}
					}
					s.RequireDead(s.q, bad)
					t.Logf("worst lateness of a good one %v", worst)
				})
			})
		}
	}
}

// TestOutageOfADay: what handlers depend on is down for a day, and nobody marked its
// errors.
func TestOutageOfADay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		messages, bad int
		lasts, within time.Duration
		long          bool
	}{
		{1000, 10, 6 * time.Hour, 3 * time.Minute, true},
		// The outage may end as each has been tried once: then the bad ones, which came first, are
		// tried before a good one, ten in 45 s each at worst.
		{50, 10, 30 * time.Minute, 8 * time.Minute, false},
		{1, 0, 24 * time.Hour, 12 * time.Hour, true},
		{3, 0, 24 * time.Hour, 12 * time.Hour, false},
		// Those in between: each is tried every three hours at least, in turn, see pace.
		{5, 0, 12 * time.Hour, 39 * time.Minute, true},
		// After a day each has had 15 attempts, and the next own delay is up to 4.6 hours.
		{4, 0, 24 * time.Hour, 280 * time.Minute, true},
		{10, 0, 10 * time.Minute, 3 * time.Minute, true},
		{50, 0, 3 * time.Hour, 6 * time.Minute, true},
		// Both at once: half of those that are tried prove nothing.
		{50, 50, 24 * time.Hour, 3 * time.Hour, true},
	} {
		if c.long && !lab.LongForm() {
			continue
		}
		t.Run(fmt.Sprintf("%d good, %d bad, %v", c.messages, c.bad, c.lasts), func(t *testing.T) {
			t.Parallel()
			tellBreaker(t, func(t *testing.T, s *breakerStory) {
				s.down = true
				s.offerBad(c.bad)
				for i := range c.messages {
					frameworktest.Offer(s.Kit, s.q, fmt.Sprint("good ", i), time.Duration(i)*time.Millisecond)
				}
				s.pass(c.lasts, 0)
				s.RequireDead(s.q, 0)
				if s.unready != "" {
					t.Errorf("unready: %s", s.unready)
				}
				s.down = false
				s.Advance(c.within)
				s.RequireHandled(s.q, c.messages)
				calls, _ := s.tally()
				for name, n := range calls {
					if n > registry.DefaultMaxAttempts {
						t.Errorf("%s has %d calls", name, n)
					}
				}
				t.Logf("%d calls of %d messages", len(s.Calls(s.q)), c.messages)
			})
		})
	}
}
