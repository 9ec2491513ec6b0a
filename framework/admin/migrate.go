package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// LayoutCounts says how many pending elements of each layout a migration met, and
// how many it rewrote.
type LayoutCounts struct {
	Old   int64 // up to Redisson 3.21.0: a double, read by those alone
	New   int64 // since 3.21.1: 08 and 8 bytes, read by those alone
	Other int64 // an id of another length, read since 3.21.1 alone

	Rewritten int64 // of those, made universal
	Universal int64 // read by all, those rewritten included; 0 until the set was walked
	Ambiguous int64 // read by all, as an empty payload or as 00; left alone
	Malformed int64 // fits no layout; left alone

	// Ghosts are entries of the pending list that belong to no pending message and have a layout
	// that not every Redisson reads. They are rewritten, and the other counts do not include them.
	Ghosts int64

	// Examples are the first malformed elements, at most 100.
	Examples []MalformedElement

	Scripts int           // sent
	Longest time.Duration // longest script by Redis's clock; 0 where the server does not tell
}

// Foreign returns how many elements not every Redisson reads.
func (c LayoutCounts) Foreign() int64 { return c.Old + c.New + c.Other }

// Left returns how many elements are still not read by every Redisson, malformed ones
// included.
func (c LayoutCounts) Left() int64 { return c.Foreign() - c.Rewritten + c.Malformed }

// MalformedElement is a pending element that no Redisson can read.
type MalformedElement struct {
	DueMs  int64  // -1 for never
	Size   int    // bytes of the element
	Head   []byte // its first bytes, at most 32
	Reason string
}

func layoutCounts(c delayed.LayoutCount) LayoutCounts {
	out := LayoutCounts{
		Old: c.Old, New: c.New, Other: c.Other, Rewritten: c.Rewritten, Universal: c.Universal, Ambiguous: c.Ambiguous,
		Malformed: c.Malformed, Ghosts: c.Ghosts, Scripts: c.Scripts, Longest: c.Longest,
	}
	for _, e := range c.Examples {
		out.Examples = append(out.Examples, MalformedElement(e))
	}
	return out
}

// MigrateOptions shape [MigrateLayout]. The zero value rewrites.
type MigrateOptions struct {
	// DryRun only counts.
	DryRun bool

	// Codec is the queue's codec. One shape of element may be an empty payload or a
	// payload of one zero byte, and the codec decides which. Without a codec such elements
	// are left alone; every Redisson reads them. May be nil.
	Codec codecs.Codec

	// Progress is called after each script, every few milliseconds, with what was
	// done so far. It must not block. May be nil.
	Progress func(LayoutCounts)
}

func (o MigrateOptions) args() delayed.MigrateArgs {
	args := delayed.MigrateArgs{DryRun: o.DryRun, EmptyKnown: o.Codec != nil, EmptyOK: o.Codec != nil && o.Codec.WritesEmpty()}
	if o.Progress != nil {
		args.Progress = func(c delayed.LayoutCount) { o.Progress(layoutCounts(c)) }
	}
	return args
}

// MigrateLayout rewrites the pending elements of a queue that only some Redissons
// read, those up to 3.21.0 or those since 3.21.1, to the universal element that all of
// them read, so that both may run at the same time. queue is the name that Java gives
// to getBlockingQueue ([registry.Descriptor.Key]); the client's name mapping applies.
//
// The queue may be in full use by Java and Go at the same time. Each element is replaced
// atomically and keeps its due time, payload and place in Java's pending list; what is due
// in the same millisecond comes out in the order of that list. A message keeps its ID, by
// which Cancel and Reschedule of a [framework.Queue] find it as before; that takes about
// 300 bytes until it is handled, or until a day after it was due. Malformed elements are
// reported and left alone. A migration that ended early may be run again at any time. It
// may miss what is offered while it runs; [FollowLayout] is for that.
//
// It costs Redis about 40 µs per element, in scripts of a few milliseconds, and one search
// of the pending list for each element of the timeout set that was not met in that list: 5
// ms among 100,000 entries, 20 ms among a million.
//
// A queue that does not exist has nothing pending. Errors are [*fault.NameError] or
// [*fault.SlotError], [*fault.WrongTypeError], [*fault.PermissionError], [*fault.ServerError], those of the
// connection, and that of ctx; the counts say what was done before.
func MigrateLayout(ctx context.Context, c *framework.Client, queue string, o MigrateOptions) (LayoutCounts, error) {
	client := access.Of(c)
	all, _, err := partsOf(ctx, client, queue)
	if err != nil {
		return LayoutCounts{}, err
	}
	var total LayoutCounts
	for _, keys := range all {
		part := o
		if o.Progress != nil {
			before := total
			part.Progress = func(c LayoutCounts) { o.Progress(before.plus(c)) }
		}
		done, err := delayed.Migrate(ctx, client.Redis, keys, part.args())
		if total = total.plus(layoutCounts(done)); err != nil {
			return total, err
		}
	}
	return total, nil
}

