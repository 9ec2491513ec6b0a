package engine

import (
	"context"
	"errors"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers"
)

// tooMuch sends a message to the dead store whose payload becomes more than the limits of the
// codec allow. That says nothing about the codec, so it is in no row of undecodable ones.
func (ws *handling) tooMuch(ctx context.Context, j *job, err error) {
	defer ws.settling.leave(j, false)
	ws.gate.GiveBack(j.permit) // it costs no token
	ws.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: err})
	done := ws.settling.store(ctx, j, handlers.ReasonOversized, errText(err), false)
	switch {
	case done.Cancelled:
		ws.tel.Cancelled(ctx, telemetry.CancelledInFlight, 1)
		ws.endCancelled(ctx, j, err)
	case done.Entry != "":
		ws.tel.Dead(ctx, handlers.ReasonOversized, 1)
		j.note(journal.Dead, handlers.ReasonOversized)
		ws.log.ErrorContext(ctx, "message moved to the dead store: it would take too much memory",
			append(j.failure(err), "reason", handlers.ReasonOversized, "entry", j.entry(done.Entry))...)
	}
}

// undecodable sends a payload to the dead store. Of payloads of another codec the tenth in a
// row closes the intake instead and takes all ten back to the head: a wrong codec was deployed.
// Those behind it in its batch then go back too, which undecodable reports.
func (ws *handling) undecodable(j *job, err error, behind ...*job) (closed bool) {
	ctx := context.WithoutCancel(ws.base)
	if e, ok := errors.AsType[*codecs.DecodeError](err); ok && e.Limit != "" {
		ws.tooMuch(ctx, j, err)
		return false
	}
	if bad := ws.misfit(j.msg.Body, err); bad != nil {
		ws.unfit(j, bad)
		return false
	}
	defer ws.settling.leave(j, false)
	// Health, which has no login, gets the form; how the payload begins is for the log alone.
	form, begins, detail := "one has "+errtext.Form(j.msg.Body, len(j.msg.Body)), "they begin with "+errtext.Beginning(j.msg.Body), errText(err)
	if text := ws.explain(j.msg.Body, ws.codec); text != "" {
		looks := " and looks like " + text
		form, begins, detail = form+looks, begins+looks, detail+"; payload looks like "+text
	}
	verdict := ws.gate.Undecodable(j.permit, form)
	defer ws.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: err})
	if verdict == gate.GiveBack {
		ws.settling.giveBack(ctx, false, append([]*job{j}, behind...)...)
		ws.tel.Released(ctx, int64(1+len(behind)))
		ws.settling.unstarted(behind)
		return true
	}
	if verdict == gate.RestoreRow {
		ws.settling.returned(behind) // first, so that the ten come before them
	}
	entry, tell := ws.unread(ctx, j, err, detail)
	ws.undecoded.Add(j.seq, entry, tell)
	if verdict == gate.Bury && ws.gate.Snapshot().Decode == gate.Closed {
		return false
	}
	// It is the tenth, or another worker had that while this one was burying.
	entries, told := ws.undecoded.Take()
	if verdict == gate.RestoreRow {
		ws.log.ErrorContext(ctx, "payloads in a row could not be decoded: is the right codec deployed? They go back to the head of the queue, and nothing is taken from it until one can be decoded",
			"messages", len(entries), "told_dead", told, "codec", ws.codec, "payloads", begins, "err", err)
	}
	for _, t := range ws.takers {
		if own := t.ours(entries); len(own) > 0 {
			ws.settling.persist(ctx, "restore", func(ctx context.Context) error {
				_, err := t.sessions.Current().Restore(ctx, own)
				return err
			})
		}
	}
	return verdict == gate.RestoreRow
}

// unfit sends a payload of the right codec to the dead store that does not fit the Go type: it
// alone is bad.
func (ws *handling) unfit(j *job, err error) {
	defer ws.settling.leave(j, false)
	ctx := context.WithoutCancel(ws.base)
	if ws.gate.Unfit(j.permit) {
		ws.undecoded.Clear()
	}
	defer ws.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: err})
	if entry, tell := ws.unread(ctx, j, err, errText(err)); entry != "" {
		tell()
	}
}

// unread moves a message to the dead store whose payload cannot be decoded. It returns the
// entry, "" where it is not there, and what tells of it.
func (ws *handling) unread(ctx context.Context, j *job, err error, detail string) (entry string, tell func()) {
	done := ws.settling.store(ctx, j, handlers.ReasonUndecodable, detail, false)
	if done.Cancelled {
		ws.tel.Cancelled(ctx, telemetry.CancelledInFlight, 1)
		ws.endCancelled(ctx, j, err)
	}
	entry = j.entry(done.Entry)
	line := append(j.failure(err), "reason", handlers.ReasonUndecodable, "detail", detail, "entry", entry)
	return entry, func() {
		ws.tel.Dead(ctx, handlers.ReasonUndecodable, 1)
		j.note(journal.Dead, handlers.ReasonUndecodable)
		ws.log.ErrorContext(ctx, "message moved to the dead store: it cannot be decoded", line...)
	}
}
