package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

// Bounds of what is done to pending messages together.
const (
	pendingLook     = 2000    // messages that one page of a filter looks at
	maxRescheduled  = 100_000 // of one run: it remembers them
	bulkRate        = 50      // changes a second, unless the form says another number
	maxBulkRate     = 10_000
	maxMoreTime     = 366 * 24 * time.Hour
	moreTimeRefusal = "More time is a length such as 15m or 4h, at most a year; 0s makes it due now"
)

// pendingActions change all pending messages that a filter chooses.
func (c *Console) pendingActions() []action {
	return []action{
		{path: "/pending/cancel-all", verb: "cancel", role: RoleSupport, back: "/pending", confirm: true, audits: true, tries: true, do: c.cancelAll},
		{path: "/pending/reschedule-all", verb: "reschedule", role: RoleSupport, back: "/pending", audits: true, tries: true, do: c.rescheduleAll},
		{path: "/pending/stop", verb: "stop", role: RoleSupport, back: "/pending", do: c.stopRun},
	}
}

// pendingFilter chooses among pending messages.
type pendingFilter struct {
	Text   string        // in the line that pages show, or the value of a field by which messages are found
	Within time.Duration // until it is due; 0 is any
}

// pendingFilterOf returns what a form or link chooses, and whether it chooses anything.
func pendingFilterOf(r *request) (f pendingFilter, filtered bool, err error) {
	f.Text = strings.TrimSpace(r.query.Get("text"))
	if within := strings.TrimSpace(r.query.Get("within")); within != "" {
		if f.Within, err = time.ParseDuration(within); err != nil || f.Within <= 0 {
			return f, false, refuse(http.StatusUnprocessableEntity, "Due within is a length such as 15m or 24h; empty is any")
		}
	}
	return f, f != pendingFilter{}, nil
}

// String says in words what is chosen.
func (f pendingFilter) String() string {
	var words []string
	if f.Text != "" {
		words = append(words, fmt.Sprintf("with %q", f.Text))
	}
	if f.Within > 0 {
		words = append(words, "due within "+span(f.Within))
	}
	return "Messages " + strings.Join(words, ", ")
}

// pendingChooser matches pending messages of a queue with a filter.
type pendingChooser struct {
	pendingFilter

	console *Console
	queue   string
	until   time.Time
	fields  payload.Fields
}

func (c *Console) pendingChooser(queue string, f pendingFilter) *pendingChooser {
	h := &pendingChooser{pendingFilter: f, console: c, queue: queue, fields: payload.FieldsOf(c.payloadsOf(queue).SearchFields...)}
	if f.Within > 0 {
		h.until = time.Now().Add(f.Within)
	}
	return h
}

// over reports whether this message and all behind it are due too late.
func (h *pendingChooser) over(m framework.PendingMessage[[]byte]) bool {
	return !h.until.IsZero() && (m.Due.IsZero() || m.Due.After(h.until))
}

// chooses returns the row of a message, and whether the filter chooses it. What cannot be read has
// no text.
func (h *pendingChooser) chooses(m framework.PendingMessage[[]byte]) (messageRow, bool) {
	row, v := h.console.pendingRow(h.queue, m)
	if h.Text == "" || strings.Contains(row.Summary, h.Text) {
		return row, true
	}
	if row.Err != "" {
		return row, false
	}
	_, found := h.fields.Match(v, h.Text)
	return row, found
}

// filteredData is a page of what a filter chooses of the pending messages.
type filteredData struct {
	pendingFilter

	Words  string
	Looked int64
	All    bool // all that are pending were looked at, or all that are due early enough
}

// pendingRows looks for what a filter chooses, from the place on that the request names.
func (c *Console) pendingRows(r *request, d *messagesData, f pendingFilter) error {
	at := fromOf(r)
	q, err := c.queueOf(r.Context(), r)
	if err != nil {
		return err
	}
	end, err := c.searching(r.Context())
	if err != nil {
		return err
	}
	defer end()
	d.Filtered = &filteredData{pendingFilter: f, Words: f.String()}
	h := c.pendingChooser(r.queue, f)
	for d.Filtered.Looked < pendingLook && len(d.Rows) < pageRows {
		page, err := q.Pending().Page(r.Context(), at, 200)
		if err != nil {
			return err
		}
		for _, m := range page {
			if h.over(m) {
				d.Filtered.All = true
				return nil
			}
			at++
			d.Filtered.Looked++
			if row, chosen := h.chooses(m); chosen {
				d.Rows = append(d.Rows, row)
			}
			if len(d.Rows) == pageRows {
				break
			}
		}
		if len(page) == 0 {
			d.Filtered.All = true
			return nil
		}
	}
	d.Next = c.link("/pending", "q", r.queue, "text", f.Text, "within", r.query.Get("within"), "from", strconv.FormatInt(at, 10))
	return nil
}

