package lease

import (
	"errors"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
)

// Defaults and bounds of [Options].
const (
	DefaultLease      = 30 * time.Second
	DefaultBlock      = 5 * time.Second
	DefaultMaxPayload = 1 << 20
	DefaultMaxBatch   = 2 << 20
	DefaultRepeats    = 5

	// MaxTake is the most messages that one take returns: Lua unpacks a thousand values at most.
	MaxTake = 900

	minLease = 100 * time.Millisecond
)

// Options of a session. The zero value means the defaults.
type Options struct {
	// SessionID names the session: letters, digits, '-' and '_'. Defaults to 16
	// random hex digits. It must not be used twice.
	SessionID string
	// Lease is how long messages stay with a session that gives no sign of life.
	// Defaults to 30 s; all processes of a queue should use the same.
	Lease time.Duration
	// Block is how long one Wait blocks; Redis counts it in whole seconds. At least
	// 1 s and at most half of Lease. Defaults to 5 s, or to half of a shorter lease.
	Block time.Duration
	// MaxPayload is the largest body in bytes that is handed out; larger ones go to
	// the dead store. Defaults to 1 MiB.
	MaxPayload int
	// MaxBatch is the most bytes of bodies in one batch of several messages.
	// Defaults to 2 MiB: it bounds how long a take holds Redis and how much memory it has.
	MaxBatch int
	// NoDue leaves the due records alone: DueMs is then known only for traced messages.
	NoDue bool
	// Unlisted leaves Redisson's list of pending elements alone where a message is
	// offered again.
	Unlisted bool
	// Repeats is how often a take whose reply was lost is asked again before the
	// session is abandoned. Defaults to 5; all of it ends after a third of the lease.
	Repeats int
	// Journal is where the session writes what became of messages, see [Session.Note]. Nil is
	// nowhere, the default.
	Journal *journal.Book
}

// withDefaults fills in the defaults and returns all mistakes together, each an
// [*OptionError].
func (o Options) withDefaults() (Options, error) {
	var errs []error
	bad := func(option, reason string) { errs = append(errs, &OptionError{option, reason}) }
	if o.SessionID == "" {
		o.SessionID = chance.Hex()
	}
	if strings.Trim(o.SessionID, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != "" {
		bad("SessionID", "has other characters than letters, digits, '-' and '_'")
	}
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.Lease < minLease {
		bad("Lease", "is shorter than 100 ms")
	}
	if o.Block == 0 {
		o.Block = max(min(DefaultBlock, o.Lease/2).Truncate(time.Second), time.Second)
	} else if o.Block > o.Lease/2 {
		bad("Block", "is longer than half of the lease: a session could end while it waits")
	}
	if o.Block < time.Second {
		bad("Block", "is shorter than 1 s, which the client would round up")
	}
	o.MaxPayload = orDefault(o.MaxPayload, DefaultMaxPayload)
	o.MaxBatch = orDefault(o.MaxBatch, DefaultMaxBatch)
	o.Repeats = orDefault(o.Repeats, DefaultRepeats)
	if o.MaxPayload < 0 {
		bad("MaxPayload", "is negative")
	}
	if o.MaxBatch < 0 {
		bad("MaxBatch", "is negative")
	}
	if o.Repeats < 0 {
		bad("Repeats", "is negative")
	}
	return o, errors.Join(errs...)
}

func orDefault(v, def int) int {
	if v == 0 {
		return def
	}
	return v
}
