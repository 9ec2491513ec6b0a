package framework_test

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/weight"
	"github.com/duequeue/duequeue/registry"
)

// heavy is a codec of text whose payloads may take a third of what views may take together.
type heavy struct {
	codecs.Codec

	now, most, times *atomic.Int64
}

func (h heavy) Weight([]byte) int64 { return weight.Looks().Size() / 3 }

func (h heavy) count() func() {
	h.times.Add(1)
	n := h.now.Add(1)
	for most := h.most.Load(); n > most; most = h.most.Load() {
		if h.most.CompareAndSwap(most, n) {
			break
		}
	}
	for range 100 {
		runtime.Gosched() // others would begin now
	}
	return func() { h.now.Add(-1) }
}

func (h heavy) Decode(payload []byte) (any, error) {
	defer h.count()()
	return h.Codec.Decode(payload)
}

func (h heavy) Bind(t reflect.Type, o codecs.BindOptions) (codecs.Binding, error) {
	b, err := h.Codec.Bind(t, o)
	return heavyBinding{b, h}, err
}

type heavyBinding struct {
	codecs.Binding

	of heavy
}

func (b heavyBinding) Decode(payload []byte, target any) error {
	defer b.of.count()()
	return b.Binding.Decode(payload, target)
}

// However many look at messages at one time, by views and by searches, no more payloads are decoded at
// one time than there is room for.
func TestViewsShareABound(t *testing.T) {
	t.Parallel()
	codec := heavy{codecs.String(), new(atomic.Int64), new(atomic.Int64), new(atomic.Int64)}
	q := registry.Define[string](queuetest.NewQueue().Queue, "", registry.Codec(codec))
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: lab.StartRedis(t).URL()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	bound := framework.Bind(c, q)
	r, err := bound.Offer(t.Context(), "a", time.Hour)
	for range 10 {
		if err == nil {
			_, err = bound.Offer(t.Context(), "b", time.Hour)
		}
		if err == nil {
			err = bound.Push(t.Context(), "c")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 16 {
		for _, look := range []func() error{
			func() error { _, err := bound.Pending().Page(t.Context(), 0, 0); return err },
			func() error { _, err := bound.Pending().Get(t.Context(), r.ID); return err },
			func() error { _, err := bound.Ready().Page(t.Context(), 0, 0); return err },
			func() error {
				for _, err := range bound.Pending().All(t.Context()) {
					if err != nil {
						return err
					}
				}
				return nil
			},
			func() error {
				p := admin.PayloadsOf(q)
				p.SearchFields = []string{"x"}
				_, err := admin.Search(t.Context(), c, q.Key(), "nothing", admin.SearchOptions{Payloads: p, Share: 1})
				return err
			},
		} {
			all.Go(func() {
				if err := look(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if most, times := codec.most.Load(), codec.times.Load(); most > 3 || most < 2 || times < 16*40 {
		t.Errorf("%d payloads were decoded at one time, of %d; there is room for 3", most, times)
	}
}
