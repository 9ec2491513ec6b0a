package rlock

import (
	"context"
	"iter"
	"regexp"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
)

var unlockScript = library.Script("unlock")

// HeldLock is a lock that a Java or Go program holds.
type HeldLock struct {
	Name   string
	Holder string        // the UUID of the program's client and the number of its thread, as Java has them
	Holds  int64         // how often the holder has it
	Left   time.Duration // of the lease unless it is renewed; negative without an end
}

// holderForm is that of a field of a lock.
var holderForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9]+$`)

// lookAtOnce is how many keys [HeldLocks] asks about in one trip.
const lookAtOnce = 200

// HeldLocks walks over the locks that are held, in no order, and those of names that match pattern,
// as SCAN understands it; "" is all. It looks at every key of the database in steps and rests
// between them. Read-write locks and fair locks that wait are left out. It ends with the first error.
func HeldLocks(ctx context.Context, client *framework.Client, pattern string) iter.Seq2[HeldLock, error] {
	of := access.Of(client)
	return func(yield func(HeldLock, error) bool) {
		pace := budget.PaceOf(1)
		if pattern == "" {
			pattern = "*"
		}
		stopped := false
		err := redisapi.EachPrimary(ctx, of.Redis, func(ctx context.Context, node redisapi.Client) error {
			var keys []string
			look := func(least int) error {
				if len(keys) < least || len(keys) == 0 || stopped {
					return nil
				}
				held, err := heldOf(ctx, node, keys)
				keys = keys[:0]
				for _, lock := range held {
					if name, ok := of.Own(lock.Name); ok {
						lock.Name = name
					}
					if stopped = !yield(lock, nil); stopped {
						return nil
					}
				}
				return err
			}
			for key, err := range pace.Keys(ctx, node, pattern) {
				if err != nil {
					return err
				}
				keys = append(keys, key)
				if err := look(lookAtOnce); err != nil || stopped {
					return err
				}
			}
			return look(1)
		})
		if err != nil && !stopped {
			yield(HeldLock{}, err)
		}
	}
}

// heldOf returns which of the keys are locks that are held.
func heldOf(ctx context.Context, node redisapi.Client, keys []string) (held []HeldLock, err error) {
	pipe := node.Pipeline()
	sizes := make([]*redis.IntCmd, len(keys))
	for i, key := range keys {
		sizes[i] = pipe.HLen(ctx, key)
	}
	_, _ = pipe.Exec(ctx) // most keys are no hashes
	pipe = node.Pipeline()
	fields, left := map[string]*redis.MapStringStringCmd{}, map[string]*redis.DurationCmd{}
	for i, key := range keys {
		if sizes[i].Val() == 1 { // a lock has one holder
			fields[key], left[key] = pipe.HGetAll(ctx, key), pipe.PTTL(ctx, key)
		}
	}
	if len(fields) == 0 {
		return nil, ctx.Err()
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	for _, key := range keys {
		if fields[key] == nil {
			continue
		}
		for holder, holds := range fields[key].Val() {
			if n, err := strconv.ParseInt(holds, 10, 64); err == nil && holderForm.MatchString(holder) {
				held = append(held, HeldLock{Name: key, Holder: holder, Holds: n, Left: left[key].Val()})
			}
		}
	}
	return held, nil
}

// Unlock frees a lock, whoever holds it, and wakes those that wait: Java's forceUnlock. It reports
// whether somebody held it. The holder goes on until its next renewal, so that two may run at once.
func Unlock(ctx context.Context, client *framework.Client, name string) (held bool, err error) {
	l := &Locker{redis: access.Of(client)}
	in, err := l.namesOf(name)
	if err != nil {
		return false, &LockError{Name: name, Op: "unlock", Err: err}
	}
	value, err := unlockScript.Run(ctx, l.redis.Redis, []string{in.lock, in.channel})
	if err != nil {
		return false, &LockError{Name: name, Op: "unlock", Err: err}
	}
	r := script.NewReader(unlockScript, value)
	n := r.Integer()
	switch {
	case r.Err() != nil:
		return false, r.Err()
	case n < 0:
		return false, &LockError{Name: name, Op: "unlock", Err: ErrReadWrite}
	}
	return n > 0, nil
}
