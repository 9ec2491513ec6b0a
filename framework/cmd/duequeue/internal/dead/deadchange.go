package dead

import (
	"context"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
	"github.com/duequeue/duequeue/handlers"
)

func (d *deadRun) redrive(ctx context.Context, entries []string) error {
	if d.all {
		return d.redriveAll(ctx)
	}
	n, all := int64(0), int64(len(entries))
	for _, entry := range entries {
		err := d.redriveOne(ctx, entry)
		switch {
		case err == nil:
			n++
		case errors.Is(err, fault.ErrNoEntry) || errors.Is(err, fault.ErrMalformedEntry):
			d.failed = true
			d.e.Warn("%v", err)
		default:
			return errors.Join(d.redriven(n, all-n), err)
		}
	}
	return d.redriven(n, all-n)
}

// redriveOne puts one entry back, or only looks for it.
func (d *deadRun) redriveOne(ctx context.Context, entry string) error {
	if !d.dry {
		return d.queue.Dead().Redrive(ctx, entry, d.redriving)
	}
	m, err := d.queue.Dead().Get(ctx, entry)
	if err == nil && m.Reason == handlers.ReasonMalformed && !d.redriving.Malformed {
		err = fmt.Errorf("%w: %s", fault.ErrMalformedEntry, entry)
	}
	return err
}

func (d *deadRun) redriveAll(ctx context.Context) error {
	o := d.redriving
	o.Filter, o.Limit, o.DryRun = d.filter, d.limit, d.dry
	if o.Rate == 0 {
		o.Rate = -1
	}
	would := int64(0)
	if d.dry {
		o.Each = func(m framework.DeadMessage, err error) {
			if err == nil {
				would++
				d.preview(m)
			}
		}
	}
	o.Progress = func(r framework.RedriveResult) {
		d.progress.Tell("%d put back so far, up to entry %s", r.Redriven, r.Last)
	}
	r, err := d.queue.Dead().RedriveAll(ctx, o)
	d.harmful = r.Harmful
	if r.Unknown > 0 {
		d.e.Warn("%d are gone after a lost reply: put back, unless others took them out", r.Unknown)
	}
	if err == nil && o.Limit > 0 && max(r.Redriven, would) >= o.Limit {
		err = d.countMore(ctx, o, r.Last)
	}
	if d.dry {
		d.showPreview()
		return errors.Join(d.redriven(would, r.Skipped+r.Matched-would), err)
	}
	if ctx.Err() != nil { // how many are left is not known
		d.result = fmt.Sprintf("%d redriven", r.Redriven)
		if d.e.JSON {
			return errors.Join(d.e.Line(doneLine{Queue: d.name, Redriven: &r.Redriven}), err)
		}
		fmt.Fprintln(d.e.Stdout, d.result)
		return err
	}
	return errors.Join(d.redriven(r.Redriven, r.Skipped), err)
}

// countMore counts in d.more what could be put back behind a limit.
func (d *deadRun) countMore(ctx context.Context, o framework.RedriveOptions, after string) error {
	o.Filter.After, o.Limit, o.DryRun, o.Each, o.Progress = after, mostMore, true, nil, nil
	r, err := d.queue.Dead().RedriveAll(ctx, o)
	d.more = r.Matched
	return err
}

func (d *deadRun) redriven(n, left int64) error {
	return d.say(doneLine{Redriven: &n, Left: &left}, "redriven", n, "left", left)
}

// confirm asks whether all entries that are chosen shall go.
func (d *deadRun) confirm(ctx context.Context) error {
	counts, err := d.queue.Counts(ctx)
	if err != nil {
		return err
	}
	which := "all"
	if d.chosen() != "" {
		which = "those that are chosen of"
	}
	yes, err := screen.Ask(d.e.Stdin, d.e.Stderr, fmt.Sprintf("Delete %s %d dead messages of queue %s for good?", which, counts.Dead, screen.Name(d.name)))
	if err == nil && !yes {
		err = errors.New("nothing was dropped")
	}
	return err
}

// dropStep is how many entries one command deletes.
const dropStep = 1000

func (d *deadRun) drop(ctx context.Context, entries []string) error {
	p := &dropping{d: d}
	var err error
	if d.all {
		err = d.each(ctx, d.limit, func(m framework.DeadMessage) error { return p.add(ctx, m) })
	} else if p.entries = entries; d.dry {
		p.entries = d.there(ctx, entries)
	}
	if err == nil {
		err = p.flush(ctx)
	}
	named := max(p.named, int64(len(entries)))
	missing := named - p.dropped
	d.showPreview()
	d.failed = !d.all && missing > 0
	return errors.Join(d.say(doneLine{Dropped: &p.dropped, Missing: &missing}, "dropped", p.dropped, "missing", missing), err)
}

// dropping gathers entries and deletes them together.
type dropping struct {
	d              *deadRun
	entries        []string
	named, dropped int64
}

func (p *dropping) add(ctx context.Context, m framework.DeadMessage) error {
	p.named++
	if p.d.dry {
		p.d.preview(m)
	}
	if p.entries = append(p.entries, m.Entry); len(p.entries) < dropStep {
		return nil
	}
	return p.flush(ctx)
}

func (p *dropping) flush(ctx context.Context) error {
	n := int64(len(p.entries))
	if !p.d.dry {
		var err error
		if n, err = p.d.queue.Dead().Drop(ctx, p.entries...); err != nil {
			return err
		}
	}
	p.dropped += n
	p.entries = nil
	p.d.progress.Tell("%d dropped so far", p.dropped)
	return ctx.Err()
}

// there returns those of the entries that exist.
func (d *deadRun) there(ctx context.Context, entries []string) (found []string) {
	for _, entry := range entries {
		if _, err := d.queue.Dead().Get(ctx, entry); err == nil {
			found = append(found, entry)
		}
	}
	return found
}

// export writes whole entries, a line of JSON for each, and may then delete them.
func (d *deadRun) export(ctx context.Context) error {
	n, written := 0, deadletter.Dropping{View: d.queue.Dead(), Step: dropStep}
	err := d.each(ctx, d.limit, func(m framework.DeadMessage) error {
		if err := d.e.Line(deadletter.ExportOf(d.name, m)); err != nil {
			return err
		}
		n++
		d.progress.Tell("%d exported so far", n)
		if !d.drops {
			return ctx.Err()
		}
		return written.Add(ctx, m.Entry)
	})
	// What is written may go, also where the walk ended early.
	err = errors.Join(err, written.Flush(ctx))
	d.result = fmt.Sprintf("%d exported, %d dropped", n, written.Dropped) + d.moreText()
	fmt.Fprintln(d.e.Stderr, d.result)
	return err
}
