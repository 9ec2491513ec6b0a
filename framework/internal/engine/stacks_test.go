package engine

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// parked runs n goroutines that wait below a function of their own, and returns the
// number of the one in the middle.
func parked(t *testing.T, n int) (id string) {
	t.Helper()
	release := make(chan struct{})
	var all, started sync.WaitGroup
	t.Cleanup(func() {
		close(release)
		all.Wait()
	})
	for i := range n {
		started.Add(1)
		all.Go(func() {
			if i == n/2 {
				id = goroutineID()
				waitsInTheMiddle(&started, release)
				return
			}
			waitsAmongMany(&started, release)
		})
	}
	started.Wait()
	return id
}

//go:noinline
func waitsInTheMiddle(started *sync.WaitGroup, release chan struct{}) {
	started.Done()
	<-release
}

//go:noinline
func waitsAmongMany(started *sync.WaitGroup, release chan struct{}) {
	started.Done()
	<-release
}

func TestTheStackOfTheRightGoroutineIsFoundAmongMany(t *testing.T) {
	t.Parallel()
	id := parked(t, 3000) // their stacks are larger than the first guess of a buffer
	var all dumpStacks
	got := all.Of(id)
	if !strings.HasPrefix(got, "goroutine "+id+" [") || !strings.Contains(got, "waitsInTheMiddle") || strings.Contains(got, "waitsAmongMany") {
		t.Fatalf("stack of goroutine %s:\n%s", id, got)
	}
	if strings.Count(got, "\ngoroutine ") != 0 {
		t.Fatalf("more than one goroutine:\n%s", got)
	}
	if before := &all.all[0]; all.Of(id[:1]) == got || &all.all[0] != before {
		t.Error("a second question made another dump, or got the answer of the first")
	}
}

func TestTheStackOfAGoroutineThatIsGone(t *testing.T) {
	t.Parallel()
	gone := make(chan string)
	go func() { gone <- goroutineID() }()
	var all dumpStacks
	id := <-gone
	for range 100 { // it may be about to end
		if got := all.Of(id); strings.Contains(got, "is not among") {
			return
		}
		all = dumpStacks{}
	}
	t.Error("found a goroutine that has ended")
}

func TestStacksInTheLogAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("goroutine 1 [chan receive]:\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "frame%d(0x1)\n\t/x.go:%d\n", i, i)
	}
	got := shortStack([]byte(b.String()))
	if len(got) > maxStack {
		t.Errorf("%d bytes, want at most %d", len(got), maxStack)
	}
	for _, want := range []string{"goroutine 1 [", "frame0(", "frame4999(", " bytes left out ...\nframe"} {
		if !strings.Contains(got, want) && !strings.Contains(got, strings.Replace(want, "\nframe", "\n\t", 1)) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
