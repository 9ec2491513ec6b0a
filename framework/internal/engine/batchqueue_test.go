package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
)

// gatherer is a queue of batches with one worker.
type gatherer struct {
	*jobQueue

	gate *gate.Gate
	got  chan int // sizes of batches
}

func newGatherer(t *testing.T, size int, wait time.Duration) *gatherer {
	g := &gatherer{jobQueue: newJobQueue(0, nil), gate: gate.New("Q", gate.Settings{}, gate.Hooks{}), got: make(chan int, 100)}
	b := &batching{size: size, wait: wait}
	t.Cleanup(g.gate.Close)
	go func() {
		defer close(g.got)
		for js := g.pop(b, g.gate); js != nil; js = g.pop(b, g.gate) {
			g.got <- len(js)
		}
	}()
	return g
}

// add pushes n jobs of one session that arrive now; edit changes them.
func (g *gatherer) add(h *sessions.Session, n int, edit func(*job)) {
	js := make([]job, n)
	for i := range js {
		js[i].session, js[i].msg, js[i].started = h, &lease.Message{}, time.Now()
		if edit != nil {
			edit(&js[i])
		}
	}
	g.push(js)
	synctest.Wait()
}

func (g *gatherer) want(t *testing.T, sizes ...int) {
	t.Helper()
	synctest.Wait()
	for _, want := range sizes {
		select {
		case got := <-g.got:
			if got != want {
				t.Fatalf("a batch of %d, want %d", got, want)
			}
		default:
			t.Fatalf("no batch, want one of %d", want)
		}
	}
	if len(g.got) > 0 {
		t.Fatalf("one more batch, of %d", <-g.got)
	}
}

func TestBatchesOfAQueue(t *testing.T) {
	t.Parallel()
	one, two := &sessions.Session{}, &sessions.Session{}
	lone := func(j *job) { j.alone = true }
	for name, run := range map[string]func(t *testing.T, g *gatherer){
		"full at once": func(t *testing.T, g *gatherer) {
			g.add(one, 10, nil)
			g.want(t, 5, 5)
		},
		"more come": func(t *testing.T, g *gatherer) {
			g.add(one, 2, nil)
			g.add(one, 2, nil)
			g.want(t)
			g.add(one, 4, nil)
			g.want(t, 5)
		},
		"the wait ends": func(t *testing.T, g *gatherer) {
			g.add(one, 2, nil)
			<-time.After(900 * time.Millisecond)
			g.add(one, 1, nil)
			<-time.After(99 * time.Millisecond)
			g.want(t)
			<-time.After(time.Millisecond)
			g.want(t, 3)
		},
		"the wait is over already": func(t *testing.T, g *gatherer) {
			g.add(one, 2, func(j *job) { j.started = time.Now().Add(-time.Second) })
			g.want(t, 2)
		},
		"a suspect stays alone": func(t *testing.T, g *gatherer) {
			g.add(one, 1, lone)
			g.want(t, 1)
			g.add(one, 2, nil)
			g.add(one, 1, lone)
			g.want(t, 2, 1)
		},
		"sessions are not mixed": func(t *testing.T, g *gatherer) {
			g.add(one, 2, nil)
			g.add(two, 5, nil)
			g.want(t, 2, 5)
		},
		"the intake closes": func(t *testing.T, g *gatherer) {
			g.add(one, 2, nil)
			g.gate.Close()
			g.want(t, 2)
		},
		"the queue is closed": func(t *testing.T, g *gatherer) {
			g.add(one, 2, nil)
			g.close()
			g.want(t, 2)
			if _, open := <-g.got; open {
				t.Error("a batch after the end")
			}
		},
		"all are taken away": func(t *testing.T, g *gatherer) {
			g.add(one, 2, nil)
			g.tryPop()
			g.tryPop()
			<-time.After(time.Minute)
			g.want(t)
			g.add(one, 5, nil)
			g.want(t, 5)
		},
		"those put back come first": func(t *testing.T, g *gatherer) {
			again := []*job{{session: one, msg: &lease.Message{}, again: true}, {session: one, msg: &lease.Message{}, again: true}}
			g.add(one, 3, nil)
			g.unpop(again)
			g.want(t, 1, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newGatherer(t, 5, time.Second)
				synctest.Wait()
				run(t, g)
				g.close()
				synctest.Wait()
			})
		})
	}
}

// A close must end the workers that wait behind the one that gathers.
func TestCloseEndsWorkersBehindAGatherer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGatherer(t, 5, time.Second)
		done := make(chan struct{})
		for range 3 {
			go func() {
				b, more := &batching{size: 5, wait: time.Second}, true
				for more {
					more = g.pop(b, g.gate) != nil
				}
				done <- struct{}{}
			}()
		}
		g.add(&sessions.Session{}, 2, nil)
		g.close()
		for range 3 {
			<-done
		}
	})
}

func TestWaryKeepsThoseThatFailedApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &batching{size: 5}
		failed := &job{msg: &lease.Message{Failed: 1}}
		if b.alone(failed) {
			t.Error("alone without a reason")
		}
		b.beWary(time.Minute)
		b.beWary(time.Second) // the longer one holds
		if !b.alone(failed) || b.alone(&job{msg: &lease.Message{}}) {
			t.Error("not wary, or too much so")
		}
		<-time.After(time.Minute)
		if b.alone(failed) {
			t.Error("wary for ever")
		}
	})
}
