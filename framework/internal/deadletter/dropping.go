package deadletter

import (
	"context"

	"github.com/duequeue/duequeue/framework"
)

// Dropping gathers entries that are kept elsewhere, and deletes them together. One goroutine
// owns it.
type Dropping struct {
	View   framework.DeadView
	Step   int          // entries that are deleted at once
	Before func() error // called before each deletion: it makes sure that they are kept; may be nil

	Dropped int64 // so far
	entries []string
}

// Add takes an entry up, and deletes where there are enough.
func (d *Dropping) Add(ctx context.Context, entry string) error {
	if d.entries = append(d.entries, entry); len(d.entries) < d.Step {
		return ctx.Err()
	}
	return d.Flush(ctx)
}

// Flush deletes those that were added.
func (d *Dropping) Flush(ctx context.Context) error {
	if len(d.entries) == 0 {
		return nil
	}
	if d.Before != nil {
		if err := d.Before(); err != nil {
			return err
		}
	}
	n, err := d.View.Drop(ctx, d.entries...)
	d.Dropped, d.entries = d.Dropped+n, d.entries[:0]
	return err
}
