package lease

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/script"
)

// fill pushes a body onto a queue, and counts how often it did.
var fill = script.New("fill", `redis.call('RPUSH', KEYS[1], ARGV[1]) return redis.call('LLEN', KEYS[1])`)

// before lets a script run ahead of what sends it, by an offer. It reports whether it did.
func before(t *testing.T, e *env, behind func(*script.Ahead)) (sent bool, err error) {
	t.Helper()
	must(t, e.rdb.ScriptLoad(t.Context(), fill.Source()).Err())
	offer, done := make(script.Offer, 1), make(chan struct{})
	go func() {
		defer close(done)
		behind(<-offer)
	}()
	via := offer.Before(e.rdb)
	_, err = fill.Run(t.Context(), via, []string{e.keys.Queue}, "moved")
	<-done
	return via.Sent(), err
}

// What a script ahead of a take makes ready comes with that take.
func TestTakeBehind(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a")
	held := take(t, s, 1)
	var b Batch
	sent, err := before(t, e, func(a *script.Ahead) {
		var err error
		if b, err = s.TakeBehind(t.Context(), a, 5, tokens(held)); err != nil {
			t.Error(err)
		}
	})
	if !sent || err != nil {
		t.Errorf("sent ahead: %v, %v", sent, err)
	}
	wantBodies(t, b, "moved")
	e.wantKeys(t, "sessions", "fetches", "inflight")
}

// A take that sends nothing leaves the script to who offered it.
func TestTakeBehindThatSendsNothing(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	closed := e.session(t, Options{})
	if _, err := closed.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		s    *Session
		n    int
		fine bool
	}{"a closed session": {closed, 5, false}, "acks alone": {e.session(t, Options{}), 0, true}} {
		e.clear(t)
		sent, err := before(t, e, func(a *script.Ahead) {
			if _, err := c.s.TakeBehind(t.Context(), a, c.n, nil); (err == nil) != c.fine {
				t.Errorf("%s: %v", name, err)
			}
		})
		if sent || err != nil {
			t.Errorf("%s: sent ahead: %v, %v", name, sent, err)
		}
		e.wantQueue(t, "moved")
	}
}

// A lost reply is asked for again; the script ahead of it is not sent again.
func TestTakeBehindIsRepeatedAlone(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	c, d := e.dropping(t, "evalsha")
	s := e.sessionOver(t, c, e.rdb, Options{})
	must(t, e.rdb.ScriptLoad(t.Context(), takeScript.Source()).Err())
	d.drops.Store(2)
	var b Batch
	sent, err := before(t, e, func(a *script.Ahead) {
		var err error
		if b, err = s.TakeBehind(t.Context(), a, 5, nil); err != nil {
			t.Error(err)
		}
	})
	if !sent || err == nil {
		t.Errorf("sent ahead: %v, %v", sent, err)
	}
	wantBodies(t, b, "moved")
	if !b.Repeated {
		t.Error("it is not a repeated one")
	}
	e.wantQueue(t)
}

// A script that Redis does not hold runs by its source, whichever of the two it is.
func TestTakeBehindAfterScriptFlush(t *testing.T) {
	t.Parallel()
	e, _ := own(t)
	s := e.session(t, Options{})
	var b Batch
	sent, err := before(t, e, func(a *script.Ahead) {
		must(t, e.rdb.ScriptFlush(t.Context()).Err())
		var err error
		if b, err = s.TakeBehind(t.Context(), a, 5, nil); err != nil {
			t.Error(err)
		}
	})
	if sent || err != nil {
		t.Errorf("sent ahead, though Redis does not hold it: %v, %v", sent, err)
	}
	if len(b.Messages) == 0 { // both run by their sources then, in either order
		b = take(t, s, 5)
	}
	wantBodies(t, b, "moved")
}
