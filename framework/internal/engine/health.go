package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/causes"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// Health returns the state of the engine. It asks Redis nothing.
func (e *Engine) Health() health.Report {
	e.mu.Lock()
	state, queues, watcher := e.state, e.queues, e.watcher
	e.mu.Unlock()
	h := health.Report{Live: state != stateStopped, Ready: true, Drain: drainHealth(e.draining.Load()), Queues: []health.Queue{}}
	for _, p := range e.client.Panics.All() {
		h.Live = h.Live && !p.Ended
		degrade(&h, "%v", p)
	}
	switch state {
	case stateNew:
		unready(&h, "not started yet")
	case stateStopping:
		unready(&h, "stopping")
	case stateStopped:
		unready(&h, "stopped")
	case stateRunning:
	}
	if watcher == nil {
		return h
	}
	wh := watcher.Health()
	serves := slices.ContainsFunc(queues, (*served).serves)
	for _, s := range queues {
		h.Queues = append(h.Queues, s.health(e, &h, s.transfers(wh), serves, state == stateStopping || state == stateStopped))
	}
	return h
}

// serves reports whether the queue is of use here: not where payloads of another codec have
// closed its intake before any could be decoded.
func (s *served) serves() bool {
	return s.intake == nil || s.intake.handling.decodes.Load() || s.intake.gate.Snapshot().Decode == gate.Closed
}

// health describes one queue and adds to the reasons of h what keeps it from
// being served. Serves says that some queue of the process is of use.
func (s *served) health(e *Engine, h *health.Report, w watch.QueueHealth, serves, stopping bool) health.Queue {
	q := health.Queue{
		Code: s.consumer.Code(), Title: s.consumer.Queue.Title(),
		TransferredAt: w.LastSuccess, TransferOnly: s.intake == nil,
	}
	if p := s.expiring.Load(); p != nil {
		for _, part := range slices.Sorted(maps.Keys(*p)) {
			for _, k := range (*p)[part].Keys {
				degrade(h, "%s: %s; duequeue doctor -fix %s keeps it", q.Code, causes.Expiring(k.String()), s.typed())
			}
		}
	}
	if w.Failures > 0 && w.LastError != nil {
		q.LastError = redisText(w.LastError)
		if !refuses(w.LastError) {
			unready(h, "%s: due messages cannot be moved: %s", q.Code, q.LastError)
		}
	}
	s.rights(e, h, w)
	r := s.intake
	if r == nil {
		return q
	}
	g := r.gate.Snapshot()
	q.Intake, q.Reason = r.intakeOf(g, stopping)
	if !g.Until.IsZero() {
		q.Until = &g.Until
	}
	q.Running, q.Zombies = r.pool.Counts()
	q.Hung, q.Suspect = r.pool.hungHealth(), r.suspects.Health()
	if since := r.suspects.HeldSince(); !since.IsZero() {
		q.HeldSince = &since
	}
	if s := q.Suspect; s != nil && s.Waiting > 0 {
		degrade(h, "%s: %d suspects wait to run alone, since %s", q.Code, s.Waiting, s.WaitingSince.UTC().Format(time.RFC3339))
	}
	if g.LastError != nil {
		q.LastError = errtext.Kind(g.LastError)
	}
	if g.Paused == nil || !g.Paused.Unread {
		q.Paused = pausedInfo(g.Paused)
	}
	if c := r.control.Load(); c != nil {
		q.Limit = limitInfo(c.Limit)
	}
	for _, t := range r.takers {
		if err := t.trouble.Cause(); err != nil {
			q.LastError = redisText(err)
		}
	}
	r.whyUnready(h, g, serves)
	r.whyDegraded(h, g)
	s.telling(h)
	if f := s.foreign.Load(); f != nil && foreign.Wrong(f) {
		degrade(h, "%s", foreignText(f))
	}
	return q
}

