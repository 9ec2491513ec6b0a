package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/operations"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// pendingLook is how many messages one page of a filter looks at.
const pendingLook = 2000

// pendingFilter chooses among pending messages.
type pendingFilter struct {
	operations.Filter

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

// Chosen are the parameters that choose the same.
func (f pendingFilter) Chosen() (pairs [][2]string) {
	for _, p := range [][2]string{{"text", f.Text}, {"within", f.Within}} {
		if p[1] != "" {
			pairs = append(pairs, p)
		}
	}
	return pairs
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
	d.Next = c.link("/pending", "q", r.queue, "text", f.Text, "within", f.Within, "after", words.Cursor(place))
	return nil
}
