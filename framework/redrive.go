package framework

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/causes"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Redrive puts a dead letter at the end of the ready list, as a new message with its ID: due
// now and without attempts. It keeps its history, see handlers.Message. Call it when the
// cause of its death is repaired. Of the options it uses Delay, Spread and Malformed.
// Redrives may run at the same time: each entry comes back once. A payload that is larger than
// the queue's MaxPayload stays where it is. Errors: [fault.ErrNoEntry], [*registry.SizeError],
// [fault.ErrMalformedEntry], what Redis answered, and [*fault.ChangeUnknownError] if a reply
// was lost and the entry is gone, most likely by this call.
func (v DeadView) Redrive(ctx context.Context, entry string, o RedriveOptions) error {
	if err := errors.Join(v.err, o.check()); err != nil {
		return err
	}
	status, err := partitions.Redrive(ctx, v.client.rdb, v.target.of.keys, delayed.RedriveArgs{
		Entries:   []delayed.RedriveEntry{{Entry: entry, Delay: o.delay()}},
		Malformed: o.Malformed, NoDueTracking: !v.target.DueTracking, MaxPayload: v.target.maxPayload, NoView: v.target.NoView,
	})
	switch {
	case err != nil:
		return err
	case status[0] == delayed.RedriveUnknown:
		return &fault.ChangeUnknownError{Op: "redrive", ID: entry, Tries: 2, Err: fault.ErrNoEntry}
	case status[0] == delayed.RedriveGone:
		return fmt.Errorf("%w: %s", fault.ErrNoEntry, entry)
	case status[0] == delayed.RedriveLarge:
		m, _ := v.Get(ctx, entry) // only for its size
		return v.tooLarge(m)
	case status[0] == delayed.RedriveRefused:
		return fmt.Errorf("%w: %s", fault.ErrMalformedEntry, entry)
	}
	return nil
}

// DefaultRedriveRate is how many messages a second [DeadView.RedriveAll] puts back by default.
const DefaultRedriveRate = 100

// RedriveOptions are the options of [DeadView.RedriveAll]. The zero value redrives all but malformed and
// harmful ones.
type RedriveOptions struct {
	// Filter chooses the entries.
	Filter DeadFilter
	// Rate is how many messages a second are put back; it protects consumers and what they
	// call. Defaults to [DefaultRedriveRate]; negative is no limit.
	Rate float64
	// Limit is the most messages to put back; 0 is no limit.
	Limit int64
	// Malformed puts malformed entries back too, with the bytes that were in Redis.
	Malformed bool
	// Harmful puts messages back, too, that killed processes (crash-loop) or hung (hung): they do so
	// again while the cause is there. Those that Filter chooses by Reasons or Group need no Harmful.
	Harmful bool
	// Delay is how long after the redrive a message is due. It is then pending, under its
	// ID, and Java sees it and may transfer it. Defaults to 0: it is ready at once. Negative
	// is an error.
	Delay time.Duration
	// Spread adds a random time of at most Spread to the delay of each message, so that not
	// all are due at once. Negative is an error.
	Spread time.Duration
	// DryRun changes nothing, and counts in Matched what would be put back.
	DryRun bool
	// Each, if set, is called for each entry that the filter chose, on the caller's
	// goroutine; err is nil or one of the errors of [DeadView.Redrive].
	Each func(m DeadMessage, err error)
	// Progress, if set, is called after each step, on the caller's goroutine.
	Progress func(RedriveResult)
}

// delay returns how long the next message is to wait.
func (o RedriveOptions) delay() time.Duration {
	if o.Spread <= 0 {
		return o.Delay
	}
	return o.Delay + chance.Below(o.Spread+1)
}

// spares reports whether a letter stays because of what its message has done.
func (o RedriveOptions) spares(reason string) bool {
	return causes.Harmful(reason) && !o.Harmful && len(o.Filter.Reasons) == 0 && o.Filter.Group == ""
}

func (o RedriveOptions) check() error {
	if o.Delay < 0 || o.Spread < 0 || o.Limit < 0 {
		return fmt.Errorf("RedriveOptions: Delay %v, Spread %v and Limit %d must not be negative", o.Delay, o.Spread, o.Limit)
	}
	if math.IsNaN(o.Rate) {
		return errors.New("RedriveOptions: Rate is no number")
	}
	return nil
}

// RedriveResult counts what [DeadView.RedriveAll] did.
type RedriveResult struct {
	Redriven int64
	Skipped  int64 // not chosen, malformed, harmful, or taken out by others since
	Harmful  int64 // of these, those that are left because they killed processes or hung
	Unknown  int64 // gone after a lost reply: put back, unless others took them out
	Matched  int64 // chosen by the filter among the entries that were read; in a dry run, what would be put back
	// Last is the newest entry that was read. To continue where this call ended, set it as
	// Filter.After.
	Last string
}

// RedriveAll puts the dead letters that the filter chooses back, oldest first, as
// [DeadView.Redrive] does. It leaves messages that die again during the call. When ctx ends, or Redis
// does not answer, the rest stays in the store; the result counts what was done, and the
// call may be made again.
func (v DeadView) RedriveAll(ctx context.Context, o RedriveOptions) (RedriveResult, error) {
	if err := errors.Join(v.err, o.check()); err != nil {
		return RedriveResult{}, err
	}
	if o.Rate == 0 {
		o.Rate = DefaultRedriveRate
	}
	walk, err := v.walk(ctx, o.Filter, false)
	if err != nil {
		return RedriveResult{}, err
	}
	r := &redriving{options: o, view: v, walk: walk}
	err = r.run(ctx)
	return r.result, err
}