// rights adds the rights that the Redis user lacks.
func (s *served) rights(e *Engine, h *health.Report, w watch.QueueHealth) {
	for _, r := range s.refused(w) {
		missing, user := unready, redisapi.User(e.client.Redis)
		if r.Channel != "" {
			missing = degrade
		}
		missing(h, "%s: %s; %s prints the missing rule", s.consumer.Code(), causes.Refused(user, "this process", r), causes.Grant("", user, s.typed(), len(s.keys) > 1, r))
	}
}

// typed is the name of the queue as it is typed behind a command.
func (s *served) typed() string { return words.Quote(s.consumer.Queue.Key()) }

// refuses reports whether an error is a right that the Redis user lacks.
func refuses(err error) bool {
	_, refused := control.RefusalOf(err)
	return refused
}

// redisText is the text of an error of Redis. What a script answered may repeat what is in a
// message, and health has no login.
func redisText(err error) string {
	if _, of := errors.AsType[*script.ReplyError](err); of {
		return errtext.Kind(err) + " (the log has its text)"
	}
	return errText(err)
}

// foreignText says of foreign payloads what may be known without a login.
func foreignText(f *fault.ForeignPayloadsError) string {
	if foreign.WrongClass(f) {
		return fmt.Sprintf("queue %q: %d of %d payloads that lie there are of another Java class than %s (Go type %s). The log names it", f.Queue, f.Other, f.Looked, f.Class, f.Type)
	}
	var forms []string
	for _, s := range f.Samples {
		forms = append(forms, errtext.Form(s.Head, s.Size))
	}
	return fmt.Sprintf("queue %q: %d of %d payloads that lie there cannot be read by its codec %s (%s)", f.Queue, f.Foreign, f.Looked, f.Codec, strings.Join(forms, "; ")) + `. The log shows how they begin; "duequeue decode" tells what they are`
}

// telling says where calls of framework.OnDead's function hang.
func (s *served) telling(h *health.Report) {
	for _, d := range s.dead {
		calls, oldest, stuck := d.Hung()
		if calls == 0 {
			continue
		}
		then := ""
		if stuck {
			then = "; this process tells of no dead letter until one returns"
		}
		degrade(h, "%s: calls of framework.OnDead do not return: %d, since %s%s", s.consumer.Code(), calls, oldest.UTC().Format(time.RFC3339), then)
	}
}

// transfers is how the transfers of all partitions stand: as those of the worst.
func (s *served) transfers(w watch.Health) watch.QueueHealth {
	all := w.Queues[s.watched : s.watched+len(s.keys)]
	worst := all[0]
	for _, q := range all[1:] {
		if q.LastSuccess.Before(worst.LastSuccess) {
			worst.LastSuccess = q.LastSuccess
		}
		if q.Failures > worst.Failures {
			worst.Failures, worst.LastError = q.Failures, q.LastError
		}
		worst.ViewBehind = max(worst.ViewBehind, q.ViewBehind)
		worst.Deaf = cmp.Or(worst.Deaf, q.Deaf)
	}
	return worst
}

// hungHealth names the handlers that hang, the oldest first.
func (p *pool) hungHealth() []health.Hung {
	zs := p.Hanging()
	if len(zs) == 0 {
		return nil
	}
	out := make([]health.Hung, min(len(zs), health.MaxHung))
	for i := range out {
		z := zs[i]
		out[i] = health.Hung{ID: z.ID, Digest: z.Digest, StartedAt: z.Started, GivenUpAt: z.Since}
	}
	return out
}

func drainHealth(d *drain) *health.Drain {
	if d == nil {
		return nil
	}
	return &health.Drain{Since: d.Since, Until: d.Handlers, Hurried: d.Hurried()}
}

// unready adds a reason for which the process is not ready.
func unready(h *health.Report, format string, args ...any) {
	h.Ready = false
	h.Reasons = append(h.Reasons, codecs.Printable(fmt.Sprintf(format, args...), maxDetail))
}

// degrade adds what holds messages up.
func degrade(h *health.Report, format string, args ...any) {
	h.Degraded = append(h.Degraded, codecs.Printable(fmt.Sprintf(format, args...), maxDetail))
}
