package engine

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/weight"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// emptyLists returns a payload of few bytes that becomes a list of n lists.
func emptyLists(t *testing.T, n int) []byte {
	t.Helper()
	l := &java.List{}
	for range n {
		l.Elements = append(l.Elements, &java.List{})
	}
	most := compress.Limits(codecs.Limits{Bytes: 16 << 20})
	raw, err := kryo5.New().Encode(l)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := compress.ZStd(codecs.ByteArray(), most).Encode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// Twenty-four messages of few bytes that become much wait for each other: what is decoded at
// one time stays below the bound of the process. All are handled.
func TestBombsWaitForEachOther(t *testing.T) {
	t.Parallel()
	const many, size = 24, 40 << 20
	srv := lab.StartRedis(t)
	queue := registry.Define[any]("bombs", "", registry.Codec(compress.ZStd(kryo5.New())))
	typed := queue.Typed()
	var held, most, handled atomic.Int64
	next := handlers.Bind[any](handlers.Func[any](func(_ context.Context, d *handlers.Delivery[any]) error {
		n := weight.OfValue(d.Payload, 1<<40)
		now, was := held.Add(n), most.Load()
		for now > was && !most.CompareAndSwap(was, now) {
			was = most.Load()
		}
		handled.Add(1)
		held.Add(-n)
		return nil
	}))
	e := New(openFor(t, srv), []Consumer{{
		Queue: queue, Policy: Policy{Workers: many, Prefetch: many}, Next: next, Declared: "a test",
		Decode: func(payload []byte) (any, error) { return typed.Decode(payload) },
	}})
	bound := weight.New(size)
	e.memory = bound
	start(t, e)
	payload := emptyLists(t, 60_000)
	for range many {
		if err := srv.Client().RPush(t.Context(), queue.Key(), payload).Err(); err != nil {
			t.Fatal(err)
		}
	}
	lab.WaitFor(t, "all are handled", func() bool { return handled.Load() == many })
	if most.Load() > size || most.Load() == 0 {
		t.Errorf("%d bytes were decoded at one time, the bound is %d", most.Load(), size)
	}
	lab.WaitFor(t, "all is given back", func() bool { return bound.Used() == 0 })
}

// Messages that would become too much are bad messages: they go to the dead store one by one,
// however many there are in a row, and the intake stays open.
func TestBombsAreBadMessages(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	queue := registry.Define[any]("toomuch", "", registry.Codec(compress.ZStd(kryo5.New())))
	typed := queue.Typed()
	var handled atomic.Int64
	next := handlers.Bind[any](handlers.Func[any](func(context.Context, *handlers.Delivery[any]) error {
		handled.Add(1)
		return nil
	}))
	run(t, openFor(t, srv), Consumer{
		Queue: queue, Policy: Policy{Workers: 2, Prefetch: 2}, Next: next, Declared: "a test",
		Decode: func(payload []byte) (any, error) { return typed.Decode(payload) },
	})
	good, err := typed.Encode("good")
	if err != nil {
		t.Fatal(err)
	}
	bomb := emptyLists(t, 80_000)
	for range 25 {
		if err := srv.Client().RPush(t.Context(), queue.Key(), bomb).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := srv.Client().RPush(t.Context(), queue.Key(), good).Err(); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the good one is handled", func() bool { return handled.Load() == 1 })
	dead, err := srv.Client().XRange(t.Context(), wire.KeysOf(queue.Key()).Dead, "-", "+").Result()
	if err != nil || len(dead) != 25 || dead[0].Values["reason"] != handlers.ReasonOversized {
		t.Errorf("%d dead letters, %v", len(dead), err)
	}
}
