package frameworktest

import (
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/registry"
)

const (
	settleStep = time.Millisecond
	settleMost = 50 * time.Millisecond // longer than an acknowledgement waits for company
)

// Advance lets d of virtual time pass and returns when what became due within it has been
// handled, or waits: handlers that sleep longer, messages that wait for a retry. Up to 50
// ms more pass, so that messages that are due reach their handlers.
//
// The handlers see what the test changed before, and the test what they changed, without
// locks; handlers that run at the same time need theirs.
func (k *Kit) Advance(d time.Duration) {
	k.t.Helper()
	k.Start()
	k.publish()
	time.Sleep(d) //nolint:forbidigo // the virtual time of a bubble
	k.settle()
}

// publish makes what the test has written visible to handlers: each call of one takes
// the lock too. The way back is synctest.Wait.
func (k *Kit) publish() {
	k.mu.Lock()
	defer k.mu.Unlock()
}

// settle waits until nothing moves, for a short while of virtual time.
func (k *Kit) settle() {
	k.t.Helper()
	synctest.Wait()
	for end := time.Now().Add(settleMost); time.Now().Before(end) && k.moving(); {
		time.Sleep(settleStep) //nolint:forbidigo // the virtual time of a bubble
		synctest.Wait()
	}
}

// moving tells whether a message is on its way: due, ready or not acknowledged yet.
func (k *Kit) moving() bool {
	k.t.Helper()
	for _, q := range k.queues {
		n := k.wireCounts(q)
		if n.Overdue > 0 || n.Ready > 0 || k.held(q) {
			return true
		}
	}
	return false
}

// held tells whether a session holds messages of the queue.
func (k *Kit) held(q registry.Descriptor) bool {
	k.t.Helper()
	keys := keysOf(q)
	sessions, err := k.rdb.ZRange(k.t.Context(), keys.Sessions, 0, -1).Result()
	k.must(q, err)
	for _, s := range sessions {
		fetches, err := k.rdb.SCard(k.t.Context(), keys.Fetches(s)).Result()
		k.must(q, err)
		if fetches > 0 {
			return true
		}
	}
	return false
}
