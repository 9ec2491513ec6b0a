package sessions

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
)

func tokens(indexes ...int) []lease.Token {
	out := make([]lease.Token, len(indexes))
	for i, n := range indexes {
		out[i].Index = n
	}
	return out
}

func gather(b *Acks, indexes ...int) {
	for _, t := range tokens(indexes...) {
		b.Add(t)
	}
}

// A flush and a take may be under way at the same time.
func TestDrainedAcksAreNotOverwritten(t *testing.T) {
	t.Parallel()
	b := newAcks(func() {})
	gather(b, 1, 2, 3)
	flushing := b.Drain()
	gather(b, 4, 5, 6)
	taking := b.Drain()
	gather(b, 7, 8, 9)
	if !slices.Equal(flushing, tokens(1, 2, 3)) || !slices.Equal(taking, tokens(4, 5, 6)) {
		t.Fatalf("drained %v and %v", flushing, taking)
	}
	b.PutBack(flushing)
	b.Sent(taking)
	if got := b.Drain(); !slices.Equal(got, tokens(7, 8, 9, 1, 2, 3)) {
		t.Fatalf("left %v", got)
	}
	gather(b, 10)
	if got := b.Drain(); !slices.Equal(got, tokens(10)) {
		t.Fatalf("then %v", got)
	}
}

// sendings is what a buffer's flush has seen.
type sendings struct {
	mu     sync.Mutex
	counts []int
	last   time.Time
	broken bool
}

func (s *sendings) buffer() *Acks {
	var b *Acks
	b = newAcks(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		ts := b.Drain()
		s.counts, s.last = append(s.counts, len(ts)), time.Now()
		if s.broken {
			b.PutBack(ts)
			return
		}
		b.Sent(ts)
	})
	return b
}

// take returns what was sent since the last call.
func (s *sendings) take() ([]int, time.Time) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.counts
	s.counts = nil
	return out, s.last
}

func TestAcksAreSentAloneOnlyWhenNoTakeIsNear(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sendings
		b := s.buffer()
		gather(b, 1)
		pass(time.Second)
		if got, _ := s.take(); len(got) != 0 {
			t.Fatal("sent before a take")
		}
		b.Expect(TakeFar)
		start := time.Now()
		for range 10 { // these must not put it off
			pass(3 * time.Millisecond)
			b.Loosen()
		}
		if got, at := s.take(); len(got) != 1 || got[0] != 1 || at.Sub(start) != ackFlushAfter {
			t.Fatalf("sent %v, the last after %v", got, at.Sub(start))
		}
		pass(time.Second)
		s.take()
		for i := range ackFlushCount {
			gather(b, i+1)
		}
		if got, _ := s.take(); len(got) != 1 || got[0] != ackFlushCount {
			t.Fatalf("sent %v, want %d at once", got, ackFlushCount)
		}
		gather(b, 1)
		b.stop()
		gather(b, 2)
		pass(time.Minute)
		if got, _ := s.take(); len(got) != 0 {
			t.Fatal("sent after stop")
		}
	})
}

func TestAcksThatFailAreRepeatedEverLessOften(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sendings{broken: true}
		b := s.buffer()
		b.Expect(TakeFar)
		gather(b, 1)
		pass(time.Minute)
		if got, _ := s.take(); len(got) < 10 || len(got) > 25 {
			t.Fatalf("%d tries in a minute of outage", len(got))
		}
		s.mu.Lock()
		s.broken = false
		s.mu.Unlock()
		pass(2 * ackFlushMost)
		if got, _ := s.take(); !slices.Equal(got, []int{1}) {
			t.Fatalf("sent %v after the outage", got)
		}
		gather(b, 2)
		pass(ackFlushAfter)
		if got, _ := s.take(); !slices.Equal(got, []int{1}) {
			t.Fatalf("sent %v soon after that", got)
		}
	})
}

// pass lets virtual time pass: it is called in bubbles of synctest only.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // virtual time
}
