package framework

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// checkPartitions checks the names of all partitions: a name mapping may spoil them, or
// give one to two queues, and another queue may have the name of a partition.
func checkPartitions(c *Client, ds []registry.Descriptor) (errs []error) {
	owner := map[string]registry.Descriptor{}
	for _, d := range ds {
		owner[c.names.To(d.Key())] = d
	}
	for _, d := range ds {
		slots := map[int]bool{wire.Slot(c.names.To(d.Key())): true}
		n := d.Policy().AllPartitions()
		for i := 1; i < n; i++ {
			name := c.names.To(wire.PartitionName(d.Key(), i))
			slots[wire.Slot(name)] = true
			if first := owner[name]; first != nil {
				errs = append(errs, &registry.DuplicateKeyError{
					Key: name, FirstCode: first.Code(), SecondCode: d.Code(), First: first.Declared(), Second: d.Declared(),
				})
				break
			}
			owner[name] = d
			if err := wire.CheckName(name); err != nil {
				errs = append(errs, &fault.SlotWarning{Code: d.Code(), Declared: d.Declared(), Err: err})
				break
			}
		}
		if n > 1 && len(slots) == 1 && c.cluster {
			c.log.Warn("the name mapping puts all partitions of this queue into one slot: they share no load", "queue", d.Code(), "partitions", n, "declared", d.Declared())
		}
	}
	return errs
}

// spread is a queue as a client offers to it: all partitions of it. Of most queues that is
// one.
type spread struct {
	delayed.Declared
	parts   []*target   // those of both numbers
	keys    []wire.Keys // of parts
	turn    atomic.Uint32
	agreed  atomic.Bool  // the number was compared with that of others
	counted sync.Once    // the counters of offers and changes have begun
	lookAt  atomic.Int64 // when keys are looked at again, in ns of the clock
	expires atomic.Pointer[expiring]
	foreign foreignGuard
}

// place returns the partition of an offer: that of its key, the next in turn without one.
// While the number of partitions changes, a key stays where an earlier message holds it.
func (s *spread) place(ctx context.Context, c *Client, key string) (*target, error) {
	if len(s.parts) == 1 {
		return s.parts[0], nil
	}
	if key == "" {
		return s.next(), nil
	}
	home, other := s.homes(key)
	if other != home {
		taken, err := delayed.KeyTaken(ctx, c.rdb, other.Keys, key)
		if err != nil {
			return nil, &fault.QueueError{Queue: s.Code, Err: err}
		}
		if taken {
			return other, nil
		}
	}
	return home, nil
}

// next returns the partition in turn. It passes over those that failed a moment ago: of a node
// that hangs each offer would wait for its timeout. Where all have failed, none is passed over.
func (s *spread) next() *target {
	n := uint32(s.N)
	turn := s.turn.Add(1)
	for i := range n {
		if t := s.parts[(turn+i)%n]; t.rest.over() {
			if i > 0 {
				s.turn.Add(i)
			}
			return t
		}
	}
	return s.parts[turn%n]
}

const (
	// restFirst is for how long offers pass over a partition that has failed; each time that it
	// fails again twice as long, up to restMost.
	restFirst = time.Second
	restMost  = 30 * time.Second
	// tryFor is for how long they do so while one of them tries it.
	tryFor = 5 * time.Second
)

// rest is that of a partition that has failed: nothing without a key is offered there for a
// while, then one offer tries it. The zero value is of one that works. Safe for concurrent use.
type rest struct {
	on     atomic.Bool // the others have a meaning
	mu     sync.Mutex
	until  time.Time
	pause  time.Duration
	trying bool
}

