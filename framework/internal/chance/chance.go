// Package chance draws what spreads load, jitter of waits and retries, and names that must
// not meet: sessions, takes, tails of IDs. Nothing that must be secret comes from here. The
// simulator puts a seeded source in its place, so that a run can be repeated.
package chance

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// seeded is the source of a simulation; nil: the runtime's own.
var seeded atomic.Pointer[source]

// source draws by when and where it is asked, not by how often it was asked before: so a
// draw depends on no goroutine that drew at another moment.
type source struct {
	seed uint64

	mu    sync.Mutex
	at    int64          // the moment of the last draw
	drawn map[uint64]int // at that moment, by the hash of the callers
}

// Seed makes all draws of this process come from a seed, until the returned function is
// called. It is for a simulation, which has the process and its clock for itself.
func Seed(seed uint64) (end func()) {
	seeded.Store(&source{seed: seed, drawn: map[uint64]int{}})
	return func() { seeded.Store(nil) }
}

func (s *source) rand() *rand.Rand {
	var callers [8]uintptr
	h := fnv.New64a()
	for _, pc := range callers[:runtime.Callers(3, callers[:])] {
		_ = binary.Write(h, binary.LittleEndian, uint64(pc))
	}
	where, now := h.Sum64(), time.Now().UnixNano()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at != now {
		s.at = now
		clear(s.drawn)
	}
	s.drawn[where]++
	_ = binary.Write(h, binary.LittleEndian, []int64{now, int64(s.drawn[where])})
	return rand.New(rand.NewPCG(s.seed, h.Sum64())) // spreads load, keeps no secret
}

// Uint64N draws from 0 up to, not including, n, which must not be 0. It may be called by
// many goroutines.
func Uint64N(n uint64) uint64 {
	s := seeded.Load()
	if s == nil {
		return rand.Uint64N(n) // spreads load, keeps no secret
	}
	return s.rand().Uint64N(n)
}

// Below draws from 0 up to, not including, d; 0 where d is not positive.
func Below(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(Uint64N(uint64(d))) // below d
}

// Jitter draws from half of d up to d.
func Jitter(d time.Duration) time.Duration { return d/2 + Below(d/2+1) }

// Float64 draws from 0 up to, not including, 1.
func Float64() float64 { return float64(Uint64N(1<<53)) / (1 << 53) }

// Shuffle puts n elements into an order of chance; swap exchanges two of them.
func Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(Uint64N(uint64(i+1)))) // at most i
	}
}

// Hex returns 64 bits as 16 hex digits, for names that must not meet: a counter would name
// another fetch after a failover or a reap.
func Hex() string {
	var raw [8]byte
	if s := seeded.Load(); s != nil {
		binary.BigEndian.PutUint64(raw[:], s.rand().Uint64())
	} else {
		binary.BigEndian.PutUint64(raw[:], rand.Uint64()) // keeps no secret
	}
	return hex.EncodeToString(raw[:])
}
