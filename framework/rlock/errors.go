package rlock

import (
	"errors"
	"fmt"
	"time"
)

// ErrReleased is the cause with which the context of a [Lock] ends at its last release.
var ErrReleased = errors.New("the lock is released")

// ErrReadWrite says that the name is that of a read-write lock (RReadWriteLock), which this
// package does not take.
var ErrReadWrite = errors.New("it is a read-write lock, and only RLock is supported: give the lock another name, or let Java use getLock")

// HeldError says that another holder had the lock for as long as the caller waited.
type HeldError struct {
	Name string
	// Left is how long the other's lease lasts unless it is renewed; negative without end.
	Left time.Duration
}

// Error names the lock.
func (e *HeldError) Error() string {
	if e.Left < 0 {
		return fmt.Sprintf("lock %q: another holder has it, without an end", e.Name)
	}
	return fmt.Sprintf("lock %q: another holder has it, for up to %v", e.Name, e.Left)
}

// ErrorType returns "lock_held", the low-cardinality name used in telemetry.
func (e *HeldError) ErrorType() string { return "lock_held" }

// LostError says that a lock was lost while it was held: its lease ended, somebody forced it
// open, or Redis did not confirm it in time. Another holder may have it. It is the cause with
// which the context of the [Lock] ends.
type LostError struct {
	Name string
	Err  error // why Redis did not confirm the lock; nil where it said that the lock is not held
}

// Error says how it was lost.
func (e *LostError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("lock %q: lost: Redis did not confirm it for two thirds of its lease: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("lock %q: lost: its lease ended, or it was forced open", e.Name)
}

// Unwrap returns Err.
func (e *LostError) Unwrap() error { return e.Err }

// ErrorType returns "lock_lost", the low-cardinality name used in telemetry.
func (e *LostError) ErrorType() string { return "lock_lost" }

// LockError says that Redis, or the name, did not allow a lock. Where the connection failed, the
// lock may be held until its lease ends.
type LockError struct {
	Name string
	Op   string // "acquire", "release" or "unlock"
	Err  error
}

// Error names the lock.
func (e *LockError) Error() string { return fmt.Sprintf("%s lock %q: %v", e.Op, e.Name, e.Err) }

// Unwrap returns Err.
func (e *LockError) Unwrap() error { return e.Err }

// ErrorType returns "lock", the low-cardinality name used in telemetry.
func (e *LockError) ErrorType() string { return "lock" }
