package delayed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// holder holds the first tries until they are let go, and counts the messages of each.
type holder struct {
	mu      sync.Mutex
	sizes   []int
	holds   int           // how many it holds
	arrived chan struct{} // one for each that is held
	let     chan struct{} // one for each; closed for all
}

func (h *holder) hold(_ context.Context, cmds []redis.Cmder) {
	size := 0
	for _, cmd := range cmds {
		size += messagesOf(cmd)
	}
	if size == 0 {
		return
	}
	h.mu.Lock()
	held := len(h.sizes) < h.holds
	h.sizes = append(h.sizes, size)
	h.mu.Unlock()
	if held {
		h.arrived <- struct{}{}
		<-h.let
	}
}

func (h *holder) tries() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.sizes)
}

// messagesOf counts the messages of a script of offers, 0 for another command.
func messagesOf(cmd redis.Cmder) int {
	args := cmd.Args()
	if cmd.Name() != "evalsha" || args[1] != offerScript.SHA() {
		return 0
	}
	keys := args[2].(int)
	return len(args) - 3 - keys - 7 - 3*args[3+keys+5].(int) - 4*args[3+keys+6].(int)
}

// holding returns offers to a server whose first try is held.
func holding(t *testing.T, rdb *redis.Client) (*Offers, *holder) {
	t.Helper()
	faulty, _ := losing(t, rdb)
	h := &holder{holds: 1, arrived: make(chan struct{}, 2), let: make(chan struct{})}
	faulty.AddHook(queuetest.EachTrip(h.hold))
	return NewOffers(t.Context(), faulty), h
}

// waitsIn waits until so many offers wait in the lane of k.
func waitsIn(t *testing.T, s *Offers, k wire.Keys, n int) {
	t.Helper()
	lab.WaitFor(t, fmt.Sprintf("%d offers wait", n), func() bool {
		s.mu.RLock()
		l := s.lanes[laneName{queue: k.Queue}]
		s.mu.RUnlock()
		if l == nil {
			return n == 0
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.waiting) == n
	})
}

// inTurn offers so many messages from as many goroutines, each once the one before waits
// behind the first.
func inTurn(t *testing.T, s *Offers, k wire.Keys, n int, args func(i int) OfferArgs) (wait func() []outcome) {
	t.Helper()
	out := make([]outcome, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			r, err := s.Offer(t.Context(), k, args(i))
			out[i] = outcome{i, r, err}
		})
		waitsIn(t, s, k, i+1)
	}
	return func() []outcome {
		all.Wait()
		return out
	}
}

// What comes while a try is under way goes together, in the order in which it came; each
// caller is told of its own message.
func TestOffersGather(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	const n = 30
	k := queuetest.NewQueue()
	o, h := holding(t, rdb)
	due := time.UnixMilli(queuetest.NowMs(t, rdb)).Add(time.Hour)
	var first sync.WaitGroup
	first.Go(func() {
		if _, err := o.Offer(t.Context(), k, OfferArgs{Payload: []byte("first"), At: due}); err != nil {
			t.Error(err)
		}
	})
	<-h.arrived
	wait := inTurn(t, o, k, n, func(i int) OfferArgs {
		a := OfferArgs{Payload: fmt.Append(nil, i), At: due.Add(time.Duration(i%3) * time.Millisecond)}
		if i%10 == 9 {
			a.Dedup = Dedup{Key: fmt.Sprint(i)}
		}
		return a
	})
	close(h.let)
	first.Wait()
	for i, out := range wait() {
		if out.err != nil {
			t.Fatal(out.err)
		}
		element := wire.Pack(out.result.ID, fmt.Append(nil, i))
		score, err := rdb.ZScore(t.Context(), k.Timeout, string(element)).Result()
		if err != nil || int64(score) != out.result.DueMs || out.result.DueMs != due.UnixMilli()+int64(i%3) {
			t.Errorf("%d: told %+v; Redis has it at %v (%v)", i, out.result, score, err)
		}
	}
	if got := h.tries(); !slices.Equal(got, []int{1, n}) {
		t.Errorf("messages of each try: %v", got)
	}
	list := bodies(t, rdb.LRange(t.Context(), k.Pending, 0, -1).Val())
	list = slices.DeleteFunc(list, func(p string) bool { return strings.HasSuffix(p, "9") }) // these have scripts of their own
	if want := slices.DeleteFunc(append([]string{"first"}, numbers(n)...), func(p string) bool { return strings.HasSuffix(p, "9") }); !slices.Equal(list, want) {
		t.Errorf("list %v", list)
	}
	o.mustBeIdle(t)
}

