package engine

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// inWindows runs a test in virtual time with two queues.
func inWindows(t *testing.T, patience time.Duration, test func(t *testing.T, s *suspectWindows, one, two *suspectQueue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		defer close(end)
		s := newSuspectWindows(nil, patience, end)
		test(t, s, s.Queue(), s.Queue())
	})
}

// asks calls enter or enterAlone in another goroutine.
func asks(stop <-chan struct{}, enter func(<-chan struct{}) entry) <-chan entry {
	answer := make(chan entry, 1)
	go func() { answer <- enter(stop) }()
	synctest.Wait()
	return answer
}

func TestSuspectWaitsForOthersAndKeepsThemOut(t *testing.T) {
	t.Parallel()
	inWindows(t, time.Hour, func(t *testing.T, _ *suspectWindows, one, two *suspectQueue) {
		if how := one.Enter(nil); how != entered {
			t.Fatal(how)
		}
		suspect := asks(nil, two.EnterAlone)
		other := asks(nil, one.Enter)
		if len(suspect)+len(other) != 0 {
			t.Fatal("started beside another one")
		}
		one.Leave()
		if how := <-suspect; how != waited {
			t.Fatal(how)
		}
		synctest.Wait()
		if len(other) != 0 {
			t.Fatal("started beside a suspect")
		}
		one.LeaveAlone()
		if how := <-other; how != waited {
			t.Fatal(how)
		}
	})
}

// While a suspect waits for a slow handler, only that one's queue is held.
func TestOthersGoOnWhileASuspectWaitsForASlowHandler(t *testing.T) {
	t.Parallel()
	inWindows(t, time.Hour, func(t *testing.T, s *suspectWindows, slow, fast *suspectQueue) {
		slow.Enter(nil)
		suspect := asks(nil, fast.EnterAlone)
		start := time.Now()
		if fast.Enter(nil); time.Since(start) > holdAtOnce {
			t.Fatalf("held for %v", time.Since(start))
		}
		fast.Leave()
		another := asks(nil, slow.Enter)
		pass(time.Minute)
		if fast.Enter(nil) != entered || len(suspect) != 0 || fast.Stalled() {
			t.Fatal("the wrong queue is held")
		}
		if how := <-another; how != enterLater || !slow.Stalled() {
			t.Fatalf("what is held for long waits in this process: %v", how)
		}
		slow.Leave() // now only a fast one runs
		pass(10 * time.Millisecond)
		if len(suspect) != 0 {
			t.Fatal("a suspect has company")
		}
		fast.Leave()
		if how := <-suspect; how != waited {
			t.Fatal(how)
		}
		s.leaveAlone()
		if slow.enterAgain(nil) == refused {
			t.Fatal("held for ever")
		}
	})
}

// enterAgain is enter for a message that is taken again when nothing is held any more.
func (q *suspectQueue) enterAgain(stop <-chan struct{}) entry {
	for {
		how := q.Enter(stop)
		if how != enterLater {
			return how
		}
		for windows := q.Watch(); q.Stalled(); windows = q.Watch() {
			select {
			case <-windows:
			case <-stop:
				return refused
			}
		}
	}
}

func TestSuspectsShareOneWindow(t *testing.T) {
	t.Parallel()
	inWindows(t, time.Hour, func(t *testing.T, s *suspectWindows, one, _ *suspectQueue) {
		start := time.Now()
		for range 100 {
			if how := one.EnterAlone(nil); how != waited {
				t.Fatal(how)
			}
			pass(10 * time.Millisecond)
			s.leaveAlone()
			pass(linger / 2) // while the next one is fetched
		}
		if took := time.Since(start); took > windowMost {
			t.Fatalf("took %v", took)
		}
	})
}

