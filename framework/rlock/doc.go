// Package rlock takes the locks of Redisson's RLock, so that a Go handler and a Java service
// exclude each other:
//
//	locker, err := rlock.New(client)
//	lock, err := locker.Acquire(ctx, "order:"+order.No) // Java: redisson.getLock("order:" + no).lock()
//	if err != nil {
//		return err
//	}
//	defer lock.Release(ctx)
//	err = pay(lock.Context(), order) // ends when the lock is lost
//
// A handler that needs the lock for as long as it runs takes [Around] instead.
//
// Keys, fields, channel and the watchdog are those of Redisson 3.8 to 4.7. A lock is held by a
// holder: each call of [Locker.Acquire] makes one, and a call with the context of a held lock
// has that lock's holder, which may take the same lock again.
//
// A Redis user that "duequeue acl" prints needs more for locks: the commands hget, hset, hexists,
// hincrby, exists, pttl, pexpire, get, incr, del and publish, the keys of the locks and
// redisson_lock_token:*, and the channels redisson_lock__channel:*. Without the channels a waiter looks
// every 250 ms.
//
// Not supported: RReadWriteLock ([ErrReadWrite]), and the order of RFairLock: a Go holder does not
// queue. In a Cluster a Go waiter does not hear of sharded channels and looks every 250 ms; Java's
// waiters hear of each release.
//
// The lock is as safe as Redis is: a primary that dies before its replica has the lock gives it
// to two. Where that matters, let the database check the token of [Fenced].
package rlock
