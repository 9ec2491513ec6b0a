package engine

import (
	"testing"
)

func TestPoolReplacesAWorker(t *testing.T) {
	t.Parallel()
	p := &pool{room: newRoom(1, 0)}
	workers := make(chan *worker, 2)
	p.start(t.Context(), nil, func(w *worker) { workers <- w })
	old := <-workers
	old.current.Store(&job{seq: 1})
	p.start(t.Context(), old, func(w *worker) { workers <- w })
	next := <-workers
	next.current.Store(&job{seq: 2})
	var seen []uint64
	p.running(func(_ *worker, j *job) { seen = append(seen, j.seq) })
	if len(seen) != 1 || seen[0] != 2 {
		t.Fatalf("running %v, want the new worker's only", seen)
	}
}