// mustBeIdle fails where a goroutine is left.
func (s *Offers) mustBeIdle(t *testing.T) {
	t.Helper()
	for _, l := range s.lanes {
		lab.WaitFor(t, "an idle lane", func() bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			return l.tries == 0 && !l.resends && len(l.waiting) == 0 && len(l.failed) == 0
		})
	}
	s.owners.Wait()
}

// One caller alone waits for nobody.
func TestOffersAlone(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	o, h := holding(t, rdb)
	close(h.let)
	for range 20 {
		queuetest.Must[OfferResult](t)(o.Offer(t.Context(), k, OfferArgs{Delay: time.Hour}))
		o.mustBeIdle(t)
	}
	if got := h.tries(); len(got) != 20 || slices.Max(got) != 1 {
		t.Errorf("messages of each try: %v", got)
	}
}

// A try is bounded in messages and in bytes.
func TestOffersBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n, size int
		want    []int
	}{
		"messages": {secondTry + bulkItems + 7, 10, []int{1, secondTry, bulkItems, 7}},
		"bytes":    {9, bulkBytes / 2, []int{1, 2, 2, 2, 2, 1}},
		"too long": {3, 2 * bulkBytes, []int{1, 1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rdb := lab.Shared.Client()
			k := queuetest.NewQueue()
			o, h := holding(t, rdb)
			h.holds = triesAtOnce
			var all sync.WaitGroup
			offer := func(size int) {
				all.Go(func() {
					if _, err := o.Offer(t.Context(), k, OfferArgs{Payload: make([]byte, size), Delay: time.Hour}); err != nil {
						t.Error(err)
					}
				})
			}
			offer(1)
			<-h.arrived
			for range c.n {
				offer(c.size)
			}
			wait := c.n
			if c.n >= secondTry { // of these the second try has the first ones
				<-h.arrived
				wait -= secondTry
			}
			waitsIn(t, o, k, wait)
			close(h.let)
			all.Wait()
			if got := h.tries(); !slices.Equal(got, c.want) {
				t.Errorf("messages of each try: %v, want %v", got, c.want)
			}
			if got := queuetest.Counts(t, rdb, k); int(got[1]) != c.n+1 || int(got[2]) != c.n+1 {
				t.Errorf("counts %v", got)
			}
			rdb.Del(t.Context(), k.All()...)
		})
	}
}

// What a key or a due time spoils fails alone.
func TestOffersFailAlone(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	rdb.LPush(t.Context(), k.NonceRecord("wrong"), "x")
	o, h := holding(t, rdb)
	go func() { _, _ = o.Offer(t.Context(), k, OfferArgs{Payload: []byte("first"), Delay: time.Hour}) }()
	<-h.arrived
	late := OfferArgs{Delay: time.Duration(wire.MaxDueMs-1) * time.Microsecond}
	wait := inTurn(t, o, k, 5, func(i int) OfferArgs {
		a := []OfferArgs{{Delay: time.Hour}, {Delay: time.Hour, Nonce: Nonce{Text: "wrong", Window: time.Hour}}, late, {Delay: time.Hour, Dedup: Dedup{Key: "right"}}, {Delay: 2 * time.Hour}}[i]
		a.Payload = fmt.Append(nil, i)
		return a
	})
	if _, err := o.Offer(t.Context(), k, OfferArgs{Delay: -1}); err == nil {
		t.Error("a negative delay was accepted")
	}
	close(h.let)
	out := wait()
	var wrong *fault.WrongTypeError
	for i, want := range []bool{true, false, true, true, true} {
		if (out[i].err == nil) != want {
			t.Errorf("%d: %+v", i, out[i])
		}
	}
	if !errors.As(out[1].err, &wrong) || wrong.Key != k.NonceRecord("wrong") {
		t.Errorf("error %v", out[1].err)
	}
	o.mustBeIdle(t)
	if got := payloads(t, rdb, k); got != "first 0 3 4 2" {
		t.Errorf("pending %q", got)
	}
}

