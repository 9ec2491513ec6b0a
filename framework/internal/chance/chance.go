// Package chance draws what spreads load: jitter of waits and retries, tails of IDs. Nothing
// that must be secret comes from here. The simulator puts a seeded source in its place, so
// that a run can be repeated.
package chance

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// seeded is the source of a simulation; nil: the runtime's own.
var seeded atomic.Pointer[source]

type source struct {
	mu   sync.Mutex
	rand *rand.Rand
}

// Seed makes all draws of this process come from a seed, until the returned function is
// called. It is for tests that have the process for themselves.
func Seed(seed uint64) (end func()) {
	seeded.Store(&source{rand: rand.New(rand.NewPCG(seed, 0))}) //nolint:gosec // spreads load, keeps no secret
	return func() { seeded.Store(nil) }
}

// Uint64N draws from 0 up to, not including, n, which must not be 0. It may be called by
// many goroutines.
func Uint64N(n uint64) uint64 {
	s := seeded.Load()
	if s == nil {
		return rand.Uint64N(n) //nolint:gosec // spreads load, keeps no secret
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rand.Uint64N(n)
}

// Below draws from 0 up to, not including, d; 0 where d is not positive.
func Below(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(Uint64N(uint64(d))) //nolint:gosec // below d
}

// Float64 draws from 0 up to, not including, 1.
func Float64() float64 { return float64(Uint64N(1<<53)) / (1 << 53) }

// Shuffle puts n elements into an order of chance; swap exchanges two of them.
func Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(Uint64N(uint64(i+1)))) //nolint:gosec // at most i
	}
}