// bulk is a change of all pending messages that a filter chooses.
type bulk struct {
	queue  *framework.Queue[[]byte]
	choose *pendingChooser
	rate   float64
	dry    bool
	change func(ctx context.Context, m framework.PendingMessage[[]byte]) error
	seen   map[framework.ID]struct{} // those that were changed and may be met again; nil where none can be
}

// bulkOf reads what the forms have in common.
func (c *Console) bulkOf(ctx context.Context, a *acting) (*bulk, error) {
	f, _, err := pendingFilterOf(a.request)
	if err == nil && f.Text == "" {
		err = refuse(http.StatusBadRequest, "Say which by a text: what is shown of the messages, or the value of a field by which they are found")
	}
	if err != nil {
		return nil, err
	}
	b := &bulk{choose: c.pendingChooser(a.queue, f), rate: bulkRate, dry: a.dry()}
	if text := strings.TrimSpace(a.query.Get("rate")); text != "" {
		if b.rate, err = strconv.ParseFloat(text, 64); err != nil || !(b.rate > 0 && b.rate <= maxBulkRate) {
			return nil, refuse(http.StatusUnprocessableEntity, "The rate is a number of messages a second above 0, at most %d", maxBulkRate)
		}
	}
	b.queue, err = c.queueOf(ctx, a.request)
	return b, err
}

// beginBulk begins a change of pending messages.
func (c *Console) beginBulk(a *acting, verb string, b *bulk) (string, error) {
	r, err := c.begin(a, verb, func(ctx context.Context, tell func(int64, string)) (int64, error) {
		return b.run(ctx, c.pace(), tell)
	})
	if err != nil {
		return "", err
	}
	if r.Dry {
		return tried(r), nil
	}
	return fmt.Sprintf("Begun: %v messages a second, in the order in which they are due. This page shows how far it is (%s).", b.rate, r.ID), nil
}

// run goes through the pending messages in the order in which they are due.
func (b *bulk) run(ctx context.Context, p *counted, tell func(int64, string)) (done int64, err error) {
	for m, err := range b.queue.Pending().All(ctx) {
		if err != nil {
			return done, err
		}
		if b.choose.over(m) {
			return done, nil
		}
		if err := p.next(ctx); err != nil {
			return done, err
		}
		if _, again := b.seen[m.ID]; again {
			continue
		}
		if _, chosen := b.choose.chooses(m); !chosen {
			continue
		}
		changed, err := b.one(ctx, m)
		if changed {
			done++
			tell(done, string(m.ID))
		}
		if err == nil && changed && !b.dry {
			err = retry.Pause(ctx, time.Duration(float64(time.Second)/b.rate))
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// one changes a message. One that is not pending any more is left.
func (b *bulk) one(ctx context.Context, m framework.PendingMessage[[]byte]) (changed bool, err error) {
	if m.ID == "" {
		return false, nil
	}
	if b.dry {
		return true, nil
	}
	if err := b.change(ctx, m); errors.Is(err, fault.ErrGone) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if b.seen != nil {
		if b.seen[m.ID] = struct{}{}; len(b.seen) >= maxRescheduled {
			return true, fmt.Errorf("%d were rescheduled, the most of one run: choose fewer by when they are due", maxRescheduled)
		}
	}
	return true, nil
}

func (c *Console) cancelAll(ctx context.Context, a *acting) (string, error) {
	b, err := c.bulkOf(ctx, a)
	if err != nil {
		return "", err
	}
	b.change = func(ctx context.Context, m framework.PendingMessage[[]byte]) error { return b.queue.Cancel(ctx, m.ID) }
	return c.beginBulk(a, "cancel", b) //nolint:contextcheck // it outlives the request
}

func (c *Console) rescheduleAll(ctx context.Context, a *acting) (string, error) {
	more, err := time.ParseDuration(a.query.Get("more"))
	if err != nil || more < 0 || more > maxMoreTime {
		return "", refuse(http.StatusUnprocessableEntity, moreTimeRefusal)
	}
	b, err := c.bulkOf(ctx, a)
	if err != nil {
		return "", err
	}
	b.seen = map[framework.ID]struct{}{}
	b.change = func(ctx context.Context, m framework.PendingMessage[[]byte]) error {
		return b.queue.Reschedule(ctx, m.ID, later(m.Due, more))
	}
	return c.beginBulk(a, "reschedule", b) //nolint:contextcheck // it outlives the request
}

// later returns the due time of a message that is given more time; with none it is due now.
func later(due time.Time, more time.Duration) time.Time {
	at := time.Now()
	if more > 0 && due.After(at) {
		at = due
	}
	return at.Add(more)
}
