package lease

import "testing"

// What is settled is not held any more, though its fetch is open; what a blocking move
// staged is held.
func TestHeldBy(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	if held, err := HeldBy(t.Context(), e.rdb, e.keys); err != nil || len(held) != 0 {
		t.Fatalf("nobody: %v %v", held, err)
	}
	s := e.session(t, Options{})
	e.push(t, numbered(40)...)
	b := take(t, s, 20)
	take(t, s, 10)
	_, err := s.Ack(t.Context(), tokens(b)[3:5])
	must(t, err)
	_, err = s.Release(t.Context(), []Released{{Token: b.Messages[0].Token}})
	must(t, err)
	must(t, e.rdb.RPush(t.Context(), s.stage, "staged").Err())
	held, err := HeldBy(t.Context(), e.rdb, e.keys)
	must(t, err)
	if len(held) != 1 || held[0].Session != s.ID() || held[0].Messages != 28 {
		t.Fatalf("held %+v, want 28 messages", held)
	}
	score, err := e.rdb.ZScore(t.Context(), e.keys.Sessions, s.ID()).Result()
	if at := int64(score); err != nil || at != held[0].DeadlineMs || held[0].Ended(at-1) || !held[0].Ended(at) {
		t.Errorf("deadline %d %v of %+v", at, err, held[0])
	}
}
