package room

import (
	"testing"
	"time"
)

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func TestRoomCountsWorkersAndHungOnes(t *testing.T) {
	t.Parallel()
	freed := 0
	p := &Room{size: 2, freed: func() { freed++ }}
	if p.Free() != 2 || !isClosed(p.Idle()) {
		t.Fatal("a new pool is not free and idle")
	}
	p.Fill(&Claim{}, 2)
	idle := p.Idle()
	if p.Free() != 0 || isClosed(idle) {
		t.Fatal("a full pool is free or idle")
	}
	p.Leave()
	if freed != 1 || p.Free() != 1 || isClosed(idle) {
		t.Fatalf("freed %d, free %d after one left", freed, p.Free())
	}
	p.Leave()
	if !isClosed(idle) || !isClosed(p.Idle()) {
		t.Fatal("an empty pool is not idle")
	}
	hung := make([]Worker, p.MaxHung())
	for i := range hung {
		p.GaveUp(&hung[i], Hung{})
	}
	if p.Free() != 0 {
		t.Fatal("takes on though too many hang")
	}
	freed = 0
	p.CameBack(&hung[1])
	if p.Free() != 2 || freed == 0 {
		t.Fatalf("free %d, told %d times, after one came back", p.Free(), freed)
	}
}

// Room that is to remain unused is not free, whatever runs when that is said.
func TestRoomLeavesRoomUnused(t *testing.T) {
	t.Parallel()
	freed := 0
	p := &Room{size: 4, extra: 4, freed: func() { freed++ }}
	p.Fill(&Claim{}, 5)
	if full := p.LeaveUnused(4); !full || p.Free() != -1 || freed != 0 {
		t.Fatalf("full %v, free %d", full, p.Free())
	}
	p.Leave()
	if p.Free() != 0 || freed != 0 {
		t.Fatalf("free %d, told %d times", p.Free(), freed)
	}
	p.Leave()
	if p.Free() != 1 || freed != 1 {
		t.Fatalf("free %d, told %d times", p.Free(), freed)
	}
	p.Fill(&Claim{}, 1)
	if full := p.LeaveUnused(0); full || p.Free() != 4 || freed != 2 {
		t.Fatalf("full %v, free %d, told %d times", full, p.Free(), freed)
	}
}

// A handler may return just when it is given up on: it is not counted then.
func TestHungHandlerThatIsBackBeforeItIsCounted(t *testing.T) {
	t.Parallel()
	p := &Room{size: 1, freed: func() {}}
	w := &Worker{}
	if _, left := p.CameBack(w); left != 0 {
		t.Errorf("%d hang", left)
	}
	if n := p.GaveUp(w, Hung{}); n != 0 || len(p.Hanging()) != 0 {
		t.Errorf("%d hang for ever", n)
	}
}

// The room of a batch that is not full belongs to its worker.
func TestReservedRoom(t *testing.T) {
	t.Parallel()
	freed := 0
	p := &Room{size: 2, extra: 18, freed: func() { freed++ }}
	p.Fill(&Claim{}, 3)
	if full := p.Reserve(7); full || p.Free() != 10 {
		t.Fatalf("full %v, %d free", full, p.Free())
	}
	p.Fill(&Claim{}, 4)
	if full := p.Reserve(6); !full || p.Free() != 0 || freed != 0 {
		t.Fatalf("full %v, %d free, told %d times", full, p.Free(), freed)
	}
	p.Reserve(-6)
	if freed != 1 || p.Free() != 6 {
		t.Fatalf("told %d times, %d free", freed, p.Free())
	}
	for range 7 {
		p.Leave()
	}
	p.Reserve(-7)
	if p.Free() != 20 || freed != 1 {
		t.Fatalf("%d free, told %d times", p.Free(), freed)
	}
}

// A message is postponed for longer each time while its handler hangs, and not once that has
// returned; of a batch it is not known which one hangs.
func TestMessagesThatHangArePostponed(t *testing.T) {
	t.Parallel()
	p := New(4, 0)
	postponed := func(id string) (d time.Duration) {
		d, hangs := p.Postpone(func() string { return id })
		if hangs != (d > 0) {
			t.Errorf("%s: %v for %v", id, hangs, d)
		}
		return d
	}
	if d := postponed("a"); d > 0 {
		t.Errorf("nothing hangs, postponed for %v", d)
	}
	one, batch := &Worker{}, &Worker{}
	p.GaveUp(one, Hung{ID: "a"})
	p.GaveUp(batch, Hung{ID: "b", Batch: true})
	for _, id := range []string{"b", "c"} {
		if d := postponed(id); d > 0 {
			t.Errorf("%s does not hang, postponed for %v", id, d)
		}
	}
	for want := time.Second; want < 2*postponeMost; want *= 2 {
		if d := postponed("a"); d != min(want, postponeMost) {
			t.Errorf("postponed for %v, want %v", d, want)
		}
	}
	p.CameBack(one)
	if d := postponed("a"); d > 0 {
		t.Errorf("it has returned, postponed for %v", d)
	}
}
