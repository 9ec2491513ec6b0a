package lease

import (
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestTakeAndAck(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b", "c")
	b1 := take(t, s, 2)
	wantBodies(t, b1, "a", "b")
	e.wantQueue(t, "c")
	e.wantKeys(t, "queue", "sessions", "fetches", "inflight")
	b2 := take(t, s, 2, tokens(b1)...)
	wantBodies(t, b2, "c")
	e.wantKeys(t, "sessions", "fetches", "inflight")
	stale, err := s.Ack(t.Context(), tokens(b2))
	must(t, err)
	if stale != 0 {
		t.Fatalf("%d stale acks", stale)
	}
	e.wantKeys(t, "sessions")
	if b := take(t, s, 2); len(b.Messages) != 0 || b.Lost || b.NowUs == 0 {
		t.Fatalf("took %+v of an empty queue", b)
	}
}

func TestTakeKnowsNothingOfDueWithoutRecord(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "a")
	m := take(t, e.session(t, Options{}), 1).Messages[0]
	if m.DueMs != -1 || m.ID.String() == "" || m.Trace != nil || m.Delivered+m.Failed+m.Died != 0 {
		t.Fatalf("message %+v", m)
	}
}

func TestAckOneByOne(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b", "c")
	acks := tokens(take(t, s, 3))
	for _, ack := range []Token{acks[1], acks[0]} {
		_, err := s.Ack(t.Context(), Acks{ack})
		must(t, err)
	}
	e.reap(t, s)
	e.wantQueue(t, "c")
}

func TestAckWholeFetchInPieces(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b", "c")
	acks := tokens(take(t, s, 3))
	for i := range acks {
		if b := take(t, s, 1, acks[i]); b.Stale != 0 {
			t.Fatalf("ack %d was stale", i)
		}
	}
	e.wantKeys(t, "sessions")
	if stale, _ := s.Ack(t.Context(), acks); stale != 3 {
		t.Fatalf("%d stale acks of 3 repeated ones", stale)
	}
}

func TestTakeManyMessages(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	all := numbered(MaxTake)
	e.push(t, all...)
	for _, body := range all {
		rec := wire.DueRecord{ID: idOf(body), DueMs: 5, WrittenMs: 6}
		e.due(t, body, rec)
	}
	e.setAttempts(t, all[MaxTake-1], "2,1,0")
	b := take(t, s, MaxTake+5)
	wantBodies(t, b, all...)
	if m := b.Messages[MaxTake-1]; m.DueMs != 5 || m.ID.Element != idOf(all[MaxTake-1]) || m.Failed != 1 || m.Delivered != 2 {
		t.Fatalf("last message %+v", m)
	}
	e.wantKeys(t, "sessions", "fetches", "inflight", "attempts")
	res, err := s.Release(t.Context(), released(b))
	must(t, err)
	if res.Given != MaxTake {
		t.Fatalf("gave back %+v", res)
	}
	e.wantQueue(t, all...)
	if n := e.rdb.LLen(t.Context(), e.keys.Due).Val(); n != MaxTake {
		t.Fatalf("%d due entries came back", n)
	}
	take(t, s, MaxTake)
	e.reap(t, s)
	e.wantQueue(t, all...)
	b = take(t, s, MaxTake)
	if !b.Lost || b.Messages[0].Died != 1 || b.Messages[0].DueMs != 5 {
		t.Fatalf("after the reap: lost %v, %+v", b.Lost, b.Messages[0])
	}
	take(t, s, 1, tokens(b)...)
	e.wantKeys(t, "sessions")
}

func released(b Batch) []Released {
	out := make([]Released, len(b.Messages))
	for i, m := range b.Messages {
		out[i] = Released{Token: m.Token}
	}
	return out
}

func TestTakeAdoptsStaging(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "c", "d")
	must(t, e.rdb.RPush(t.Context(), e.keys.Stage(s.ID()), "a", "b").Err())
	wantBodies(t, take(t, s, 1), "a")
	wantBodies(t, take(t, s, 2), "b", "c")
	e.wantQueue(t, "d")
}

