package engine

import (
	"math/rand/v2"
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

// The first queues have the seats; then those that got messages last. A seat changes hands only
// when its queue has gone without for a while: a connection is closed each time, and one opened.
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
		want("the third without messages", all.Claim(rs[2], false), false)
		want("the second with a message", gets(1), true)
		want("the third with a message", gets(2), true) // the first never had any
		want("the fourth", gets(3), false)
		<-time.After(waiterKept / 2)
		want("the third with another one", gets(2), true)
		want("the fourth with another one", gets(3), false)
		<-time.After(waiterKept / 2)
		want("the fourth after a while", gets(3), true) // the second has gone without
		want("the second again", gets(1), false)
		unseats := 0
		for _, r := range rs {
			unseats += r.unseats
		}
		if unseats != 2 || rs[0].unseats != 1 || rs[1].unseats != 1 {
			t.Errorf("%d queues were told that they have lost their seats, want the first and the second", unseats)
		}
	})
}

// Whatever queues get messages, connections that are closed and opened stay few: each seat changes
// hands once in a while at most.
func TestSeatsStay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const seats, queues = 4, 20
		all := newWaiters[*fakeWaiter](seats)
		rs := make([]*fakeWaiter, queues)
		for i := range rs {
			rs[i] = &fakeWaiter{}
			all.Claim(rs[i], false)
		}
		began := time.Now()
		for time.Since(began) < 10*waiterKept {
			r := rs[rand.IntN(queues)]
			r.got = time.Now()
			all.Claim(r, true)
			<-time.After(waiterKept / 50)
		}
		unseats := 0
		for _, r := range rs {
			unseats += r.unseats
		}
		if most := 11 * seats; unseats == 0 || unseats > most {
			t.Errorf("%d seats have changed hands, want some and %d at most", unseats, most)
		}
	})
}