// plus adds the counts of another partition.
func (c LayoutCounts) plus(o LayoutCounts) LayoutCounts {
	return LayoutCounts{
		Old: c.Old + o.Old, New: c.New + o.New, Other: c.Other + o.Other,
		Rewritten: c.Rewritten + o.Rewritten, Universal: c.Universal + o.Universal, Ambiguous: c.Ambiguous + o.Ambiguous,
		Malformed: c.Malformed + o.Malformed, Ghosts: c.Ghosts + o.Ghosts,
		Examples: slices.Concat(c.Examples, o.Examples)[:min(len(c.Examples)+len(o.Examples), maxExamples)],
		Scripts:  c.Scripts + o.Scripts, Longest: max(c.Longest, o.Longest),
	}
}

// maxExamples is how many malformed elements are shown.
const maxExamples = 100

// FollowOptions shape [FollowLayout]. The zero value is usable.
type FollowOptions struct {
	// Codec is as in [MigrateOptions], for all queues. May be nil.
	Codec codecs.Codec

	// Interval is how often new elements are looked for where no message announced
	// them. Defaults to 20 ms; each look costs Redis about 30 µs per queue.
	Interval time.Duration

	// Sweep is how long the pause between two looks at everything pending is. It
	// grows to 20 times the time such a look takes. Defaults to 30 s.
	Sweep time.Duration

	// Progress is called with the counts since the beginning after each script that
	// rewrote something and after each look at all of a queue (whole). It must not
	// block. May be nil.
	Progress func(queue string, counts LayoutCounts, whole bool)

	// Trouble is called with errors that may pass by themselves, and with an empty
	// queue for those of the subscription. May be nil.
	Trouble func(queue string, err error)
}

// FollowLayout does what [MigrateLayout] does on several queues, and then rewrites new
// offers until ctx ends, for the time of a rolling upgrade across Redisson 3.21.1. Each
// new head is announced on the queue's channel and rewritten at once; other elements are
// rewritten within Interval. FollowLayout uses one subscription for all queues.
//
// Only a message that falls due sooner than that can still meet a Redisson that cannot
// read it. That Redisson fails until the element is rewritten, and moves again the
// messages that the failed script had moved before.
//
// If a queue cannot be served (a key of the wrong type, a missing permission), the others
// still are. FollowLayout returns when no queue is left or ctx ends, with these errors
// joined, each a [*fault.QueueError]. The end of ctx is no error.
func FollowLayout(ctx context.Context, c *framework.Client, queues []string, o FollowOptions) error {
	client := access.Of(c)
	var list []delayed.MigratedQueue // partitions
	var of []*followed               // their queues
	var errs []error
	seen := map[string]string{}
	for _, name := range queues {
		var all []wire.Keys
		waiting := retry.Waiting{For: retry.Endless, Passes: rediserr.MayPass, Tell: func(_ context.Context, _ int, _ time.Duration, err error) {
			if o.Trouble != nil {
				o.Trouble(name, err)
			}
		}}
		_, err := waiting.Until(ctx, func() (err error) {
			all, _, err = partsOf(ctx, client, name)
			return err
		})
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the end of ctx is no error
		}
		if err == nil && seen[all[0].Channel] != "" {
			err = errors.New("shares its pending messages with " + seen[all[0].Channel] + ", which is followed already")
		}
		if err != nil {
			errs = append(errs, &fault.QueueError{Queue: name, Err: err})
			continue
		}
		seen[all[0].Channel] = name
		q := &followed{name: name, parts: make([]LayoutCounts, len(all)), whole: make([]bool, len(all))}
		for _, keys := range all {
			list, of = append(list, delayed.MigratedQueue{Keys: keys, Args: MigrateOptions{Codec: o.Codec}.args()}), append(of, q)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	args := delayed.FollowMigrationArgs{Interval: o.Interval, Sweep: o.Sweep}
	if o.Progress != nil {
		args.Progress = func(i int, counts delayed.LayoutCount, whole bool) {
			q := of[i]
			total, all := q.counts(list[i].Keys.Partition, layoutCounts(counts), whole)
			o.Progress(q.name, total, all)
		}
	}
	if o.Trouble != nil {
		args.Trouble = func(i int, err error) {
			if i < 0 {
				o.Trouble("", err)
				return
			}
			o.Trouble(of[i].name, err)
		}
	}
	return delayed.FollowMigration(ctx, client.Redis, list, args)
}

// followed is what was done with the partitions of a queue.
type followed struct {
	name string

	parts []LayoutCounts
	whole []bool // all of it was looked at once
}

// counts notes those of a partition, and returns those of all; whole says that this look
// was at all of a partition, and that all were looked at before.
func (f *followed) counts(partition int, c LayoutCounts, whole bool) (total LayoutCounts, all bool) {
	f.parts[partition] = c
	f.whole[partition] = f.whole[partition] || whole
	for _, p := range f.parts {
		total = total.plus(p)
	}
	return total, whole && !slices.Contains(f.whole, false)
}
