// Package recode moves the pending messages of a live queue from one codec to another, so that the
// queue needs to read one codec alone again. It is linked only where it is imported.
package recode

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/recode"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Converter returns a payload in the new codec, nil where it is that already. What it returns an
// error for stays as it is. It must be safe to call again with the same bytes.
type Converter func(payload []byte) (fresh []byte, err error)

// Codecs converts from one codec to another without Go types. It reads its result again, and refuses
// a value that differs, classes included, and bytes that both codecs read. User classes need an
// option of the codec that describes them, such as kryo5.Classes.
func Codecs(from, to codecs.Codec) Converter {
	return func(payload []byte) ([]byte, error) { return recode.Between(from, to, payload) }
}

// Settled is the minimum age of a Go offer before it is recoded. A younger one may still be sent
// again with its original bytes, after a lost reply.
const Settled = recode.Settled

// Options shape [Pending].
type Options struct {
	Convert Converter // required
	// Memory knows which messages have been recoded, for a Convert that would convert them again.
	// May be nil.
	Memory Memory
	// EmptyOK says that the codecs write empty payloads, see codecs.Codec.
	EmptyOK bool
	// MaxPayload is that of the queue: the most bytes of a payload that is written, unless the
	// old one has as many. Defaults to registry.DefaultMaxPayload.
	MaxPayload int
	// DryRun changes nothing, and counts.
	DryRun bool
	// Share bounds the part of the time for which Redis works for this call, from 0.001 to 1.
	// Defaults to admin.DefaultFieldShare.
	Share float64
	// Progress is called now and then with what was done so far. May be nil.
	Progress func(Counts)
}

// Memory remembers messages that have been recoded, by ID and payload. Add is called before they are
// written, of which some may not be after all; its error ends the call.
type Memory = recode.Memory

// Counts says what became of pending messages.
type Counts struct {
	Recoded int64 // or would be, in a dry run
	Already int64 // in the new codec
	Young   int64 // offered by Go within the last minute ([Settled]), and left: call again
	Failed  int64 // could not be converted, and left

	Examples []Example // of those that failed, at most 20
	Longest  time.Duration
}

// Example is a message that could not be converted.
type Example struct {
	ID  string // empty where it has none
	Err error
}

// Left returns how many messages are still in another codec than the new one.
func (c Counts) Left() int64 { return c.Young + c.Failed }

func (c Counts) plus(o recode.Count) Counts {
	c.Recoded, c.Already, c.Young, c.Failed = c.Recoded+o.Recoded, c.Already+o.Already, c.Young+o.Young, c.Failed+o.Failed
	for _, e := range o.Examples {
		if len(c.Examples) < recode.MaxExamples {
			c.Examples = append(c.Examples, Example(e))
		}
	}
	c.Longest = max(c.Longest, o.Longest)
	return c
}

// Pending recodes the pending messages of a queue, named as for [admin.Diagnose], in all partitions,
// retries that wait included. Each keeps its due time, its place in Java's list, its ID, its key and
// the window of that, its attempts and its trace.
//
// Java and Go may offer, transfer, cancel and take meanwhile, but all of them must read both
// codecs ([codecs.AnyOf] in Go), and write the new one, or what they offer has to be recoded again.
// Messages that are ready or in flight are left alone, since they are handled soon, and dead letters
// too: redriven, they have the old bytes. Call it until Left is 0 and those are gone; then the old
// codec may go. A call that ended early may be made again.
//
// It costs Redis some 60 µs for each message with a key, in scripts of a few ms, within Share (go
// test -run xxx -bench Run ./framework/internal/recode). Errors are those
// of [admin.Diagnose], of Redis, and the end of ctx; the counts say what was done before.
func Pending(ctx context.Context, c *framework.Client, queue string, o Options) (Counts, error) {
	parts, err := admin.Partitions(ctx, c, queue)
	if err != nil {
		return Counts{}, err
	}
	client, total := access.Of(c), Counts{}
	for _, part := range parts {
		k, err := client.Keys(part.Name)
		if err != nil {
			return total, err
		}
		k.Partition = part.Number
		done, err := one(ctx, client, k, o, total)
		if total = total.plus(done); err != nil {
			return total, err
		}
	}
	return total, nil
}

// one recodes one partition; before is what was done in those before.
func one(ctx context.Context, client access.Client, k wire.Keys, o Options, before Counts) (recode.Count, error) {
	p := budget.PaceWithin(o.Share, admin.DefaultFieldShare)
	args := recode.Args{
		Convert: o.Convert, Memory: o.Memory, EmptyOK: o.EmptyOK, MaxPayload: o.MaxPayload, DryRun: o.DryRun, Now: time.Now,
		Rest: func(ctx context.Context) error {
			defer p.Begin()
			return p.Rest(ctx)
		},
	}
	if o.Progress != nil {
		args.Progress = func(c recode.Count) { o.Progress(before.plus(c)) }
	}
	return recode.Run(ctx, client.Redis, k, args)
}
