package engine

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
)

func jobs(n int) []job {
	js := make([]job, n)
	for i := range js {
		js[i].msg = &lease.Message{}
	}
	return js
}

func TestJobsComeInOrderAndEndWithClose(t *testing.T) {
	t.Parallel()
	q, one := newJobQueue(0, nil), &batching{size: 1}
	if q.tryPop() != nil {
		t.Fatal("a job from nowhere")
	}
	js := jobs(5)
	for i := range js {
		js[i].seq = uint64(i)
	}
	q.push(js[:3])
	for want := range uint64(2) {
		if js := q.pop(one, nil); len(js) != 1 || js[0].seq != want {
			t.Fatalf("jobs %v, want %d", js, want)
		}
	}
	q.push(js[3:])
	q.close()
	for want := uint64(2); want < 5; want++ {
		if j := q.tryPop(); j == nil || j.seq != want {
			t.Fatalf("job %v, want %d", j, want)
		}
	}
	if q.pop(one, nil) != nil {
		t.Fatal("a job after the last one")
	}
}

func TestBlockingWorkersAreAllStartedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 16
		q := newJobQueue(0, nil)
		var started atomic.Int64
		release := make(chan struct{})
		var workers sync.WaitGroup
		for range n {
			workers.Go(func() {
				for q.pop(&batching{size: 1}, nil) != nil {
					started.Add(1)
					<-release
				}
			})
		}
		synctest.Wait()
		q.push(jobs(n / 2))
		q.push(jobs(n / 2))
		synctest.Wait()
		if got := started.Load(); got != n {
			t.Fatalf("%d of %d jobs were started", got, n)
		}
		close(release)
		q.close()
		workers.Wait()
	})
}

func TestNoJobIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	const batches, size = 2000, 7
	q := newJobQueue(0, nil)
	var seen [batches * size]atomic.Int32
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			one := &batching{size: 1}
			for js := q.pop(one, nil); js != nil; js = q.pop(one, nil) {
				seen[js[0].seq].Add(1)
				if other := q.tryPop(); other != nil {
					seen[other.seq].Add(1)
				}
			}
		})
	}
	for b := range batches {
		js := jobs(size)
		for i := range js {
			js[i].seq = uint64(b*size + i)
		}
		q.push(js)
	}
	q.close()
	workers.Wait()
	for i := range seen {
		if n := seen[i].Load(); n != 1 {
			t.Fatalf("job %d came %d times", i, n)
		}
	}
}

// Workers are started as work needs them, up to their number, and end when it does not.
func TestWorkersComeAndGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most = 5
		var alive atomic.Int64
		var q *jobQueue
		release := make(chan struct{})
		q = newJobQueue(most, func() {
			go func() {
				alive.Add(1)
				defer alive.Add(-1)
				q.come()
				for q.pop(&batching{size: 1}, nil) != nil {
					<-release
				}
			}()
		})
		want := func(what string, n int64) {
			t.Helper()
			synctest.Wait()
			if got := alive.Load(); got != n {
				t.Errorf("%s: %d workers, want %d", what, got, n)
			}
		}
		want("at the start", 0)
		q.push(jobs(2))
		want("two jobs", 2)
		q.push(jobs(10))
		want("more jobs than workers", most)
		for range 12 {
			release <- struct{}{}
		}
		want("all done", most)
		q.spare() // they were needed since the last look
		want("after a look", most)
		q.push(jobs(2)) // while two are needed the others are not
		synctest.Wait()
		q.spare()
		want("two of them at work", 2)
		release <- struct{}{}
		release <- struct{}{}
		synctest.Wait()
		q.spare()
		q.spare()
		want("none needed", 0)
		q.push(jobs(1))
		want("one more job", 1)
		release <- struct{}{}
		synctest.Wait()
		q.close()
		want("the end", 0)
	})
}
