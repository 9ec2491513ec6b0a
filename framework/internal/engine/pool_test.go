package engine

import "testing"

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func TestPoolCountsWorkersAndHungOnes(t *testing.T) {
	t.Parallel()
	freed := 0
	p := &pool{size: 2, freed: func() { freed++ }}
	if p.free() != 2 || !isClosed(p.idle()) {
		t.Fatal("a new pool is not free and idle")
	}
	p.enter(2)
	idle := p.idle()
	if p.free() != 0 || isClosed(idle) {
		t.Fatal("a full pool is free or idle")
	}
	p.leave()
	if freed != 1 || p.free() != 1 || isClosed(idle) {
		t.Fatalf("freed %d, free %d after one left", freed, p.free())
	}
	p.leave()
	if !isClosed(idle) || !isClosed(p.idle()) {
		t.Fatal("an empty pool is not idle")
	}
	hung := make([]worker, p.maxHung())
	for i := range hung {
		p.gaveUp(&hung[i], hungHandler{})
	}
	if p.free() != 0 {
		t.Fatal("takes on though too many hang")
	}
	freed = 0
	p.cameBack(&hung[1])
	if p.free() != 2 || freed == 0 {
		t.Fatalf("free %d, told %d times, after one came back", p.free(), freed)
	}
}

func TestPoolReplacesAWorker(t *testing.T) {
	t.Parallel()
	p := &pool{size: 1, freed: func() {}}
	workers := make(chan *worker, 2)
	p.start(nil, func(w *worker) { workers <- w })
	old := <-workers
	old.current.Store(&job{seq: 1})
	p.start(old, func(w *worker) { workers <- w })
	next := <-workers
	next.current.Store(&job{seq: 2})
	var seen []uint64
	p.running(func(_ *worker, j *job) { seen = append(seen, j.seq) })
	if len(seen) != 1 || seen[0] != 2 {
		t.Fatalf("running %v, want the new worker's only", seen)
	}
}

// A handler may return just when it is given up on: it is not counted then.
func TestHungHandlerThatIsBackBeforeItIsCounted(t *testing.T) {
	t.Parallel()
	p := &pool{size: 1, freed: func() {}}
	w := &worker{}
	if _, left := p.cameBack(w); left != 0 {
		t.Errorf("%d hang", left)
	}
	if n := p.gaveUp(w, hungHandler{}); n != 0 || len(p.hanging()) != 0 {
		t.Errorf("%d hang for ever", n)
	}
}
