package engine

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/journal"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// note tells the journal, where the queue has one, how a message ended.
func (j *job) note(outcome, reason string) {
	if !j.session.Journaled() {
		return
	}
	r := journal.Record{
		Outcome: outcome, ID: wire.FormatID(j.msg.ID.DueMs, j.msg.ID.Element), Key: j.msg.Key, Reason: reason,
		AtMs: j.serverTime(time.Now()).UnixMilli(), LateMs: -1, Attempt: j.msg.Failed + 1,
	}
	if late, known := j.message.Lateness(); known {
		r.LateMs = max(late.Milliseconds(), 0)
	}
	j.session.Note(&r, j.message.Value)
}

// noteDead is note of a message that lies in the dead store.
func (j *job) noteDead(reason string) {
	if reason == handlers.ReasonExpired {
		j.note(journal.Expired, reason)
		return
	}
	j.note(journal.Dead, reason)
}
