package engine

import (
	"testing"
	"testing/synctest"
	"time"
)

type fakeWaiter struct {
	got     time.Time
	unseats int
}

func (q *fakeWaiter) LastGot() time.Time { return q.got }
func (q *fakeWaiter) Unseat()            { q.unseats++ }

// The first queues have the seats; then one that gets messages takes the seat of the one
// that has gone without for longest, and not often.
func TestSeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := newWaiters[*fakeWaiter](2)
		rs := make([]*fakeWaiter, 4)
		for i := range rs {
			rs[i] = &fakeWaiter{}
		}
		gets := func(i int) bool {
			rs[i].got = time.Now()
			return all.Claim(rs[i], true)
		}
		want := func(what string, got, want bool) {
			t.Helper()
			if got != want {
				t.Errorf("%s: seat %v, want %v", what, got, want)
			}
		}
		want("the first", all.Claim(rs[0], false), true)
		want("the second", all.Claim(rs[1], false), true)
		want("the third", all.Claim(rs[2], false), false)
		want("the third with a message", gets(2), false)  // it may be the only one for long
		want("the third with another one", gets(2), true) // nobody else ever had any
		<-time.After(waiterPace)
		gets(3)
		want("the fourth", gets(3), true)
		<-time.After(waiterPace)
		gets(0)
		want("the first again", gets(0), false) // the others got messages a moment ago
		<-time.After(waiterKept)
		want("the first after a while", gets(0), false)
		want("the first with more", gets(0), true)
		gets(1)
		want("the second right after that", gets(1), false)
		if n := rs[0].unseats + rs[1].unseats + rs[2].unseats; n != 3 {
			t.Errorf("%d queues were told that they have lost their seats, want 3", n)
		}
	})
}
