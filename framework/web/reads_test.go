package web

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/framework/internal/budget"
)

// cache is one with a budget.
type cache struct {
	*readCache

	budget *budget.Budget
}

func of(share float64) cache {
	b := budget.New(share)
	return cache{newReads(context.Background(), b), b}
}

// load reads for a while and counts.
func (c cache) load(n *int, took time.Duration) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		<-time.After(took)
		c.budget.Spend(took)
		*n++
		return *n, nil
	}
}

// who is one who looks.
func (c cache) who(t *testing.T) context.Context { return c.budget.Of(t.Context(), "ann") }

// All who ask at one time share one reading, and it is made anew when it is old.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n := of(1), 0
		defer c.Close()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if v, _, err := cachedRead(c.who(t), c.readCache, "a", time.Second, c.load(&n, time.Millisecond)); v != 1 || err != nil {
					t.Errorf("%d, %v", v, err)
				}
			})
		}
		all.Wait()
		<-time.After(time.Second)
		if v, _, _ := cachedRead(c.who(t), c.readCache, "a", time.Second, c.load(&n, 0)); v != 2 {
			t.Errorf("an old reading: %d", v)
		}
		c.Dirty(func(name string) bool { return name == "a" })
		if v, _, _ := cachedRead(c.who(t), c.readCache, "a", time.Second, c.load(&n, 0)); v != 3 {
			t.Errorf("a dirty reading: %d", v)
		}
	})
}

// Over an hour of many viewers the readings take no more than their share.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n := of(0.01), 0
		defer c.Close()
		for range 3600 {
			for _, name := range []string{"a", "b", "c"} {
				if _, _, err := cachedRead(c.who(t), c.readCache, name, time.Second, c.load(&n, 50*time.Millisecond)); err != nil {
					t.Fatal(err)
				}
			}
			<-time.After(time.Second)
		}
		if used := time.Duration(n) * 50 * time.Millisecond; used > 38*time.Second {
			t.Errorf("%d readings took %v of an hour", n, used)
		}
		if n < 600 {
			t.Errorf("%d readings: the budget is not used", n)
		}
	})
}

// What was never read waits for the budget, and then says for how long.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n := of(0.01), 0
		defer c.Close()
		if _, _, err := cachedRead(c.who(t), c.readCache, "long", time.Second, c.load(&n, 5*time.Second)); err != nil {
			t.Fatal(err)
		}
		var busy *budget.BusyError
		if _, _, err := cachedRead(c.who(t), c.readCache, "new", time.Second, c.load(&n, 0)); !errors.As(err, &busy) || busy.For < time.Minute {
			t.Errorf("%v", err)
		}
		if v, _, err := cachedRead(c.who(t), c.readCache, "long", 0, c.load(&n, 0)); v != 1 || err != nil {
			t.Errorf("an old reading in place of none: %d, %v", v, err)
		}
	})
}

// Who asks for very many other things takes nothing away from others what was read: neither what the
// budget refuses nor what it allows.
func TestManyNamesPushOutWhatNobodyAsksFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n := of(0.01), 0
		defer c.Close()
		if _, _, err := cachedRead(c.who(t), c.readCache, "long", 0, c.load(&n, 5*time.Second)); err != nil {
			t.Fatal(err)
		}
		for i := range 2 * keepMost {
			var busy *budget.BusyError
			if _, _, err := cachedRead(c.who(t), c.readCache, fmt.Sprint(i), 0, c.load(&n, 0)); !errors.As(err, &busy) {
				t.Fatalf("%v", err)
			}
		}
		if v, _, err := cachedRead(c.who(t), c.readCache, "long", 0, c.load(&n, 0)); v != 1 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, n := of(1), 0
		defer c.Close()
		for i := range 2 * keepMost {
			if _, _, err := cachedRead(c.who(t), c.readCache, fmt.Sprint(i), time.Hour, c.load(&n, 0)); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Millisecond) // what was used before is older
			if v, _, err := cachedRead(c.who(t), c.readCache, "asked for", time.Hour, c.load(&n, 0)); v != 2 || err != nil {
				t.Fatalf("after %d others: %d, %v", i, v, err)
			}
		}
		if len(c.entries) > keepMost {
			t.Errorf("%d are kept", len(c.entries))
		}
	})
}

// Where Redis does not answer the last reading comes with the error, and it is not asked again at once.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n := of(1), 0
		broken := func(context.Context) (int, error) { n++; return 0, errors.New("broken") }
		if _, at, err := cachedRead(c.who(t), c.readCache, "a", 0, broken); err == nil || !at.IsZero() {
			t.Errorf("%v, %v", at, err)
		}
		_, _, _ = cachedRead(c.who(t), c.readCache, "a", 0, broken)
		if n != 1 {
			t.Errorf("asked %d times", n)
		}
		_, _, _ = cachedRead(c.who(t), c.readCache, "b", 0, func(context.Context) (int, error) { return 7, nil })
		if v, at, err := cachedRead(c.who(t), c.readCache, "b", 0, broken); v != 7 || at.IsZero() || err == nil {
			t.Errorf("%d, %v, %v", v, at, err)
		}
		if _, _, err := cachedRead(c.who(t), c.readCache, "c", 0, func(context.Context) (int, error) { panic("oh") }); err == nil {
			t.Error("a panic is no error")
		}
		c.Close()
		if _, _, err := cachedRead(c.who(t), c.readCache, "d", 0, broken); err == nil {
			t.Error("read after the end")
		}
	})
}
