package lease

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// What the ledger of a healthy process would never send.
func TestScriptsGuardThemselves(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b")
	b := take(t, s, 2)
	_, err := s.Ack(t.Context(), tokens(b)[:1])
	must(t, err)
	list := e.keys.Inflight(s.ID(), b.Messages[0].Token.Nonce)

	reply, err := releaseScript.Run(t.Context(), e.rdb, append(s.releaseKeys(), list), "0", 1<<20, "0,1,2,3")
	must(t, err)
	if words, _ := texts(releaseScript, reply, 0); strings.Join(words, " ") != "1 3 0 0 0 0" {
		t.Fatalf("release of header, acked, held and none: %v", reply)
	}
	e.wantQueue(t, "b")

	wantBodies(t, take(t, s, 1), "b")
	keys := []string{
		e.keys.Queue, e.keys.Sessions, s.stage, s.fetches, e.keys.Attempts, e.keys.Due, e.keys.Trace, e.keys.Dead,
		e.keys.MessageNames, e.keys.IDs, e.keys.Leases, list,
	}
	reply, err = handbackScript.Run(t.Context(), e.rdb, keys, s.ID(), "close")
	must(t, err)
	if words, _ := texts(handbackScript, reply, 0); words[0] != "again" {
		t.Fatalf("handback without one of the lists: %v", reply)
	}
	e.wantQueue(t)

	reply, err = nackScript.Run(t.Context(), e.rdb, []string{
		list, e.keys.Timeout, e.keys.Pending, e.keys.Channel, e.keys.Attempts, e.keys.Trace, e.keys.Dead,
		e.keys.MessageNames, e.keys.IDs,
	}, 0, 1, 1, 0, "\a1234567", "", "", "", 0)
	must(t, err)
	if words, _ := texts(nackScript, reply, 0); words[0] != "gone" {
		t.Fatalf("nack of the header: %v", reply)
	}
}

// An id that another element has already makes the nack draw a new one.
func TestNackNeverJoinsAnotherElement(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "a")
	for i := range 2 { // of Java's layout: they get a new id
		e.due(t, "a", wire.DueRecord{ID: wire.ElementID{Kind: wire.KindJava, Raw: [8]byte{byte(i)}}, DueMs: 1})
	}
	b := take(t, s, 2)
	list := e.keys.Inflight(s.ID(), b.Messages[0].Token.Nonce)
	nack := func(index int) string {
		reply, err := nackScript.Run(t.Context(), e.rdb, []string{
			list, e.keys.Timeout, e.keys.Pending, e.keys.Channel, e.keys.Attempts, e.keys.Trace, e.keys.Dead,
			e.keys.MessageNames, e.keys.IDs,
		}, index, 0, 0, 1000, "\a1234567", "", "", "", 0, 0, 0)
		must(t, err)
		words, err := texts(nackScript, reply, 0)
		must(t, err)
		return words[0]
	}
	if first, second := nack(1), nack(2); first != "retried" || second != "taken" {
		t.Fatalf("%s, then %s", first, second)
	}
	r, err := s.Nack(t.Context(), b.Messages[1].Token, NackArgs{})
	if must(t, err); r.Outcome != Retried {
		t.Fatalf("nack %+v", r)
	}
	if n := e.rdb.ZCard(t.Context(), e.keys.Timeout).Val(); n != 2 {
		t.Fatalf("%d elements are pending", n)
	}
}

func TestScriptsAvoidWhatServersLack(t *testing.T) {
	t.Parallel()
	for _, sc := range Scripts() {
		for _, word := range []string{"struct.", "bit.", "cmsgpack.", "cjson.", "math.random"} {
			if strings.Contains(sc.Source(), word) {
				t.Errorf("%s uses %s", sc.Name(), word)
			}
		}
		if !strings.Contains(sc.Source(), "-- KEYS:") || !strings.Contains(sc.Source(), "-- Reply") {
			t.Errorf("%s has no header", sc.Name())
		}
	}
}
