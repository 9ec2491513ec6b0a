package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/operations"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/framework/internal/words"
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
	Stopped             bool
	Err                 string
	GoesOn              bool // it has not come to its end, and can go on where it stood
	Elsewhere           bool // another process is at it

	stop context.CancelFunc
	kept control.Change // as Redis has it; empty of a dry one
}

// runs are those of the console. Its methods are safe for concurrent use.
type runs struct {
	mu  sync.Mutex
	all []*run
}

// errStopped ends a run that a person stopped.
var errStopped = errors.New("stopped by a person")

// saveEvery is how often Redis is told how far a run is.
const saveEvery = 5 * time.Second

// begin starts a run, or goes on with one: it is written to the audit before it begins, and what came
// of it at its end, unless it changes nothing. Redis remembers how far it is until it has come to its
// end, so that it can go on after the death of this process. do has the run, of which it calls tell
// and hold. The error is that of the audit or of Redis, and then nothing has begun.
func (c *Console) begin(a *acting, verb string, do func(ctx context.Context, r *running) (operations.Counts, error)) (*run, error) {
	ctx, stop := context.WithCancelCause(c.acting.Of(c.ctx, a.user.Name))
	r := &run{ID: chance.Hex()[:8], Dry: a.dry(), page: a.section(), Queue: a.queue, Verb: verb, Target: targetOf(a.request), By: a.user.Name, Reason: a.reason, Began: time.Now(), stop: func() { stop(errStopped) }}
	state := control.ChangeState{Path: a.path, Form: a.query, By: r.By, Reason: r.Reason, Began: r.Began.UTC()}
	if a.goes != nil {
		r.ID, state = a.goes.ID, a.goes.ChangeState
		r.Began, r.Done, state.Ended = state.Began, state.Done, ""
	}
	state.From, state.Before = a.left.From, a.left.Before
	r.kept = control.Change{ID: r.ID, Owner: chance.Hex(), ChangeState: state}
	if err := c.runs.add(r); err != nil {
		stop(nil)
		return nil, err
	}
	p := &running{run: r, console: c, saving: make(chan struct{}, 1)}
	begun := make(chan error, 1)
	until := ""
	if a.goes != nil {
		until = a.goes.Owner
	}
	work := func(ctx context.Context) (string, error) {
		if err := p.save(ctx, until); err != nil {
			return "0 done", err
		}
		begun <- nil
		n, err := p.work(ctx, stop, do)
		return n.Text(cmp.Or(c.actions[a.path].operation.Done, "done")), err
	}
	c.done.Go(c.ctx, "console: run", func() {
		defer stop(nil)
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
		case errors.Is(context.Cause(ctx), control.ErrTaken):
			r.Err, r.GoesOn = control.ErrTaken.Error(), false
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

// running is a run under way, for what it does.
type running struct {
	*run

	console *Console
	saving  chan struct{} // full while it is saved: one at a time
}

// alone waits until it is saved by no one else.
func (p *running) alone(ctx context.Context) (end func(), err error) {
	select {
	case p.saving <- struct{}{}:
		return func() { <-p.saving }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// work does it, and has Redis know how far it is.
func (p *running) work(ctx context.Context, stop context.CancelCauseFunc, do func(ctx context.Context, r *running) (operations.Counts, error)) (n operations.Counts, err error) {
	saving, over := context.WithCancel(ctx)
	defer over()
	p.console.done.Task(ctx, "console: saving of a run", func() { p.keepSaved(saving, stop) })
	err = background.Call(ctx, "console: run", func() (err error) {
		n, err = do(ctx, p)
		return err
	})
	p.console.runs.mu.Lock()
	p.Done = n.Done
	p.console.runs.mu.Unlock()
	over()
	p.end(ctx, err)
	return n, err
}

// tell says how far it is, and what is left; nil for all that its form chooses.
func (p *running) tell(done int64, left *operations.Filter) {
	p.console.runs.mu.Lock()
	defer p.console.runs.mu.Unlock()
	if p.Done = done; left != nil {
		p.kept.From, p.kept.Before = left.From, left.Before
	}
}

// hold has Redis know what is left before something is changed.
func (p *running) hold(ctx context.Context, left operations.Filter) error {
	p.console.runs.mu.Lock()
	p.kept.From, p.kept.Before = left.From, left.Before
	p.console.runs.mu.Unlock()
	return p.save(ctx, p.kept.Owner)
}

// save has Redis know how far it is. until is its owner until now, "" for a new one.
func (p *running) save(ctx context.Context, until string) error {
	if p.Dry {
		return nil
	}
	over, err := p.alone(ctx)
	if err != nil {
		return err
	}
	defer over()
	p.console.runs.mu.Lock()
	p.kept.Done = p.Done
	kept := p.kept
	p.console.runs.mu.Unlock()
	keys, rdb, err := p.console.keysOf(p.Queue)
	if err != nil {
		return err
	}
	at, err := control.SaveChange(ctx, rdb, keys, kept, until)
	if err == nil && until == "" { // by the clock of Redis from now on
		p.console.runs.mu.Lock()
		p.kept.Began = at
		p.console.runs.mu.Unlock()
	}
	return err
}

// keepSaved saves it from time to time, and stops it where another process goes on with it.
func (p *running) keepSaved(ctx context.Context, stop context.CancelCauseFunc) {
	ticker := time.NewTicker(saveEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := p.save(ctx, p.kept.Owner); errors.Is(err, control.ErrTaken) && ctx.Err() == nil {
			stop(control.ErrTaken)
			return
		}
	}
}

// end has Redis forget a run that has come to its end, and know why another one has not.
func (p *running) end(ctx context.Context, failed error) {
	if p.Dry || errors.Is(context.Cause(ctx), control.ErrTaken) {
		return
	}
	cause := context.Cause(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveEvery)
	defer cancel()
	p.console.runs.mu.Lock()
	if failed != nil {
		if cause != nil { // rather than what it broke
			failed = cause
		}
		p.kept.Ended, p.GoesOn = detail(failed), true
	}
	owner := p.kept.Owner
	p.console.runs.mu.Unlock()
	var err error
	if failed != nil {
		err = p.save(ctx, owner)
	} else if keys, rdb, wrong := p.console.keysOf(p.Queue); wrong == nil {
		var over func()
		if over, err = p.alone(ctx); err == nil {
			err = control.ForgetChange(ctx, rdb, keys, p.ID, owner)
			over()
		}
	}
	if err != nil {
		p.console.options.Log.Warn("console: how far a change is could not be kept", "queue", p.Queue, "run", p.ID, "err", err)
	}
}

// keysOf returns where what belongs to a queue is.
func (c *Console) keysOf(queue string) (wire.Keys, redisapi.Client, error) {
	client := access.Of(c.client)
	keys, err := client.Keys(queue)
	return keys, client.Redis, err
}

// unfinished returns the changes of the queue of a request that have not come to their end.
func (c *Console) unfinished(r *request) ([]control.Change, error) {
	return read(r, "changes "+r.queue, messagesFresh, func(ctx context.Context) ([]control.Change, error) {
		keys, rdb, err := c.keysOf(r.queue)
		if err != nil {
			return nil, err
		}
		return control.Changes(ctx, rdb, keys)
	})
}

// runsOf returns the runs that a page of a queue has begun, the newest first, with those of other
// processes that have not come to their end. Where Redis does not tell, those of this one remain.
func (c *Console) runsOf(on *request) []run {
	all, _ := c.unfinished(on)
	out := c.runs.of(on)
	for _, one := range all {
		if section(one.Path) != on.section() || slices.ContainsFunc(out, func(r run) bool { return r.ID == one.ID && (r.Ended.IsZero() || r.GoesOn) }) {
			continue
		}
		out = slices.DeleteFunc(out, func(r run) bool { return r.ID == one.ID })
		then := *on
		a := c.actions[one.Path]
		then.query, then.params = one.Form, a.params
		out = append(out, run{
			ID: one.ID, Queue: on.queue, Verb: a.verb, Target: targetOf(&then), By: one.By, Reason: one.Reason, Began: one.Began, Done: one.Done,
			Err: one.Ended, GoesOn: one.Over(), Elsewhere: !one.Over(),
		})
	}
	for i := range out {
		a, is := c.actions[out[i].kept.Path]
		out[i].GoesOn = out[i].GoesOn && (!is || on.user.on(on.queue) >= a.role)
	}
	return out
}

// goOn goes on with a change that has not come to its end, of this process or of one that is gone.
func (c *Console) goOn(ctx context.Context, a *acting) (string, error) {
	keys, rdb, err := c.keysOf(a.queue)
	if err != nil {
		return "", err
	}
	all, err := control.Changes(ctx, rdb, keys)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(all, func(one control.Change) bool { return one.ID == a.query.Get("run") && section(one.Path) == a.section() })
	if at < 0 {
		return "", refuse(http.StatusConflict, "There is no such change any more: it has come to its end, or a week is over")
	}
	one := all[at]
	of, known := c.actions[one.Path]
	switch got := a.user.on(a.queue); {
	case !known:
		return "", refuse(http.StatusConflict, "This version of the console knows no such change")
	case got < of.role:
		return "", refuse(http.StatusForbidden, "This takes the role %s; yours is %s", of.role, got)
	case !one.Over():
		return "", refuse(http.StatusConflict, "A process is at it: it was saved %s ago", words.Span(one.Idle))
	}
	then := *a.request
	then.path, then.query, then.params = one.Path, one.Form, of.params
	return of.do(ctx, &acting{request: &then, reason: a.reason, goes: &one})
}

func (s *runs) add(r *run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(o *run) bool { return o.ID == r.ID && !o.Ended.IsZero() })
	under := 0
	for _, o := range s.all {
		if o.Queue == r.Queue && o.Ended.IsZero() {
			under++
		}
	}
	if under >= maxUnderWay {
		return refuse(http.StatusConflict, "%d changes of this queue are under way: stop one, or wait", under)
	}
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
	return "Stopped: what was done stays done. This page can go on with the rest.", nil
}