// A window is followed by a rest of four times its length; a suspect that comes long
// before its end is told to come later.
func TestWindowsHaveAFifthOfTheTime(t *testing.T) {
	t.Parallel()
	inWindows(t, time.Hour, func(t *testing.T, s *suspectWindows, one, two *suspectQueue) {
		one.EnterAlone(nil)
		pass(10 * time.Second)
		s.leaveAlone()
		if how := two.Enter(nil); how != waited && how != entered {
			t.Fatal(how)
		}
		two.Leave()
		start := time.Now()
		if how := one.EnterAlone(nil); how != enterLater || time.Since(start) != 0 {
			t.Fatal(how, time.Since(start))
		}
		if d := one.Postponement(); d < 39*time.Second || d > 41*time.Second {
			t.Fatalf("postponed for %v", d)
		}
		pass(one.Postponement() - waitMost/2)
		if how := one.EnterAlone(nil); how != waited || time.Since(start) < 39*time.Second {
			t.Fatal(how, time.Since(start))
		}
		s.leaveAlone()
	})
}

func TestSuspectLosesPatience(t *testing.T) {
	t.Parallel()
	inWindows(t, time.Minute, func(t *testing.T, s *suspectWindows, one, two *suspectQueue) {
		one.Enter(nil) // and hangs
		start := time.Now()
		if how := two.EnterAlone(nil); how != enterLater || time.Since(start) != time.Minute {
			t.Fatal(how, time.Since(start))
		}
		for _, l := range s.queues {
			if how := l.Enter(nil); how != entered {
				t.Fatal("others are kept out by a suspect that gave up")
			}
		}
	})
}

func TestStopEndsAllWaiting(t *testing.T) {
	t.Parallel()
	inWindows(t, time.Hour, func(t *testing.T, s *suspectWindows, one, two *suspectQueue) {
		one.Enter(nil)
		stop := make(chan struct{})
		answers := []<-chan entry{asks(stop, one.EnterAlone), asks(stop, two.EnterAlone), asks(stop, one.Enter)}
		pass(waitMost / 2)
		close(stop)
		for _, a := range answers {
			if got := <-a; got != refused {
				t.Fatal(got)
			}
		}
		one.Leave()
		pass(restPerWindow * 2 * time.Second)
		if got := two.EnterAlone(nil); got != waited {
			t.Fatal("not free again:", got)
		}
		s.leaveAlone()
		if got := one.Enter(nil); got == refused {
			t.Fatal("not free again")
		}
	})
}

// visitor is what a property test does with a queue.
type visitor struct {
	queue   int
	alone   bool
	pause   time.Duration // before it asks
	runs    time.Duration
	turns   int
	stopsIn time.Duration // zero: it does not stop
}

// company watches over who runs at a time.
type company struct {
	mu               sync.Mutex
	others, suspects int
	broken           string
	began, put       atomic.Int64 // suspects that ran, and that were put off
}

func (c *company) change(alone bool, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if alone {
		c.suspects += by
	} else {
		c.others += by
	}
	if c.suspects > 1 || c.suspects == 1 && c.others > 0 {
		c.broken = fmt.Sprintf("%d suspects beside %d others", c.suspects, c.others)
	}
}

// TestWindowsKeepTheirRules: whatever comes and goes, a suspect runs alone, nobody waits for
// ever, nothing is left behind, and a queue of short handlers keeps four fifths of its
// time. A wake-up that is lost ends the bubble.
func TestWindowsKeepTheirRules(t *testing.T) {
	t.Parallel()
	const queues, patience, longest = 3, 5 * time.Second, 3 * time.Second
	length := rapid.Custom(func(rt *rapid.T) time.Duration {
		most := rapid.SampledFrom([]time.Duration{time.Millisecond, 100 * time.Millisecond, longest}).Draw(rt, "scale")
		return time.Duration(rapid.Int64Range(0, int64(most)).Draw(rt, "length"))
	})
	one := rapid.Custom(func(rt *rapid.T) visitor {
		v := visitor{
			queue: rapid.IntRange(0, queues-1).Draw(rt, "queue"), alone: rapid.IntRange(0, 2).Draw(rt, "kind") == 0,
			pause: length.Draw(rt, "pause"), runs: length.Draw(rt, "runs"), turns: rapid.IntRange(1, 4).Draw(rt, "turns"),
		}
		if rapid.IntRange(0, 3).Draw(rt, "stops") == 0 {
			v.stopsIn = 1 + length.Draw(rt, "stops in")
		}
		return v
	})
	rapid.Check(t, func(rt *rapid.T) {
		visitors := rapid.SliceOfN(one, 1, 10).Draw(rt, "visitors")
		var broken string
		synctest.Test(t, func(*testing.T) { broken = visit(visitors, queues, patience) })
		if broken != "" {
			rt.Fatal(broken)
		}
	})
}

