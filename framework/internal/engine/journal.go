package engine

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/handlers"
)

// note tells the journal, where the queue has one, how a message ended; reason is that of the dead
// store.
func (j *job) note(outcome, reason string) {
	if !j.session.Journaled() {
		return
	}
	if reason == handlers.ReasonExpired {
		outcome = journal.Expired
	}
	r := journal.Record{
		Outcome: outcome, Key: j.msg.Key, Reason: reason, LateMs: -1, Attempt: j.msg.Failed + 1,
		AtMs: j.message.StartedAt.Add(time.Since(j.started)).UnixMilli(),
	}
	if j.message.StartedAt.IsZero() { // it was not decoded
		r.AtMs = j.serverTime(time.Now()).UnixMilli()
	}
	if late, known := j.message.Lateness(); known {
		r.LateMs = max(late.Milliseconds(), 0)
	}
	j.session.Note(&r, j.msg.ID, j.message.Value)
}
