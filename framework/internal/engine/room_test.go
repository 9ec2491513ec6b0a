package engine

import (
	"testing"
	"time"

	"pgregory.net/rapid"
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
	p := &room{size: 2, freed: func() { freed++ }}
	if p.Free() != 2 || !isClosed(p.Idle()) {
		t.Fatal("a new pool is not free and idle")
	}
	p.Fill(&claim{}, 2)
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
	hung := make([]roomWorker, p.MaxHung())
	for i := range hung {
		p.GaveUp(&hung[i], hungHandler{})
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
	p := &room{size: 4, extra: 4, freed: func() { freed++ }}
	p.Fill(&claim{}, 5)
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
	p.Fill(&claim{}, 1)
	if full := p.LeaveUnused(0); full || p.Free() != 4 || freed != 2 {
		t.Fatalf("full %v, free %d, told %d times", full, p.Free(), freed)
	}
}

// A handler may return just when it is given up on: it is not counted then.
func TestHungHandlerThatIsBackBeforeItIsCounted(t *testing.T) {
	t.Parallel()
	p := &room{size: 1, freed: func() {}}
	w := &roomWorker{}
	if _, left := p.CameBack(w); left != 0 {
		t.Errorf("%d hang", left)
	}
	if n := p.GaveUp(w, hungHandler{}); n != 0 || len(p.Hanging()) != 0 {
		t.Errorf("%d hang for ever", n)
	}
}

// The room of a batch that is not full belongs to its worker.
func TestReservedRoom(t *testing.T) {
	t.Parallel()
	freed := 0
	p := &room{size: 2, extra: 18, freed: func() { freed++ }}
	p.Fill(&claim{}, 3)
	if full := p.Reserve(7); full || p.Free() != 10 {
		t.Fatalf("full %v, %d free", full, p.Free())
	}
	p.Fill(&claim{}, 4)
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
	p := newRoom(4, 0)
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
	one, batch := &roomWorker{}, &roomWorker{}
	p.GaveUp(one, hungHandler{ID: "a"})
	p.GaveUp(batch, hungHandler{ID: "b", Batch: true})
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

// Takers that share a pool never claim more than its room, and whoever waits is woken in
// turn while there is some.
func TestClaims(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(1, 6).Draw(rt, "workers")
		p := newRoom(size, 0)
		takers := make([]*claim, rapid.IntRange(1, 4).Draw(rt, "takers"))
		woken := map[int]bool{}
		for i := range takers {
			takers[i] = &claim{Wake: func() { woken[i] = true }}
		}
		busy := 0
		claims := make([]int, len(takers))
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			i := rapid.IntRange(0, len(takers)-1).Draw(rt, "taker")
			own := takers[i]
			switch rapid.SampledFrom([]string{"claim", "fill", "slow", "leave", "wait"}).Draw(rt, "what") {
			case "claim":
				if claims[i] > 0 {
					break
				}
				claims[i] = p.Claim(own, rapid.IntRange(1, 8).Draw(rt, "n"))
			case "fill":
				n := rapid.IntRange(0, claims[i]).Draw(rt, "got")
				p.Fill(own, n)
				busy, claims[i] = busy+n, 0
			case "slow": // the fetch takes long
				p.Keep(own, 0)
				claims[i] = 0
			case "leave":
				if busy > 0 {
					p.Leave()
					busy--
				}
			case "wait":
				if p.Free() <= 0 {
					p.Await(own)
				}
			}
			total := busy
			for _, n := range claims {
				total += n
			}
			if free := p.Free(); free != size-total || free < 0 {
				rt.Fatalf("%d free of %d, %d are taken or claimed", free, size, total)
			}
			if p.Free() > 0 && len(p.waiting) == len(takers) {
				rt.Fatal("there is room, all wait, and nobody was woken")
			}
			if len(p.waiting) > 0 && p.Free() > 0 && len(woken) == 0 {
				rt.Fatal("somebody waits, there is room, and nobody was woken")
			}
		}
	})
}
