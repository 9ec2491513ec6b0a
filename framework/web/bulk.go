package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/bulk"
	"github.com/duequeue/duequeue/framework/internal/cursor"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// Bounds of what is done to pending messages together.
const (
	pendingLook     = 2000 // messages that one page of a filter looks at
	maxBulkRate     = 10_000
	maxMoreTime     = 366 * 24 * time.Hour
	moreTimeRefusal = "More time is a length such as 15m or 4h, at most a year; 0s makes it due now"
)

// pendingActions change all pending messages that a filter chooses.
func (c *Console) pendingActions() []action {
	return []action{
		{path: "/pending/cancel-all", params: []string{"text", "within", "rate"}, verb: "cancel", role: RoleSupport, back: "/pending", confirm: true, audits: true, tries: true, do: c.cancelAll},
		{path: "/pending/reschedule-all", params: []string{"text", "within", "more", "rate"}, verb: "reschedule", role: RoleSupport, back: "/pending", audits: true, tries: true, do: c.rescheduleAll},
		{path: "/pending/go-on", absent: true, params: []string{"run"}, verb: "go on", role: RoleSupport, back: "/pending", audits: true, do: c.goOn},
		{path: "/pending/stop", absent: true, params: []string{"run"}, verb: "stop", role: RoleSupport, back: "/pending", do: c.stopRun},
	}
}

// pendingFilter chooses among pending messages.
type pendingFilter struct {
	bulk.Filter

	Within string // as it was typed: until it is due, or the time before which it is
}

const withinRefusal = "Due within is a length such as 15m or 24h, or a time such as 2026-01-31T08:00:00Z; empty is any"

// pendingFilterOf returns what a form or link chooses, and whether it chooses anything.
func (c *Console) pendingFilterOf(r *request) (f pendingFilter, filtered bool, err error) {
	f.Text, f.Within = strings.TrimSpace(r.query.Get("text")), strings.TrimSpace(r.query.Get("within"))
	f.Fields = payload.FieldsOf(c.payloadsOf(r.queue).SearchFields...)
	if f.Within != "" {
		within, err := time.ParseDuration(f.Within)
		f.Before = time.Now().Add(within)
		if err != nil {
			f.Before, err = time.Parse(time.RFC3339, f.Within)
			within = 1
		}
		if err != nil || within <= 0 {
			return f, false, refuse(http.StatusUnprocessableEntity, withinRefusal)
		}
	}
	return f, f.Text != "" || f.Within != "", nil
}

// String says in words what is chosen.
func (f pendingFilter) String() string {
	var parts []string
	if f.Text != "" {
		parts = append(parts, fmt.Sprintf("with %q", f.Text))
	}
	if within, err := time.ParseDuration(f.Within); err == nil {
		parts = append(parts, "due within "+words.Span(within))
	} else if f.Within != "" {
		parts = append(parts, "due before "+f.Within)
	}
	return "Messages " + strings.Join(parts, ", ")
}

// filteredData is a page of what a filter chooses of the pending messages.
type filteredData struct {
	pendingFilter

	Words  string
	Looked int64
	Large  int64    // of these, that are too large to be looked into
	All    bool     // all that are pending were looked at, or all that are due early enough
	Hidden bool     // fields are hidden, in which the text is not looked for
	Fields []string // hidden or not, a value of these is found
}

