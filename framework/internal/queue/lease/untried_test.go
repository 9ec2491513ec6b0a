package lease

import (
	"fmt"
	"slices"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

func takeProbe(t *testing.T, s *Session, acks ...Token) Batch {
	t.Helper()
	b, err := s.Probe(t.Context(), false, acks)
	must(t, err)
	return b
}

func TestProbeTakesAnUntriedOneFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		counters map[string]string // of "bad", "new", "old"
		want     string
		left     []string
	}{
		"the third is new":     {map[string]string{"bad": "3,3,0", "old": "1,0,0"}, "new", []string{"bad", "old", "last"}},
		"nothing is known":     {nil, "bad", []string{"old", "new", "last"}},
		"a transient one":      {map[string]string{"bad": "3,0,0"}, "old", []string{"bad", "new", "last"}},
		"all have been tried":  {map[string]string{"bad": "1,1,0", "old": "1,1,0", "new": "2,1,0", "last": "1,0,0"}, "bad", []string{"old", "new", "last"}},
		"counters of a killer": {map[string]string{"bad": "1,1,0", "old": "2,0,2", "new": "1,1,0"}, "last", []string{"bad", "old", "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := onReal(t)
			e.push(t, "bad", "old", "new", "last")
			for body, counts := range c.counters {
				e.setAttempts(t, body, counts)
			}
			s := e.session(t, Options{})
			b := takeProbe(t, s)
			wantBodies(t, b, c.want)
			e.wantQueue(t, c.left...)
		})
	}
}

// With untried nothing else is taken.
func TestProbeOfUntriedOnesAlone(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	want := func(ready int, bodies ...string) {
		t.Helper()
		b, err := s.Probe(t.Context(), true, nil)
		must(t, err)
		wantBodies(t, b, bodies...)
		if b.Ready != ready {
			t.Errorf("%d are ready, want %d", b.Ready, ready)
		}
	}
	want(0)
	e.setAttempts(t, "bad", "1,1,0")
	e.push(t, "bad")
	want(1)
	e.push(t, "bad", "new")
	want(3, "new")
	want(2)
	e.wantQueue(t, "bad", "bad")
	wantBodies(t, takeProbe(t, s), "bad")
	if b := take(t, s, 1); b.Ready != 0 {
		t.Errorf("a take that is no probe has counted: %+v", b)
	}
}

// A probe looks no further than it says, takes what landed in staging first, and nothing
// from an empty queue.
func TestProbeIsBounded(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	if b := takeProbe(t, s); len(b.Messages) != 0 {
		t.Fatalf("took %+v", b)
	}
	var all []string
	for i := range 100 {
		all = append(all, fmt.Sprint("bad", i))
		e.setAttempts(t, all[i], "1,1,0")
	}
	e.push(t, append(slices.Clone(all), "new")...)
	wantBodies(t, takeProbe(t, s), "bad0")
	wantBodies(t, takeProbe(t, s), "new")
	e.wantQueue(t, all[1:]...)
	must(t, e.rdb.RPush(t.Context(), e.keys.Stage(s.ID()), "staged").Err())
	wantBodies(t, takeProbe(t, s), "staged")
}

// What belongs to the message goes along, and what belongs to its neighbours stays.
func TestProbeTakesTheRecordsAlong(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	bad, _ := e.withRecords(t, "bad", 1000)
	good, _ := e.withRecords(t, "good", 2000)
	e.push(t, "bad", "good")
	e.setAttemptsOf(t, bad, 1000, "bad", "1,1,0")
	s := e.session(t, Options{})
	b := takeProbe(t, s)
	wantBodies(t, b, "good")
	if m := b.Messages[0]; m.DueMs != 2000 || m.ID.Element != good {
		t.Errorf("the probe has %d and %v, want %v", m.DueMs, m.ID, good)
	}
	rest := take(t, s, 1)
	wantBodies(t, rest, "bad")
	if m := rest.Messages[0]; m.DueMs != 1000 || m.ID.Element != bad || m.Failed != 1 {
		t.Errorf("the other one has %d and %v, want %v", m.DueMs, m.ID, bad)
	}
	h := e.reap(t, s)
	if h.Bodies != 2 {
		t.Fatalf("reaped %+v", h)
	}
	e.wantQueue(t, "good", "bad")
}

// Equal payloads, one of which failed: they share their counters where they are kept by
// payload, and none is lost.
func TestProbeOfEqualPayloads(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "bad", "twin", "bad", "twin", "twin")
	e.setAttempts(t, "bad", "1,1,0")
	s := e.session(t, Options{})
	wantBodies(t, takeProbe(t, s), "twin")
	e.wantQueue(t, "bad", "bad", "twin", "twin")
}

// Behind equal payloads that were tried each message has its own record, also where
// others took some.
func TestProbeFromTheMiddleLeavesTheRecordsOfOthers(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	const tried = 90
	e.due(t, "gone", wire.DueRecord{DueMs: 1, WrittenMs: 1, ID: wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 9}}})
	for i := range tried {
		body := fmt.Sprint("bad", i)
		if i%2 == 0 {
			body = "twin"
		}
		e.push(t, body)
		e.due(t, body, wire.DueRecord{DueMs: int64(1000 + i), WrittenMs: 1, ID: wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 1, byte(i)}}})
		e.setAttempts(t, body, "1,1,0")
	}
	e.push(t, "good")
	e.due(t, "good", wire.DueRecord{DueMs: 5000, WrittenMs: 1, ID: wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 2}}})
	s := e.session(t, Options{})
	b := takeProbe(t, s)
	wantBodies(t, b, "good")
	if m := b.Messages[0]; m.DueMs != 5000 {
		t.Errorf("the probe was due at %d", m.DueMs)
	}
	for i, m := range take(t, s, tried).Messages {
		if m.DueMs != int64(1000+i) {
			t.Fatalf("message %d (%s) was due at %d", i, m.Body, m.DueMs)
		}
	}
}

func TestProbeIsRepeatedWithTheSameFetch(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "bad", "new")
	e.setAttempts(t, "bad", "1,1,0")
	s := e.session(t, Options{})
	b := takeProbe(t, s)
	f := s.ledger.find(b.Messages[0].Token)
	again := &fetch{nonce: f.nonce, key: f.key, number: f.number, probe: "probe"}
	b, _, err := s.takeUntilKnown(t.Context(), taking{f: again, n: 1})
	must(t, err)
	if !b.Repeated {
		t.Error("it took again")
	}
	wantBodies(t, b, "new")
	e.wantQueue(t, "bad")
}
