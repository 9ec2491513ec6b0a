package budget

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

// ask runs a command that takes a while, or fails, under a context.
func ask(ctx context.Context, took time.Duration, failed error) error {
	return far(ctx, 0, took, failed)
}

// far is ask behind a network.
func far(ctx context.Context, network, took time.Duration, failed error) error {
	return Hook{}.ProcessHook(func(_ context.Context, cmd redis.Cmder) error {
		<-time.After(network)
		if cmd.Name() != "ping" {
			<-time.After(took)
		}
		return failed
	})(ctx, redis.NewCmd(ctx, "get", "x"))
}

// A network of 200 ms is no work of Redis, and a command that takes very long, whyever, makes nobody
// wait for more than two seconds: whoever looks at page after page is never refused.
func TestNobodyIsLockedOut(t *testing.T) {
	t.Parallel()
	for what, row := range map[string]struct{ network, took time.Duration }{
		"a slow network":  {200 * time.Millisecond, time.Millisecond},
		"large payloads":  {0, 7 * time.Second},
		"a slow Redis":    {0, 50 * time.Millisecond},
		"both":            {200 * time.Millisecond, 2 * time.Second},
		"a network of 1s": {time.Second, 0},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := New(0.005)
				for range 500 {
					began := time.Now()
					if err := far(b.Of(t.Context(), "ann"), row.network, row.took, nil); err != nil {
						t.Fatal(err)
					}
					if waited := time.Since(began) - 2*(row.network+row.took); waited > behind+time.Second {
						t.Fatalf("it waited for %v", waited)
					}
				}
			})
		})
	}
}

// What goes on while nobody waits leaves half of what is saved to people, and takes nobody's turn.
func TestPeopleHaveAReserve(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(0.01)
		for range 1000 {
			_ = ask(b.Behind(t.Context()), 20*time.Millisecond, nil)
		}
		if b.level < b.share(saved)/2-mostOfOne || Left(b.Behind(t.Context())) || !Left(b.Of(t.Context(), "ann")) {
			t.Errorf("%v are left", b.level)
		}
		began := time.Now()
		for range 5 {
			if err := ask(b.Of(t.Context(), "ann"), 20*time.Millisecond, nil); err != nil {
				t.Error(err)
			}
		}
		if waited := time.Since(began); waited > 101*time.Millisecond {
			t.Errorf("a person waited: %v", waited)
		}
	})
}

// Whatever many ask as fast as they are answered, Redis works for its share of the time.
func TestShareIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(0.01)
		ctx, end := context.WithTimeout(t.Context(), time.Hour)
		defer end()
		worked, refused := time.Duration(0), 0
		for _, who := range []string{"ann", "eve", "eve", "eve"} {
			go func() {
				for ctx.Err() == nil {
					err := ask(b.Of(ctx, who), 5*time.Millisecond, nil)
					if _, busy := errors.AsType[*BusyError](err); busy {
						refused++
						<-time.After(time.Second)
					} else if err == nil {
						worked += 5 * time.Millisecond
					}
				}
			}()
		}
		<-ctx.Done()
		synctest.Wait()
		if worked > 38*time.Second || worked < 30*time.Second {
			t.Errorf("%v of an hour, %d were refused", worked, refused)
		}
	})
}

// Who asks without end takes nobody else's turns.
func TestSharesAreFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(0.1)
		b.Spend(20 * time.Second) // it is used up, and half of that is over in a minute and a half
		<-time.After(150 * time.Second)
		ctx, end := context.WithTimeout(t.Context(), 10*time.Minute)
		defer end()
		got := map[string]int{}
		asks := func(who string) {
			for ctx.Err() == nil {
				if ask(b.Of(ctx, who), 20*time.Millisecond, nil) == nil {
					got[who]++
				}
			}
		}
		for range 50 {
			go asks("eve")
		}
		go asks("ann")
		<-ctx.Done()
		synctest.Wait()
		if got["ann"] == 0 || 4*got["ann"] < got["eve"] { // fifty of eve against one
			t.Errorf("%v", got)
		}
	})
}

// What was refused was not sent, and says so in each command.
func TestRefusedCommandsAreNotSent(t *testing.T) {
	t.Parallel()
	b := New(0.01)
	b.Spend(time.Hour)
	ctx := b.Of(t.Context(), "ann")
	sent := false
	cmds := []redis.Cmder{redis.NewCmd(ctx, "get", "x"), redis.NewCmd(ctx, "get", "y")}
	err := Hook{}.ProcessPipelineHook(func(context.Context, []redis.Cmder) error { sent = true; return nil })(ctx, cmds)
	for _, err := range []error{err, cmds[0].Err(), cmds[1].Err(), ask(ctx, 0, nil)} {
		if busy, ok := errors.AsType[*BusyError](err); !ok || busy.For < time.Hour {
			t.Errorf("%v", err)
		}
	}
	if sent {
		t.Error("it was sent")
	}
	if err := ask(Begun(ctx), 0, nil); err != nil {
		t.Errorf("what is begun: %v", err)
	}
	if err := ask(t.Context(), 0, nil); err != nil {
		t.Errorf("without a budget: %v", err)
	}
}

// A server that does not answer uses up little: it did not work.
func TestWhatIsNotAnsweredCostsLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(0.1)
		for range 20 {
			_ = ask(b.Of(t.Context(), "ann"), time.Second, errors.New("i/o timeout"))
		}
		if !Left(b.Of(t.Context(), "ann")) {
			t.Error("the budget is used up")
		}
	})
}
