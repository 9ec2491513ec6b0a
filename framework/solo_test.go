package framework

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestSuspectWaitsForOthersAndKeepsThemOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSolo(time.Hour)
		if how := s.enter(nil, false); how != entered {
			t.Fatal(how)
		}
		suspect, other := make(chan entry, 1), make(chan entry, 1)
		go func() { suspect <- s.enter(nil, true) }()
		synctest.Wait()
		go func() { other <- s.enter(nil, false) }()
		synctest.Wait()
		if len(suspect)+len(other) != 0 {
			t.Fatal("started beside another one")
		}
		s.leave(false)
		if how := <-suspect; how != waited {
			t.Fatal(how)
		}
		synctest.Wait()
		if len(other) != 0 {
			t.Fatal("started beside a suspect")
		}
		s.leave(true)
		if how := <-other; how != waited {
			t.Fatal(how)
		}
	})
}

func TestSuspectLosesPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSolo(time.Minute)
		s.enter(nil, false) // and hangs
		start := time.Now()
		if how := s.enter(nil, true); how != impatient || time.Since(start) != time.Minute {
			t.Fatal(how, time.Since(start))
		}
		if how := s.enter(nil, false); how != entered {
			t.Fatal("others are kept out by a suspect that gave up")
		}
	})
}

func TestStopEndsAllWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSolo(time.Hour)
		s.enter(nil, false)
		stop := make(chan struct{})
		how := make(chan entry, 3)
		for _, alone := range []bool{true, true, false} {
			go func() { how <- s.enter(stop, alone) }()
			synctest.Wait()
		}
		close(stop)
		for range 3 {
			if got := <-how; got != refused {
				t.Fatal(got)
			}
		}
		s.leave(false)
		if got := s.enter(nil, true); got != entered {
			t.Fatal("not free again:", got)
		}
	})
}

func TestNothingRunsBesideASuspect(t *testing.T) {
	t.Parallel()
	s := newSolo(time.Hour)
	var running, suspects atomic.Int64
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(g), 1))
			for range 2000 {
				alone := rnd.IntN(20) == 0
				s.enter(nil, alone)
				n := running.Add(1)
				if alone {
					suspects.Add(1)
				}
				if n > 1 && suspects.Load() > 0 {
					t.Error("a suspect has company")
				}
				if alone {
					suspects.Add(-1)
				}
				running.Add(-1)
				s.leave(alone)
			}
		})
	}
	all.Wait()
}