// pendingRows looks for what a filter chooses behind a place.
func (c *Console) pendingRows(r *request, d *messagesData, f pendingFilter, place partitions.PendingPlace) error {
	ctx := c.searching.Of(r.Context(), r.user.Name)
	fields := c.fieldsOf(r.queue)
	d.Filtered = &filteredData{pendingFilter: f, Words: f.String(), Hidden: f.Text != "" && !slices.Contains(fields.VisibleFields, payload.All), Fields: fields.SearchFields}
	for began := time.Now(); d.Filtered.Looked < pendingLook && len(d.Rows) < pageRows && time.Since(began) < c.options.searchTime; {
		page, err := c.pendingBehind(ctx, r.queue, place, 200, shownBytes)
		if err != nil {
			return err
		}
		for _, m := range page {
			if f.Over(m.Due) {
				d.Filtered.All = true
				return nil
			}
			place = m.place
			d.Filtered.Looked++
			row, v := c.pendingRowAt(r.queue, m)
			if row.Cut {
				d.Filtered.Large++
			} else if f.Matches(m.Due, row.Summary, v) {
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
	d.Next = c.link("/pending", "q", r.queue, "text", f.Text, "within", f.Within, "after", cursor.Text(place))
	return nil
}

// changeOf reads what the forms have in common.
func (c *Console) changeOf(ctx context.Context, a *acting) (*bulk.Change, error) {
	f, _, err := c.pendingFilterOf(a.request)
	if err == nil && f.Text == "" {
		err = refuse(http.StatusBadRequest, "Say which by a text: what is shown of the messages, or the value of a field by which they are found")
	}
	if err != nil {
		return nil, err
	}
	if a.goes != nil {
		f.From, f.Before = a.goes.From, a.goes.Before
	}
	a.left = f.Filter
	b := &bulk.Change{Filter: f.Filter, Rate: bulk.DefaultRate, Dry: a.dry(), Pace: *c.pace()}
	if text := strings.TrimSpace(a.query.Get("rate")); text != "" {
		if b.Rate, err = strconv.ParseFloat(text, 64); err != nil || !(b.Rate >= bulk.LeastRate && b.Rate <= maxBulkRate) {
			return nil, refuse(http.StatusUnprocessableEntity, "The rate is a number of messages a second from %g to %d", bulk.LeastRate, maxBulkRate)
		}
	}
	b.Read = func(m framework.PendingMessage[[]byte]) (string, any) {
		row, v := c.pendingRow(a.queue, m)
		return row.Summary, v
	}
	b.Queue, err = c.queueOf(ctx, a.request)
	return b, err
}

// beginBulk begins a change of pending messages.
func (c *Console) beginBulk(a *acting, verb string, b *bulk.Change) (string, error) {
	r, err := c.begin(a, verb, func(ctx context.Context, run *running) (int64, error) {
		b.Done = run.Done
		b.Hold = run.hold
		b.Each = func(bulk.Message, time.Time, error) {
			if rest := b.Rest(); b.MoreTime {
				run.tell(b.Done, nil) // what is left is held
			} else {
				run.tell(b.Done, &rest)
			}
		}
		if b.Dry {
			b.Chose = func(bulk.Message, time.Time, string) { run.tell(b.Done, nil) }
		}
		err := b.Run(c.journaling(ctx, a.queue))
		return b.Done, err
	})
	if err != nil {
		return "", err
	}
	if r.Dry {
		return tried(r), nil
	}
	order := "in the order in which they are due"
	if b.MoreTime {
		order = "what is due last first"
	}
	return fmt.Sprintf("Begun: %v messages a second, %s. This page shows how far it is (%s).", b.Rate, order, r.ID), nil
}

func (c *Console) cancelAll(ctx context.Context, a *acting) (string, error) {
	b, err := c.changeOf(ctx, a)
	if err != nil {
		return "", err
	}
	return c.beginBulk(a, "cancel", b) //nolint:contextcheck // it outlives the request
}

func (c *Console) rescheduleAll(ctx context.Context, a *acting) (string, error) {
	more, err := time.ParseDuration(a.query.Get("more"))
	if err != nil || more < 0 || more > maxMoreTime {
		return "", refuse(http.StatusUnprocessableEntity, moreTimeRefusal)
	}
	b, err := c.changeOf(ctx, a)
	if err != nil {
		return "", err
	}
	b.MoreTime = more > 0
	b.Move = func(due time.Time) (time.Time, bool) {
		if more > 0 { // what is never due has time enough
			return later(due, more), !due.IsZero()
		}
		return later(due, more), due.IsZero() || due.After(time.Now())
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
