package lease

import (
	"context"
	"strconv"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Mend compares what Redis holds in flight for this session with what this process
// believes, and gives back what it does not know of, or believes settled: a rollback of
// Redis brings such messages back. Fetches whose names were deleted are named again. Call
// it once per lease, from any goroutine.
func (s *Session) Mend(ctx context.Context) error {
	named, err := s.named(ctx)
	if err != nil {
		return err
	}
	if err := s.giveBackStrays(ctx, named); err != nil {
		return err
	}
	settled, unnamed := s.ledger.compare(named)
	if len(unnamed) > 0 {
		if _, err := s.run(ctx, nameScript, append([]string{s.fetches}, unnamed...)); err != nil {
			return err
		}
	}
	for key, indexes := range settled {
		if err := s.giveBack(ctx, key, indexes); err != nil {
			return err
		}
	}
	return nil
}

// returnStrays gives fetches back that Redis holds for this session and this process does
// not know, or believes wholly settled: also those of a take that was executed late.
func (s *Session) returnStrays(ctx context.Context) error {
	named, err := s.named(ctx)
	if err != nil {
		return err
	}
	return s.giveBackStrays(ctx, named)
}

// named returns the nonces of the fetches that Redis holds for this session.
func (s *Session) named(ctx context.Context) ([]string, error) {
	nonces, err := s.shared.SMembers(ctx, s.fetches).Result()
	if err != nil {
		return nil, rediserr.Classify("smembers", err)
	}
	return nonces, nil
}

func (s *Session) giveBackStrays(ctx context.Context, named []string) error {
	for _, nonce := range named {
		if s.ledger.knows(nonce) {
			continue
		}
		key := s.keys.Inflight(s.opts.SessionID, nonce)
		if err := s.giveBack(ctx, key, "*"); err != nil {
			return err
		}
		s.ledger.close(&fetch{nonce: nonce, key: key})
	}
	return nil
}

// giveBack releases indexes of one list, whatever the ledger says. What is settled stays
// settled.
func (s *Session) giveBack(ctx context.Context, list, indexes string) error {
	for {
		_, left, _, err := s.release(ctx, append(s.releaseKeys(), list), []any{"", giveBackStep, indexes})
		if err != nil || left == 0 {
			return err
		}
	}
}

// compare returns the lists of open fetches with what is settled of them, and those that
// are not named.
func (l *ledger) compare(named []string) (settled map[string]string, unnamed []string) {
	there := make(map[string]bool, len(named))
	for _, nonce := range named {
		there[nonce] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	settled = make(map[string]string)
	for _, f := range l.open {
		if !there[f.nonce] {
			unnamed = append(unnamed, f.key)
		}
		if f.open == f.n {
			continue
		}
		var indexes []byte
		for i := 1; i <= f.n; i++ {
			if f.settled.has(i) {
				indexes = append(strconv.AppendInt(indexes, int64(i), 10), ',')
			}
		}
		settled[f.key] = string(indexes)
	}
	return settled, unnamed
}
