// Package recode moves the pending messages of a live queue from one codec to another.
package recode

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

//go:embed lua
var luaFiles embed.FS

var (
	library       = script.NewLibrary(luaFiles)
	replaceScript = library.Script("replace")
)

// Scripts returns the scripts of this package.
func Scripts() []*script.Script { return []*script.Script{replaceScript} }

// Bounds of one script.
const (
	replaceMost   = 100     // elements
	replaceBytes  = 1 << 20 // of elements, as they are and as they shall be
	replaceBudget = 4_000   // µs after which no further element is begun
	replaceScan   = 150_000 // list entries that are searched, give or take one search

	readMost = 200 // list entries that are read at once
)

// Settled is the minimum age of a Go offer before it is recoded. A younger one may still be sent
// again with its original bytes, which would not match the recoded element and add a duplicate.
const Settled = time.Minute

// Args shape a run.
type Args struct {
	// Convert returns the payload in the new codec, nil where it is that already. An error leaves
	// the message as it is.
	Convert func(payload []byte) (fresh []byte, err error)
	// Memory knows what was written, for a Convert that does not. May be nil.
	Memory  Memory
	EmptyOK bool // the codec writes empty payloads, see [wire.Parse]
	// MaxPayload is the most bytes of a payload that is written. One that is as large already
	// may stay so. Defaults to [registry.DefaultMaxPayload].
	MaxPayload int
	DryRun     bool
	Now        func() time.Time
	// Rest is called after each script, to keep to a share of Redis's time. Its error ends the run.
	Rest func(ctx context.Context) error
	// Progress is called now and then.
	Progress func(Count)
}

// Memory remembers elements that were written, so that no run converts them again.
type Memory interface {
	Has(element []byte) bool
	// Add is called before the elements are written, of which some may not be after all.
	Add(elements [][]byte) error
}

// Count is what a run did.
type Count struct {
	Recoded  int64 // or would be, in a dry run
	Already  int64 // in the new codec
	Young    int64 // offers of Go within the last minute, left alone
	Failed   int64 // could not be converted, left alone
	Examples []Example

	Scripts int
	Longest time.Duration // script, by Redis's clock; 0 where the server does not tell
}

// MaxExamples bounds those of [Count].
const MaxExamples = 20

// Example is a message that could not be converted.
type Example struct {
	ID  string
	Err error
}

// run is one run over one queue without partitions, or one partition.
type run struct {
	rdb   redisapi.Client
	keys  wire.Keys
	args  Args
	count Count
	again map[wire.ElementID]bool // of the last page of the set: what was replaced may be met once more
}

// entry is an element that is to be replaced.
type entry struct {
	id         wire.ElementID
	old, fresh []byte
	index      int64 // in the list; -1 where not known
}

// Run recodes what is pending. Java and Go may offer, transfer and take meanwhile; what is offered
// meanwhile may be missed, and a run that was ended may be begun again. It walks Java's list from
// its end, where an element is replaced by its index, and then the timeout set.
func Run(ctx context.Context, rdb redisapi.Client, k wire.Keys, args Args) (Count, error) {
	r := &run{rdb: rdb, keys: k, args: args}
	if !args.DryRun {
		if err := r.overList(ctx); err != nil {
			return r.count, err
		}
	}
	before := r.count.Recoded // the set has them, too
	err := r.overSet(ctx)
	r.count.Already = max(r.count.Already-before, 0)
	return r.count, err
}

// overList walks the list from tail to head. Concurrent removals only move entries toward the head,
// so none is skipped, except entries that a transfer moves from head to tail.
func (r *run) overList(ctx context.Context) error {
	length, err := r.rdb.LLen(ctx, r.keys.Pending).Result()
	if err != nil {
		return rediserr.Classify("LLEN", err)
	}
	for last := length - 1; last >= 0; {
		first := max(last-readMost+1, 0)
		found, err := r.rdb.LRange(ctx, r.keys.Pending, first, last).Result()
		if err != nil {
			return rediserr.Classify("LRANGE", err)
		}
		var todo []entry
		for i := len(found) - 1; i >= 0; i-- {
			if e, ok := r.look([]byte(found[i]), "", false); ok {
				e.index = first + int64(i)
				todo = append(todo, e)
			}
		}
		if err := r.replaceAll(ctx, todo); err != nil {
			return err
		}
		last = first - 1
	}
	return nil
}