// redriving is one call of RedriveAll.
type redriving struct {
	options RedriveOptions
	view    DeadView
	walk    *partitions.DeadWalk
	result  RedriveResult
}

func (r *redriving) run(ctx context.Context) error {
	for {
		page, err := nextDead(ctx, r.walk, partitions.MaxDeadPage)
		if err != nil || len(page) == 0 {
			return err
		}
		var chosen []DeadMessage
		for i, m := range page {
			switch {
			case !r.options.Filter.Matches(m):
				r.result.Skipped++
			case r.options.spares(m.Reason):
				r.result.Skipped, r.result.Harmful = r.result.Skipped+1, r.result.Harmful+1
			default:
				chosen = append(chosen, m)
			}
			if len(chosen) < r.step() && i < len(page)-1 {
				continue
			}
			if err := r.put(ctx, chosen, m.Entry); err != nil || r.left() <= 0 {
				return err
			}
			chosen = nil
		}
	}
}

// left returns how many messages may still be put back.
func (r *redriving) left() int64 {
	switch {
	case r.options.Limit == 0:
		return delayed.MaxRedrive
	case r.options.DryRun:
		return r.options.Limit - r.result.Matched
	}
	return r.options.Limit - r.result.Redriven
}

// step returns how many messages are put back at once: a tenth of a second's, so that
// a rate is even.
func (r *redriving) step() int {
	n := int(min(r.left(), delayed.MaxRedrive))
	if r.options.Rate > 0 && !r.options.DryRun {
		n = min(n, max(int(r.options.Rate/10), 1))
	}
	return n
}

// put makes one step, up to the entry given, and waits as the rate asks for.
func (r *redriving) put(ctx context.Context, chosen []DeadMessage, last string) error {
	done, err := r.redrive(ctx, chosen)
	if err != nil {
		return err
	}
	r.result.Last = last
	if r.options.Progress != nil {
		r.options.Progress(r.result)
	}
	if r.left() <= 0 {
		return nil
	}
	return r.rest(ctx, done)
}

func (r *redriving) redrive(ctx context.Context, chosen []DeadMessage) (done int, err error) {
	if r.options.DryRun {
		for _, m := range chosen {
			problem := r.refusal(m)
			if problem == nil {
				r.result.Matched++
			} else {
				r.result.Skipped++
			}
			r.tell(m, problem)
		}
		return 0, nil
	}
	r.result.Matched += int64(len(chosen))
	entries := make([]delayed.RedriveEntry, len(chosen))
	for i, m := range chosen {
		entries[i] = delayed.RedriveEntry{Entry: m.Entry, Delay: r.options.delay()}
	}
	statuses, err := partitions.Redrive(ctx, r.view.client.rdb, r.view.target.of.keys, delayed.RedriveArgs{
		Entries: entries, Malformed: r.options.Malformed,
		NoDueTracking: !r.view.target.DueTracking, MaxPayload: r.view.target.maxPayload, NoView: r.view.target.NoView,
	})
	for i, s := range statuses {
		var problem error
		switch s {
		case "": // its partition was not asked
			r.result.Matched--
			continue
		case delayed.Redriven:
			done++
		case delayed.RedriveUnknown:
			r.result.Unknown++
			problem = &fault.ChangeUnknownError{Op: "redrive", ID: chosen[i].Entry, Tries: 2, Err: fault.ErrNoEntry}
		case delayed.RedriveGone:
			r.result.Skipped++
			problem = fmt.Errorf("%w: %s", fault.ErrNoEntry, chosen[i].Entry)
		default:
			r.result.Skipped++
			problem = r.refusal(chosen[i])
		}
		r.tell(chosen[i], problem)
	}
	r.result.Redriven += int64(done)
	return done, err
}

// refusal returns why an entry is not put back; nil if it is.
func (r *redriving) refusal(m DeadMessage) error {
	switch {
	case len(m.Body) > r.view.target.maxPayload:
		return r.view.tooLarge(m)
	case m.Reason == handlers.ReasonMalformed && !r.options.Malformed:
		return fmt.Errorf("%w: %s", fault.ErrMalformedEntry, m.Entry)
	}
	return nil
}

// tooLarge is the error of an entry that would only come back to the dead store.
func (v DeadView) tooLarge(m DeadMessage) error {
	return &registry.SizeError{Code: v.target.Code, Size: len(m.Body), Limit: v.target.maxPayload}
}

func (r *redriving) tell(m DeadMessage, err error) {
	if r.options.Each != nil {
		r.options.Each(m, err)
	}
}

// longestRest bounds the pause between two messages.
const longestRest = 365 * 24 * time.Hour

// rest waits as long as the rate asks for after n messages.
func (r *redriving) rest(ctx context.Context, n int) error {
	if r.options.Rate < 0 || n == 0 {
		return ctx.Err()
	}
	seconds := min(float64(n)/r.options.Rate, longestRest.Seconds()) // of a tiny rate: what a Duration holds
	return retry.Pause(ctx, time.Duration(seconds*float64(time.Second)))
}
