package lease

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Ack settles messages without taking any, and deletes the lists of fetches that are
// wholly settled. stale counts acks without effect, because the lease was lost or the
// message is settled already. On an error none is known to be settled: pass them
// again, which is harmless.
func (s *Session) Ack(ctx context.Context, acks Acks) (stale int, err error) {
	groups, stale := s.ledger.plan(acks)
	pages := s.notes.Take()
	if len(groups)+len(pages) == 0 {
		return stale, nil
	}
	keys := make([]string, 0, 5+len(groups))
	keys = append(keys, s.fetches, s.keys.Attempts, s.keys.MessageNames, s.keys.IDs)
	args := make([]any, 0, len(groups))
	for _, g := range groups {
		keys = append(keys, g.f.key)
		args = append(args, g.arg)
	}
	if len(pages) > 0 {
		keys, args = append(keys, s.keys.Journal), s.opts.Journal.Args(args, pages)
	}
	reply, err := s.run(ctx, ackScript, keys, args...)
	if err != nil {
		s.ledger.undo(groups)
		s.notes.PutBack(pages)
		return 0, err
	}
	s.ledger.confirm(groups)
	words, err := texts(ackScript, reply, 2)
	if err != nil {
		return 0, err
	}
	if words[1] != "0" {
		_ = s.returnStrays(ctx) // what fails is found by the next take
	}
	return stale + atoi(words[0]), nil
}

// Journaled reports whether the session keeps a journal.
func (s *Session) Journaled() bool { return s.opts.Journal != nil }

// Note tells the journal what became of a message, see [journal.Pages.Add]. The record goes with the next take or ack: note a message that is handled
// before its ack is passed on, so that both go together. Call it where the session is Journaled.
func (s *Session) Note(r *journal.Record, own wire.MessageID, value any) {
	s.notes.Add(s.opts.Journal, r, own, value)
}

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
	s.Note(&r, wire.MessageID{}, nil)
}