// overSet goes through everything that is pending, and counts.
func (r *run) overSet(ctx context.Context) error {
	for place := (delayed.PendingPlace{}); ; {
		page, next, err := delayed.PagePendingFrom(ctx, r.rdb, r.keys, place, readMost, delayed.Whole, r.args.EmptyOK)
		if err != nil || len(page) == 0 {
			return err
		}
		place = next
		var todo []entry
		for _, m := range page {
			if r.again[m.ID] && m.ID.Kind != wire.KindOther {
				continue
			}
			if e, ok := r.look(m.Element, m.Text, true); ok {
				todo = append(todo, e)
			}
		}
		r.again = make(map[wire.ElementID]bool, len(todo))
		for _, e := range todo {
			r.again[e.id] = true
		}
		if r.args.DryRun {
			r.count.Recoded += int64(len(todo))
			todo = nil
		}
		if err := r.replaceAll(ctx, todo); err != nil {
			return err
		}
	}
}

// aheadMost is how far a producer's clock may be ahead. One in 512 random IDs of older releases of
// Redisson reads as one of ours, of any time up to 2055: without a bound those of the future would
// be young for decades.
const aheadMost = 24 * time.Hour

// look returns what is to be done with an element, and whether there is anything.
func (r *run) look(element []byte, name string, count bool) (e entry, ok bool) {
	id, payload, err := wire.Parse(element, r.args.EmptyOK)
	if err != nil {
		return e, false // the transfer moves it to the dead store
	}
	if r.args.Memory != nil && r.args.Memory.Has(element) {
		if count {
			r.count.Already++
		}
		return e, false
	}
	fresh, err := r.args.Convert(payload)
	if most := cmp.Or(r.args.MaxPayload, registry.DefaultMaxPayload); err == nil && len(fresh) > max(most, len(payload)) {
		err = fmt.Errorf("it would have %d bytes instead of %d, and the most is %d (the queue's MaxPayload)", len(fresh), len(payload), most)
	}
	offered, ours := id.Offered()
	age := r.args.Now().Sub(offered)
	young := ours && age > -aheadMost && age < Settled
	switch {
	case err == nil && fresh != nil && !young:
		return entry{id: id, old: element, fresh: wire.Repack(element, payload, fresh), index: -1}, true
	case !count:
	case err != nil:
		if r.count.Failed++; len(r.count.Examples) < MaxExamples {
			r.count.Examples = append(r.count.Examples, Example{name, err})
		}
	case fresh == nil:
		r.count.Already++
	default:
		r.count.Young++
	}
	return e, false
}

// replaceAll replaces elements, some at a time.
func (r *run) replaceAll(ctx context.Context, todo []entry) error {
	for len(todo) > 0 {
		n, bytes := 0, 0
		for n < len(todo) && n < replaceMost && (n == 0 || bytes < replaceBytes) {
			bytes += len(todo[n].old) + len(todo[n].fresh)
			n++
		}
		done, err := r.replace(ctx, todo[:n])
		if err != nil {
			return err
		}
		todo = todo[done:]
		if r.args.Progress != nil {
			r.args.Progress(r.count)
		}
		if err := r.args.Rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// replace sends one script, and returns with how many elements it has dealt.
func (r *run) replace(ctx context.Context, some []entry) (done int, err error) {
	keys := []string{r.keys.Timeout, r.keys.Pending, r.keys.Trace, r.keys.Attempts, r.keys.MessageNames, r.keys.IDs}
	args := []any{replaceBudget, replaceScan}
	if r.args.Memory != nil {
		var fresh [][]byte
		for _, e := range some {
			fresh = append(fresh, e.fresh)
		}
		if err = r.args.Memory.Add(fresh); err != nil {
			return 0, err
		}
	}
	for _, e := range some {
		index := any("")
		if e.index >= 0 {
			index = e.index
		}
		args = append(args, e.old, e.fresh, index)
	}
	value, err := replaceScript.Run(ctx, r.rdb, keys, args...)
	if err != nil {
		return 0, err
	}
	reply := script.NewReader(replaceScript, value)
	r.count.Scripts++
	r.count.Longest = max(r.count.Longest, time.Duration(reply.Integer())*time.Microsecond)
	for reply.More() {
		if reply.Text() == "1" {
			r.count.Recoded++
		}
		done++
	}
	return done, reply.Err()
}