func TestTakeIdenticalPayloads(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "same", "same", "same")
	for i := range 3 {
		id := wire.ElementID{Kind: 'u', Raw: [8]byte{7, byte(i + 1)}}
		e.due(t, "same", wire.DueRecord{ID: id, DueMs: int64(100 + i)})
	}
	b := take(t, s, 3)
	wantBodies(t, b, "same", "same", "same")
	for i, want := range []int64{100, 101, 102} {
		if got := b.Messages[i].DueMs; got != want {
			t.Errorf("message %d due %d, want %d", i, got, want)
		}
	}
	e.wantKeys(t, "sessions", "fetches", "inflight")
	_, err := s.Ack(t.Context(), Acks{b.Messages[1].Token})
	must(t, err)
	h := e.reap(t, s)
	if h.Bodies != 2 {
		t.Fatalf("handed back %+v", h)
	}
	entries := e.rdb.LRange(t.Context(), e.keys.Due, 0, -1).Val()
	if len(entries) != 2 || entries[0][14:17] != "100" || entries[1][14:17] != "102" {
		t.Fatalf("due entries %q", entries)
	}
	found := e.records(t, "same")
	if len(found) != 2 || found[0].counts != "1,0,1" || found[1].counts != "1,0,1" {
		t.Fatalf("each death counted as %+v", found)
	}
}

func TestTakeOversized(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{MaxPayload: 100})
	big := strings.Repeat("x", 101)
	e.push(t, "a", big, "b", big)
	b := take(t, s, 4)
	wantBodies(t, b, "a", "b")
	if len(b.Buried) != 2 || b.Buried[0].Reason != "oversized" || b.Buried[0].Size != 101 ||
		b.Buried[0].Digest != wire.Digest([]byte(big)) || b.Buried[0].Entry == "" {
		t.Fatalf("buried %+v", b.Buried)
	}
	dead := e.dead(t)
	if len(dead) != 2 || dead[0]["body"] != big || dead[0]["reason"] != "oversized" ||
		dead[0]["detail"] != "101 bytes, limit 100" {
		t.Fatalf("dead store %v", dead)
	}
	e.push(t, big)
	if b := take(t, s, 4, tokens(b)...); len(b.Messages) != 0 || len(b.Buried) != 1 {
		t.Fatalf("took %+v", b)
	}
	e.wantKeys(t, "sessions", "dead")
}

func TestTakeKeepsTheBatchWithinItsBytes(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{MaxBatch: 25})
	e.push(t, "0123456789", "0123456789", "0123456789", strings.Repeat("y", 40))
	b := take(t, s, 10)
	wantBodies(t, b, "0123456789", "0123456789")
	wantBodies(t, take(t, s, 10, tokens(b)...), "0123456789")
	wantBodies(t, take(t, s, 10), strings.Repeat("y", 40))
	e.wantQueue(t)
}

func TestSuspectGoesAlone(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "killer", "b")
	e.setAttempts(t, "killer", "2,0,2")
	if b := take(t, s, 3); b.Suspect || len(b.Messages) != 1 || string(b.Messages[0].Body) != "a" {
		t.Fatalf("first batch %q", bodies(b))
	}
	b := take(t, s, 3)
	if !b.Suspect || len(b.Messages) != 1 || b.Messages[0].Died != 2 {
		t.Fatalf("second batch %q, suspect %v", bodies(b), b.Suspect)
	}
	if b := take(t, s, 3, tokens(b)...); b.Suspect || len(b.Messages) != 1 {
		t.Fatalf("third batch %q", bodies(b))
	}
	e.wantKeys(t, "sessions", "fetches", "inflight", "inflight")
}