// over reports whether an offer may go there.
func (r *rest) over() bool {
	if !r.on.Load() {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if !r.on.Load() || now.Before(r.until) {
		return !r.on.Load()
	}
	r.until, r.trying = now.Add(tryFor), true
	return true
}

// after takes the result of an offer. Offers that were under way when the first one failed say
// no more than that one.
func (r *rest) after(err error) {
	failed := isUnknown(err) || rediserr.MayPass(err)
	if err == nil && !r.on.Load() || err != nil && !failed {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !failed:
		r.pause = 0
	case !r.on.Load() || r.trying:
		r.pause = min(max(2*r.pause, restFirst), restMost)
		r.until = time.Now().Add(r.pause)
	default:
		return
	}
	r.trying = false
	r.on.Store(failed)
}

// homes returns the partition of a key, and the one that it has by the other number of
// partitions, the same where that is no other.
func (s *spread) homes(key string) (home, other *target) {
	home = s.parts[wire.PartitionOf(key, s.N)]
	if s.Other == 0 {
		return home, home
	}
	return home, s.parts[wire.PartitionOf(key, s.Other)]
}

// onKey makes a change of the message of a key. While the number of partitions changes it
// looks in the other partition for what is nowhere in the first.
func (s *spread) onKey(key string, change func(t *target) error) error {
	home, other := s.homes(key)
	err := change(home)
	if other == home || !nowhere(err) {
		return err
	}
	if again := change(other); !nowhere(again) {
		return again
	}
	return err
}

// nowhere reports whether a change found no message that is still there.
func nowhere(err error) bool {
	var gone *fault.NotPendingError
	return errors.As(err, &gone) && (gone.Where == fault.WhereUnknown || gone.Where == fault.WhereCut || gone.Where == fault.WhereHandled)
}

// look compares the number of partitions with what other processes have noted, before the
// first offer. Then, and once a minute, it looks whether Redis is going to delete keys of the
// queue: in the same trip. A user who may not ask goes on, with a warning where there are
// several partitions. Of one partition, whose number every process can serve, what else is wrong
// is for the offer to say.
func (s *spread) look(ctx context.Context, c *Client, t *target) error {
	now, next := time.Now(), s.lookAt.Load()
	again := now.UnixNano() >= next && s.lookAt.CompareAndSwap(next, now.Add(delayed.ExpiryEvery).UnixNano())
	if !again && (len(s.parts) == 1 || s.agreed.Load()) {
		return nil
	}
	calls := []script.Call{delayed.ExpiryCall(t.Keys)} // of one partition: others may be on a node that hangs
	if !s.agreed.Load() {
		calls = append(calls, delayed.AgreeCall(s.Declared))
	}
	replies := script.RunAll(ctx, c.rdb, calls)
	s.noteExpiry(ctx, c, t, replies[0])
	if len(calls) == 1 {
		return nil
	}
	err := delayed.Agreed(s.Declared, replies[1])
	if _, differ := errors.AsType[*fault.PartitionsError](err); differ {
		s.lookAt.Store(0) // the next offer asks again
		return err
	}
	if delayed.MayNotCompare(err) {
		if !s.agreed.Swap(true) && len(s.parts) > 1 {
			c.log.WarnContext(ctx, "the number of partitions could not be compared with that of other processes", "queue", s.Code, "partitions", s.N, "err", err)
		}
		return nil
	}
	if err == nil {
		s.agreed.Store(true)
	}
	if len(s.parts) == 1 {
		return nil
	}
	return err
}

// expiring are keys of a queue, by partition, that Redis is going to delete, as of the last look.
type expiring struct{ keys map[int]delayed.Expiring }

// noteExpiry keeps what a look at a partition has found, and warns of keys that are new.
func (s *spread) noteExpiry(ctx context.Context, c *Client, t *target, reply script.Reply) {
	found, err := delayed.ExpiryOf(t.Keys, reply)
	if err != nil {
		return // the offer says what is wrong
	}
	now := &expiring{keys: map[int]delayed.Expiring{}}
	if before := s.expires.Load(); before != nil {
		maps.Copy(now.keys, before.keys)
	}
	told := now.keys[t.Keys.Partition].Names()
	now.keys[t.Keys.Partition] = found
	s.expires.Store(now)
	if len(found.Keys) > 0 && found.Names() != told {
		delayed.WarnExpiring(ctx, c.log, s.Code, found)
	}
}

// outlasts returns a [*fault.ExpiryError] where Redis deletes the pending messages of a partition
// before a message is due that is offered now. It asks Redis only where the last look says so.
func (s *spread) outlasts(ctx context.Context, c *Client, t *target, delay time.Duration) error {
	e := s.expires.Load()
	if e == nil || len(e.keys[t.Keys.Partition].Keys) == 0 {
		return nil
	}
	found, err := delayed.LookExpiry(ctx, c.rdb, t.Keys)
	if err != nil {
		return nil //nolint:nilerr // the offer says what is wrong
	}
	if key, ends := found.Due(delay); ends {
		return &fault.ExpiryError{Queue: s.Code, Key: key.Name, Left: key.Left}
	}
	return nil
}

// of returns the target of a message's partition.
func (s *spread) of(id ID, partition int) (*target, error) {
	if partition >= len(s.parts) {
		return nil, &fault.IDError{Text: string(id), Reason: fmt.Sprintf("the message is in partition %d, but queue %q declares registry.Partitions(%d)", partition, s.Code, len(s.parts))}
	}
	return s.parts[partition], nil
}

// begin has the client look after all partitions after an offer.
func (s *spread) begin(c *Client) {
	for _, t := range s.parts {
		c.moving.Begin(&t.Queue)
	}
}

// newSpread makes that of a queue. The first turn is of chance, for the sake of programs
// that make few offers.
func newSpread(d delayed.Declared, keys []wire.Keys) *spread {
	s := &spread{Declared: d, keys: keys}
	s.turn.Store(uint32(chance.Uint64N(uint64(d.N)))) // at most registry.MaxPartitions
	return s
}
