package fault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// aofSlack is how much older than its size an append-only file may be: while a sync in
// the background takes long, Redis replies before it writes.
const aofSlack = 250 * time.Millisecond

// PowerFailure ends a server as a machine does that loses power: kill -9, and what was
// written to the append-only file in the last moments is gone, the last command torn.
type PowerFailure struct {
	simple

	since time.Time
}

// PowerLoss makes one for a server with an append-only file that is not rewritten by
// itself ("auto-aof-rewrite-percentage 0"). Strike looks how long the file is, lets the
// server work on for a while, kills it and cuts the file to that length. Heal starts the
// server on what is left.
func PowerLoss(s *Server, while time.Duration) *PowerFailure {
	f := &PowerFailure{simple: simple{state: state{name: "power loss, AOF " + string(s.fsync()), unit: "bytes of the AOF cut off"}}}
	f.begin = func(ctx context.Context) error {
		since := time.Now().Add(-aofSlack)
		before, err := s.aofSize()
		if err != nil {
			return err
		}
		select {
		case <-time.After(while):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err = s.Kill(); err != nil {
			return err
		}
		after, err := s.aofSize()
		if err != nil {
			return err
		}
		const torn = 20 // bytes of the next command
		cut := after - before - torn
		if cut <= 0 {
			return errors.Join(fmt.Errorf("%w: nothing was written", ErrNoEffect), s.Restart(ctx))
		}
		file, err := s.aofFile()
		if err != nil {
			return err
		}
		if err := os.Truncate(file, before+torn); err != nil {
			return err
		}
		f.effects.Add(cut)
		f.since = since
		return nil
	}
	f.end = s.Restart
	return f
}

// Since is the moment whose state the server has after the last strike, at the earliest.
func (f *PowerFailure) Since() time.Time { return f.since }

// aofFile is the file to which the server appends.
func (s *Server) aofFile() (string, error) {
	found, err := filepath.Glob(filepath.Join(s.dir, "appendonlydir", "*.incr.aof")) // since Redis 7.0
	if err != nil {
		return "", err
	}
	single := filepath.Join(s.dir, "appendonly.aof")
	if _, missing := os.Stat(single); missing == nil {
		found = append(found, single)
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%w: %d append-only files", ErrNoTarget, len(found))
	}
	return found[0], nil
}

func (s *Server) aofSize() (int64, error) {
	file, err := s.aofFile()
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