func TestKillerGoesToTheDeadStoreAtTheThirdDeath(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "killer", "neighbour")
	for death := 1; death <= 3; death++ {
		s := e.session(t, Options{})
		b := take(t, s, 5)
		if got, want := len(b.Messages), []int{2, 2, 1}[death-1]; got != want {
			t.Fatalf("take %d returned %q", death, bodies(b))
		}
		if b.Suspect {
			_, err := s.Begin(t.Context(), b.Messages[0].Token)
			must(t, err)
		}
		h := e.reap(t, s)
		if death == 3 && h.Buried != 1 {
			t.Fatalf("third death: %+v", h)
		}
	}
	dead := e.dead(t)
	if len(dead) != 1 || dead[0]["body"] != "killer" || dead[0]["reason"] != "crash-loop" || dead[0]["died"] != "3" {
		t.Fatalf("dead store %v", dead)
	}
	if e.attempts(t, "killer") != "" {
		t.Fatal("the counters of a dead message stayed")
	}
	e.wantQueue(t, "neighbour")
}

func TestTakeBuriesWhatKilledThree(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "killer", "b")
	e.setAttempts(t, "killer", "5,1,3")
	b := take(t, e.session(t, Options{}), 5)
	wantBodies(t, b, "b")
	if len(b.Buried) != 1 || b.Buried[0].Reason != "crash-loop" {
		t.Fatalf("buried %+v", b.Buried)
	}
	e.wantKeys(t, "sessions", "fetches", "inflight", "dead")
}

func TestZombieAcksDoNothing(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	old := e.session(t, Options{})
	e.push(t, "a", "b")
	zombie := take(t, old, 2)
	e.reap(t, old)
	// The process behind old knows nothing of it and acks by the script itself.
	other := e.session(t, Options{})
	b := take(t, other, 2)
	wantBodies(t, b, "a", "b")
	if stale, err := old.Ack(t.Context(), tokens(zombie)); err != nil || stale != 2 {
		t.Fatalf("zombie acks: %d stale, %v", stale, err)
	}
	r, err := old.Nack(t.Context(), zombie.Messages[0].Token, NackArgs{Charge: true})
	if err != nil || r.Outcome != Gone {
		t.Fatalf("zombie nack: %+v, %v", r, err)
	}
	d, err := old.Dead(t.Context(), zombie.Messages[1].Token, DeadArgs{Reason: "rejected"})
	if err != nil || !d.Gone {
		t.Fatalf("zombie dead: %+v, %v", d, err)
	}
	if res, err := old.Release(t.Context(), released(zombie)); err != nil || res.Given != 0 {
		t.Fatalf("zombie release: %+v, %v", res, err)
	}
	e.reap(t, other)
	e.wantQueue(t, "a", "b")
	if b := take(t, old, 2); !b.Lost {
		t.Fatal("the old session was not told that it had been reaped")
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	if lost, err := s.Renew(t.Context()); lost || err != nil {
		t.Fatalf("renew before the first take: %v, %v", lost, err)
	}
	if !s.LeaseValidUntil().IsZero() {
		t.Fatal("a lease before the first take")
	}
	e.push(t, "a")
	take(t, s, 1)
	first := s.LeaseValidUntil()
	if left := time.Until(first); left > 20*time.Second || left < 5*time.Second {
		t.Fatalf("self-fence in %v", left)
	}
	if lost, err := s.Renew(t.Context()); lost || err != nil {
		t.Fatalf("renew: %v, %v", lost, err)
	}
	if !s.LeaseValidUntil().After(first) {
		t.Fatal("renew did not move the self-fence")
	}
	e.reap(t, s)
	if lost, err := s.Renew(t.Context()); !lost || err != nil {
		t.Fatalf("renew after a reap: %v, %v", lost, err)
	}
	if n := e.rdb.Exists(t.Context(), e.keys.Sessions).Val(); n != 0 {
		t.Fatal("renew registered a reaped session")
	}
	if b := take(t, s, 1); !b.Lost || len(b.Messages) != 1 {
		t.Fatalf("take after a reap: %+v", b)
	}
	if b := take(t, s, 1); b.Lost {
		t.Fatal("lost twice")
	}
}
