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
	return Hook{}.ProcessHook(func(context.Context, redis.Cmder) error {
		<-time.After(took)
		return failed
	})(ctx, redis.NewCmd(ctx, "get", "x"))
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
		if !b.Left() {
			t.Error("the budget is used up")
		}
	})
}
