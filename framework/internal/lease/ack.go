package lease

import "context"

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
