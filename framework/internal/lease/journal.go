package lease

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/journal"
)

// Journaled reports whether the session keeps a journal.
func (s *Session) Journaled() bool { return s.opts.Journal != nil }

// Note tells the journal what became of a message; value is what its payload was decoded to, nil
// where it was not. The record goes with the next take or ack: note a message that is handled
// before its ack is passed on, so that both go together. Call it where the session is Journaled.
func (s *Session) Note(r *journal.Record, value any) { s.notes.Add(s.opts.Journal, r, value) }

// NoteBuried is Note of a message that a take moved to the dead store by itself, where the session
// is Journaled. What is known of it lies there; its payload, which may be what kills processes,
// is not decoded.
func (s *Session) NoteBuried(ctx context.Context, b Buried) {
	if !s.Journaled() {
		return
	}
	r := journal.Record{Outcome: journal.Dead, Reason: b.Reason, AtMs: time.Now().UnixMilli(), LateMs: -1}
	if now, ok := s.ServerTime(); ok {
		r.AtMs = now.UnixMilli()
	}
	if found, err := s.shared.XRangeN(ctx, s.keys.Dead, b.Entry, b.Entry, 1).Result(); err == nil && len(found) == 1 {
		r.ID, _ = found[0].Values["id"].(string)
		r.Key, _ = found[0].Values["key"].(string)
	}
	s.Note(&r, nil)
}
