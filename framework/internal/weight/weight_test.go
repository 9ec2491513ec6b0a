package weight_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/framework/internal/weight"
)

// TestTake: takers never hold more than the bound, are let in by their order, and may leave.
func TestTake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := weight.New(100)
		if n := b.Take(t.Context(), 60); n != 60 {
			t.Fatal(n)
		}
		leaves, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		var order []string
		got := make(chan int64, 3)
		wait := func(ctx context.Context, name string, n int64) {
			go func() {
				taken := b.Take(ctx, n)
				if taken > 0 {
					mu.Lock()
					order = append(order, name)
					mu.Unlock()
				}
				got <- taken
			}()
			synctest.Wait()
		}
		wait(leaves, "large", 1000) // more than there is means all
		wait(t.Context(), "first", 50)
		wait(t.Context(), "second", 30) // would fit, and waits behind the others
		if len(order) > 0 {
			t.Fatal(order)
		}
		cancel()
		synctest.Wait()
		if n := <-got; n != 0 || len(order) > 0 {
			t.Fatal(n, order) // 30 do not pass 50
		}
		b.Give(60)
		synctest.Wait()
		if len(order) != 2 {
			t.Fatal(order)
		}
		b.Give(<-got + <-got)
		if n := b.Take(t.Context(), 1000); n != 100 {
			t.Fatal(n)
		}
	})
}

// TestTakeAllocatesNothing: where there is room, taking is one load and one swap.
func TestTakeAllocatesNothing(t *testing.T) {
	b := weight.New(100)
	if n := testing.AllocsPerRun(100, func() { b.Give(b.Take(t.Context(), 60)) }); n > 0 {
		t.Error(n)
	}
}

func TestOfValue(t *testing.T) {
	t.Parallel()
	type bean struct {
		Name string
		Tags []string
		Next *bean
		any  any //nolint:unused // not looked at
	}
	self := &bean{}
	self.Next = self
	shared := &java.List{}
	for range 30 {
		shared = &java.List{Elements: []any{shared, shared}}
	}
	for name, c := range map[string]struct {
		v           any
		least, most int64
	}{
		"nothing": {nil, 0, 0},
		"text":    {bean{Name: "abc", Tags: []string{"de"}}, 21, 30},
		"bytes":   {make([]byte, 1000), 1000, 1100},
		"map":     {map[string]int{"a": 1}, 40, 100},
		"itself":  {self, 1 << 20, 1 << 20},
		"shared":  {shared, 1 << 20, 1 << 20},
		"values":  {&java.List{Elements: []any{&java.List{}, int32(1)}}, 100, 1000},
	} {
		if n := weight.OfValue(c.v, 1<<20); n < c.least || n > c.most {
			t.Errorf("%s: %d", name, n)
		}
	}
}
