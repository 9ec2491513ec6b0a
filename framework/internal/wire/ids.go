package wire

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
)

// An id of 56 bits is a tick of 100 µs since the year 2000 (45 bits, until 2111)
// and a tail (11 bits) that tells processes apart.
const (
	tailBits = 11
	tick     = 100 * time.Microsecond
)

var idEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Tick returns the tick of ids that are made at t.
func Tick(t time.Time) uint64 { return uint64(max(t.Sub(idEpoch), 0) / tick) }

// RandomTail draws from the per-process seeded source: tails must differ
// between processes, they need not be secret.
func RandomTail() uint64 { return chance.Uint64N(1 << tailBits) }

// IDs makes the ids of universal elements. They grow with every call, so that
// Redis, which breaks ties of the score by the bytes of the member, keeps
// messages that are due in the same millisecond in the order of their offers;
// ids of a later process are larger too. A process that makes more than 10,000
// ids per second for long runs ahead of the clock, which costs only that order
// beside other processes. Safe for concurrent use.
type IDs struct {
	now  func() time.Time
	mu   sync.Mutex
	last uint64 // tick of the id made last
	tail uint64
}

// NewIDs returns a generator with a random tail.
func NewIDs() *IDs { return IDsAt(time.Now, RandomTail()) }

// IDsAt returns a generator with this clock and tail, for tests that foresee its ids.
func IDsAt(now func() time.Time, tail uint64) *IDs { return &IDs{now: now, tail: tail} }

// ProcessIDs is the one generator of this process: order holds across clients.
var ProcessIDs = NewIDs()

// Restart makes it begin anew. It is for a simulation, in which time does.
func (g *IDs) Restart() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last, g.tail = 0, RandomTail()
}

// Next returns a new id, larger than all this generator made before.
func (g *IDs) Next() ElementID {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last+1, Tick(g.now()))
	var id ElementID
	binary.BigEndian.PutUint64(id.Raw[:], g.last<<tailBits|g.tail)
	id.Kind, id.Raw[0] = KindFirst, universalLength
	return id
}

// Collided draws another tail, after Redis reported that an id was taken:
// some other process uses the same one.
func (g *IDs) Collided() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tail = RandomTail()
}
