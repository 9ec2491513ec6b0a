package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// skew is how wrong the clocks are.
const skew = 10 * time.Second

// clockRows are wrong clocks.
func clockRows() []row {
	const byTheServer = "due times follow the clock that was wrong: early is not judged"
	return []row{
		{
			name: "clock-go", title: "clocks of Go processes wrong by ±10 s", prepare: buildSkewed, cast: skewedCast, faults: liveWithIt,
			note: "half of them ahead, half of them behind, and kill -9 of some; nothing may be early or late",
		},
		{
			name: "clock-redis", title: "Redis's clock jumps by ±10 s, and back", server: fault.ServerOptions{Clock: true}, skewed: byTheServer,
			faults: func(ctx context.Context, s *stage) error {
				for _, by := range []time.Duration{skew, -skew} {
					if err := repeated(1, 3*time.Second, true, func(s *stage) fault.Fault { return fault.RedisClock(s.server, by) })(ctx, s); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			name: "clock-back", title: "Redis's clock goes back by 60 s, and kill -9 of consumers", server: fault.ServerOptions{Clock: true}, faults: clockBack, blurred: hitUnseen,
			limit: 3 * time.Second * 22 / 10,
			note:  "what waits for its due time waits until the clock is right, after about ten seconds; what a dead process held is a lease later at most than it would be, as promised: first somebody has to see that its deadline lies too far ahead",
		},
		{
			name: "clock-java", title: "clocks of Java's producers wrong by ±10 s", group: groupJava, every: 60 * time.Millisecond, idsLost: byNumber, cast: javaSkewedCast, faults: liveWithIt,
			patience: 40 * time.Second, skewed: "a Java client that is ahead transfers early, whoever offered, and one that is behind offers for times that are past: early is not judged",
			slow: "a Java client that is ahead offers for later than asked: recovery is not judged",
		},
	}
}

// clockBack kills right before Redis's clock goes back, when the deadline of who died comes
// to lie far ahead, and while it is far behind.
func clockBack(ctx context.Context, s *stage) error {
	if _, err := s.killOne(ctx, consumers, 0); err != nil {
		return err
	}
	clock := fault.RedisClock(s.server, -time.Minute)
	k, err := s.begin(ctx, clock, true)
	if err != nil {
		return err
	}
	k.late = true
	err = errors.Join(kills(consumers, 10, 600*time.Millisecond)(ctx, s), wait(ctx, s.row.lease))
	k.from = nowMs() // leases end when the clock goes forward again, not before
	if healed := s.finish(context.WithoutCancel(ctx), clock, k); healed != nil {
		return healed
	}
	return err
}

// buildSkewed makes this program once more, with a clock that can be wrong.
func buildSkewed(ctx context.Context, s *stage) error {
	s.log("building a program whose clock can be wrong; the first time takes a minute or two")
	s.skewed = filepath.Join(s.dir, "skewed")
	if err := fault.BuildSkewed(ctx, filepath.Join(here(), ".."), "./chaos", s.skewed); err != nil {
		return err
	}
	return s.serve(ctx, s.row.server)
}

func skewedCast(_ context.Context, s *stage) error {
	wrong := func(i int, r *role) {
		r.Binary, r.Clock = s.skewed, skew
		if i%2 == 1 {
			r.Clock = -skew
		}
	}
	return errors.Join(
		s.enlist(producers, "produce", 3, wrong),
		s.enlist(transferrers, "transfer", 2, wrong),
		s.enlist(consumers, "consume", 4, wrong),
	)
}

func javaSkewedCast(ctx context.Context, s *stage) error {
	for i, by := range []time.Duration{skew, -skew} {
		clock, err := fault.NewClock(by)
		if err != nil {
			return err
		}
		s.closers = append(s.closers, func() { _ = clock.Close() })
		env, err := clock.Env()
		if err != nil {
			return err
		}
		if err := s.enlistJava(ctx, producers, "produce", javaVersions[i], 1, env...); err != nil {
			return err
		}
	}
	return usualCast(ctx, s)
}

// liveWithIt lets the wrong clocks run, and kills some consumers meanwhile.
func liveWithIt(ctx context.Context, s *stage) error {
	wrong := &wrongClocks{stage: s}
	k, err := s.begin(ctx, wrong, false)
	if err != nil {
		return err
	}
	if err := kills(consumers, 8, 500*time.Millisecond)(ctx, s); err != nil {
		return err
	}
	return s.finish(ctx, wrong, k)
}

// wrongClocks is a fault that has struck from the start: processes tell the ledger what
// time they have.
type wrongClocks struct {
	stage   *stage
	strikes int
}

func (w *wrongClocks) Name() string               { return "clocks wrong by ±" + skew.String() }
func (w *wrongClocks) Heal(context.Context) error { return nil }

func (w *wrongClocks) Strike(context.Context) error {
	w.strikes++
	if w.Tally().Effects == 0 {
		return fmt.Errorf("%w: all clocks are right", fault.ErrNoEffect)
	}
	return nil
}

func (w *wrongClocks) Tally() fault.Tally {
	w.stage.mu.Lock()
	defer w.stage.mu.Unlock()
	t := fault.Tally{Strikes: w.strikes, Unit: "processes with a wrong clock"}
	for _, by := range w.stage.tally.clocks {
		if by.Abs() > skew/2 {
			t.Effects++
		}
	}
	return t
}
