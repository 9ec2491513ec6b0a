// Package weight bounds what decoded payloads take in this process at one time. Whoever
// decodes takes a part of the bound before, by what a payload may take at most, and gives
// it back when the value is not needed any more. Who finds too little left waits, in order.
package weight

import (
	"context"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs"
)

// Sizes of the bound of a process, in bytes.
const (
	defaultSize = 256 << 20
	leastSize   = 64 << 20
)

// Process returns the bound that all queues of this process share: a quarter of the memory
// limit of the Go runtime (GOMEMLIMIT) where one is set, of at least 64 MiB; else 256 MiB.
var Process = sync.OnceValue(func() *Bound {
	limit := debug.SetMemoryLimit(-1) // a negative one only asks
	if limit == math.MaxInt64 {
		return New(defaultSize)
	}
	return New(max(limit/4, leastSize))
})

// Bound is a number of bytes that several share. Make it with [New]; it is safe for
// concurrent use.
type Bound struct {
	size    int64
	used    atomic.Int64
	waiting atomic.Int64 // the length of queue

	mu    sync.Mutex
	queue []*waiter
}

type waiter struct {
	n       int64
	granted chan struct{}
}

// New returns a bound of so many bytes.
func New(size int64) *Bound { return &Bound{size: size} }

// Take takes n bytes, or all there are where n is more, and returns how many it took, for
// [Bound.Give]. It waits, behind those that wait already, until so many are left; when ctx
// ends before that it takes none. Where there is room and nobody waits it locks nothing.
func (b *Bound) Take(ctx context.Context, n int64) (taken int64) {
	n = min(n, b.size)
	if n <= 0 || b.waiting.Load() == 0 && b.fits(n) {
		return max(n, 0)
	}
	w := &waiter{n, make(chan struct{})}
	b.mu.Lock()
	b.queue = append(b.queue, w)
	b.waiting.Add(1)
	b.grant() // what was given before others could see w
	b.mu.Unlock()
	select {
	case <-w.granted:
		return n
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.Index(b.queue, w)
	if at < 0 {
		return n // granted meanwhile
	}
	b.queue = slices.Delete(b.queue, at, at+1)
	b.waiting.Add(-1)
	b.grant() // smaller ones may have waited behind it
	return 0
}

// fits takes n bytes if they are there.
func (b *Bound) fits(n int64) bool {
	for {
		used := b.used.Load()
		if used+n > b.size {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// grant lets go on who waits, in order, as far as there is room. Caller holds mu.
func (b *Bound) grant() {
	for len(b.queue) > 0 && b.fits(b.queue[0].n) {
		close(b.queue[0].granted)
		b.queue[0] = nil
		b.queue = b.queue[1:]
		b.waiting.Add(-1)
	}
}

// Give gives back n bytes that were taken.
func (b *Bound) Give(n int64) {
	if n <= 0 {
		return
	}
	b.used.Add(-n)
	if b.waiting.Load() > 0 {
		b.mu.Lock()
		b.grant()
		b.mu.Unlock()
	}
}

// Size returns how many bytes there are.
func (b *Bound) Size() int64 { return b.size }

// Used returns how many bytes are taken.
func (b *Bound) Used() int64 { return b.used.Load() }

// OfPayload is [codecs.Weight] of a codec that may be anybody's: one that panics has the
// weight of the bytes.
func OfPayload(c codecs.Codec, payload []byte) (n int64) {
	defer func() {
		if recover() != nil {
			n = int64(len(payload))
		}
	}()
	return codecs.Weight(c, payload)
}