// Each message has its own trace context, and some have none.
func TestOffersTraces(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	o, h := holding(t, rdb)
	go func() { _, _ = o.Offer(t.Context(), k, OfferArgs{Payload: []byte("first"), Delay: time.Hour}) }()
	<-h.arrived
	trace := func(i int) []byte {
		if i%3 == 0 {
			return nil
		}
		return bytes.Repeat([]byte{byte(i)}, wire.TraceContextBytes)
	}
	wait := inTurn(t, o, k, 9, func(i int) OfferArgs {
		a := OfferArgs{Payload: fmt.Append(nil, i), Delay: time.Duration(1+i%2) * time.Hour, Trace: trace(i)}
		if i == 8 {
			a.Dedup = Dedup{Key: "k"}
		}
		return a
	})
	close(h.let)
	out := wait()
	records := map[string]string{} // contexts by digest and id
	for _, m := range rdb.ZRange(t.Context(), k.Trace, 0, -1).Val() {
		records[m[:40]+m[41:49]] = m[81 : 81+wire.TraceContextBytes]
	}
	for i, o := range out {
		if o.err != nil {
			t.Fatal(o.err)
		}
		name := wire.Digest(fmt.Append(nil, i)) + string(o.result.ID.Raw[:])
		if got, ok := records[name]; got != string(trace(i)) || ok != (i%3 != 0) {
			t.Errorf("%d: context %q, want %q", i, got, trace(i))
		}
	}
	if len(records) != 6 {
		t.Errorf("%d records", len(records))
	}
}

// Offers that wait for replicas hold up no others, and go together where they wait for the
// same.
func TestOffersThatAwaitReplicas(t *testing.T) {
	t.Parallel()
	rdb := lab.StartRedis(t).Client()
	k := queuetest.NewQueue()
	faulty, l := losing(t, rdb)
	o := NewOffers(t.Context(), faulty)
	var all sync.WaitGroup
	waits := OfferArgs{Payload: []byte("waits"), Delay: time.Hour, Await: Await{Replicas: 1, Timeout: time.Hour}}
	var ended atomic.Int32
	for range 20 {
		all.Go(func() {
			var few *fault.ReplicationError
			if r, err := o.Offer(t.Context(), k, waits); !errors.As(err, &few) || few.Want != 1 || r.Text == "" {
				t.Errorf("%+v %v", r, err)
			}
			ended.Add(1)
		})
	}
	for range 20 {
		queuetest.Must[OfferResult](t)(o.Offer(t.Context(), k, OfferArgs{Payload: []byte("does not"), Delay: time.Hour}))
	}
	if ended.Load() > 0 {
		t.Error("offers that wait for nobody waited for those that do")
	}
	lab.Wait(t, func() string { // for replicas that never come
		for client := range strings.Lines(rdb.ClientList(t.Context()).Val()) {
			if id, _, _ := strings.Cut(strings.TrimPrefix(client, "id="), " "); strings.Contains(client, "cmd=wait ") {
				rdb.Do(t.Context(), "CLIENT", "UNBLOCK", id)
			}
		}
		if n := ended.Load(); n < 20 {
			return fmt.Sprintf("%d of 20 offers ended", n)
		}
		return ""
	})
	all.Wait()
	if n := queuetest.Counts(t, rdb, k); n[1] != 40 {
		t.Errorf("counts %v", n)
	}
	if l.calls > 20+4 {
		t.Errorf("%d calls", l.calls)
	}
}
