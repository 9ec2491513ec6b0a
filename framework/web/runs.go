package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
)

// maxRuns bounds the runs that are remembered, and those of one queue under way.
const (
	maxRuns     = 50
	maxUnderWay = 3
)

// run is a change of very many messages that goes on behind the answer.
type run struct {
	ID                  string
	Dry                 bool   // it changes nothing, and counts what it would change
	page                string // that has begun it
	Queue, Verb, Target string
	By, Reason          string
	Began, Ended        time.Time
	Done                int64
	Rest                string // how to go on where it ended early; empty is to begin it again
	Stopped             bool
	Err                 string

	stop context.CancelFunc
}

// runs are those of the console. Its methods are safe for concurrent use.
type runs struct {
	mu   sync.Mutex
	all  []*run
	next int
}

// errStopped ends a run that a person stopped.
var errStopped = errors.New("stopped by a person")

// begin starts a run: it is written to the audit before it begins, and what came of it at its
// end, unless it changes nothing. do tells how far it is, and how to go on
// if it ends there. The error is that of the audit, and then
// nothing has begun.
func (c *Console) begin(a *acting, verb string, do func(ctx context.Context, tell func(done int64, rest string)) (int64, error)) (*run, error) {
	ctx, stop := context.WithCancelCause(c.acting.Of(c.ctx, a.user.Name))
	r := &run{Dry: a.dry(), page: a.section(), Queue: a.queue, Verb: verb, Target: targetOf(a.request), By: a.user.Name, Reason: a.reason, Began: time.Now(), stop: func() { stop(errStopped) }}
	if err := c.runs.add(r); err != nil {
		stop(nil)
		return nil, err
	}
	tell := func(done int64, rest string) {
		c.runs.mu.Lock()
		defer c.runs.mu.Unlock()
		r.Done, r.Rest = done, rest
	}
	begun := make(chan error, 1)
	c.done.Go(c.ctx, "console: run", func() {
		defer stop(nil)
		work := func(ctx context.Context) (string, error) {
			begun <- nil
			var n int64
			err := background.Call(ctx, "console: run", func() (err error) {
				n, err = do(ctx, tell)
				return err
			})
			c.runs.mu.Lock()
			r.Done = n
			c.runs.mu.Unlock()
			return fmt.Sprintf("%d done", n), err
		}
		err := background.Call(ctx, "console: run", func() error {
			if r.Dry {
				_, err := work(ctx)
				return err
			}
			return c.audit(ctx, a.request, verb, a.reason, work)
		})
		c.runs.mu.Lock()
		r.Ended = time.Now()
		switch {
		case errors.Is(context.Cause(ctx), errStopped):
			r.Stopped = true
		case err != nil:
			r.Err = detail(err)
		}
		c.runs.mu.Unlock()
		begun <- err // of an audit that was refused; else no request waits
	})
	err := <-begun
	if err != nil {
		c.runs.forget(r)
	}
	return r, err
}

func (s *runs) add(r *run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	under := 0
	for _, o := range s.all {
		if o.Queue == r.Queue && o.Ended.IsZero() {
			under++
		}
	}
	if under >= maxUnderWay {
		return refuse(http.StatusConflict, "%d changes of this queue are under way: stop one, or wait", under)
	}
	s.next++
	r.ID = strconv.Itoa(s.next)
	s.all = append(s.all, r)
	if len(s.all) > maxRuns && !s.all[0].Ended.IsZero() {
		s.all = s.all[1:]
	}
	return nil
}

func (s *runs) forget(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(o *run) bool { return o == r })
}

// of returns those that a page of a queue has begun, the newest first.
func (s *runs) of(on *request) (out []run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.all {
		if r.Queue == on.queue && r.page == on.section() {
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b run) int { return cmp.Or(b.Began.Compare(a.Began), cmp.Compare(b.ID, a.ID)) })
	return out
}

// end stops a run that a page of a queue has begun.
func (s *runs) end(on *request, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.all {
		if r.Queue == on.queue && r.page == on.section() && r.ID == id && r.Ended.IsZero() {
			r.stop()
			return true
		}
	}
	return false
}

// stopRun stops a run that the page of the action has begun.
func (c *Console) stopRun(_ context.Context, a *acting) (string, error) {
	if !c.runs.end(a.request, a.query.Get("run")) {
		return "", refuse(http.StatusConflict, "It is not under way any more")
	}
	return "Stopped: what was done stays done. This page says how to go on.", nil
}