// steadyTime is how long a short handler takes, and how long it is idle then.
const steadyTime = holdAtOnce / 2

func visit(visitors []visitor, queues int, patience time.Duration) string {
	s, c := newSuspectWindows(nil, patience, nil), &company{}
	for range queues + 1 {
		s.Queue()
	}
	var all sync.WaitGroup
	for _, v := range visitors {
		all.Go(func() { v.visit(s, c) })
	}
	// A queue of its own with short handlers.
	over, starts := make(chan struct{}), 0
	var steady sync.WaitGroup
	start, short := time.Now(), s.queues[queues]
	steady.Go(func() {
		for ; ; starts++ {
			select {
			case <-over:
				return
			default:
			}
			short.enterAgain(nil)
			c.change(false, 1)
			pass(steadyTime)
			c.change(false, -1)
			short.Leave()
			pass(steadyTime)
		}
	})
	all.Wait()
	pass(2 * linger) // the window ends
	s.mu.Lock()
	left := time.Until(s.next) // a stretch counts with the rest after its last window
	s.mu.Unlock()
	pass(max(left, 0))
	close(over)
	steady.Wait()
	took := time.Since(start)
	pass(time.Minute)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case c.broken != "":
		return c.broken
	case s.arranging || s.alone || len(s.waiting) > 0 || s.hold.Load() != holdNone || c.suspects+c.others > 0:
		return "something is left behind"
	case time.Duration(starts)*2*steadyTime < took*4/5-linger-2*steadyTime:
		return fmt.Sprintf("the steady queue had %v of %v", time.Duration(starts)*2*steadyTime, took)
	}
	for _, l := range s.queues {
		if l.running.Load() != 0 || l.slow.Load() {
			return "a queue is left behind"
		}
	}
	return ""
}

func (v visitor) visit(s *suspectWindows, c *company) {
	stop := make(chan struct{})
	if v.stopsIn > 0 {
		time.AfterFunc(v.stopsIn, func() { close(stop) })
	}
	l := s.queues[v.queue]
	for range v.turns {
		pass(v.pause)
		how := l.ask(v.alone, stop)
		for how == enterLater { // bounded: each window lets one suspect run at least
			c.put.Add(1)
			pass(l.Postponement())
			how = l.ask(v.alone, stop)
		}
		if how == refused {
			return
		}
		c.change(v.alone, 1)
		pass(v.runs)
		c.change(v.alone, -1)
		if v.alone {
			c.began.Add(1)
			s.leaveAlone()
		} else {
			l.Leave()
		}
	}
}

func (q *suspectQueue) ask(alone bool, stop <-chan struct{}) entry {
	if alone {
		return q.EnterAlone(stop)
	}
	return q.enterAgain(stop)
}

// The same in real time, for the race detector.
func TestNothingRunsBesideASuspect(t *testing.T) {
	t.Parallel()
	s, c := newSuspectWindows(nil, time.Hour, t.Context().Done()), &company{}
	for range 4 {
		s.Queue()
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			l, alone := s.queues[g/2], g == 0
			for range 2000 {
				if alone && c.began.Load() == 200 || l.ask(alone, nil) == enterLater {
					return
				}
				c.change(alone, 1)
				c.change(alone, -1)
				if alone {
					c.began.Add(1)
					s.leaveAlone()
				} else {
					l.Leave()
				}
			}
		})
	}
	all.Wait()
	if c.broken != "" {
		t.Error(c.broken)
	}
}
