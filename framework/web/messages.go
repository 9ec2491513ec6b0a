package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/payload"
)

const (
	pageRows      = 50
	messagesFresh = 2 * time.Second
	// maxReadyOffset is how far the ready list is read: Redis walks to that place.
	maxReadyOffset = 10_000
)

func (c *Console) pendingPage() page {
	return page{path: "/pending", name: "Pending", at: inQueue, role: RoleLook, template: "messages.html", get: c.pending}
}

func (c *Console) readyPage() page {
	return page{path: "/ready", name: "Ready", at: inQueue, role: RoleLook, template: "messages.html", get: c.ready}
}

func (c *Console) inFlightPage() page {
	return page{path: "/inflight", name: "In flight", at: inQueue, role: RoleLook, template: "inflight.html", get: c.inFlight}
}

// messagesData is a page of what is pending or ready.
type messagesData struct {
	Place          admin.Place
	Rows           []messageRow
	From, To       int64 // of Of, from 1
	Of             int64
	Previous, Next string

	// Of what is pending:
	Runs     []run
	Filtered *filteredData // nil without a filter
}

type messageRow struct {
	ID      string
	Due     time.Time // zero for never, and where it is not known
	Overdue bool
	Summary string // class and visible fields
	Err     string
	Bytes   int
	Payload *shownPayload // ready messages, which have no page of their own
}

// row reads a payload for a table, and returns its value, too: nil where it cannot be read.
func (c *Console) row(queue string, body []byte, failed error) (r messageRow, v any) {
	r.Bytes = len(body)
	if failed != nil && body == nil {
		r.Err = clean(failed.Error())
		return r, nil
	}
	p := c.payloadsOf(queue)
	v, err := p.Decode(body)
	if err != nil {
		r.Err = clean(err.Error())
		return r, nil
	}
	r.Summary = payload.Tree(v, payload.FieldsOf(p.VisibleFields...), payload.Bounds{}).Summary()
	return r, v
}

// pendingRow is row for a message that is pending.
func (c *Console) pendingRow(queue string, m framework.PendingMessage[[]byte]) (messageRow, any) {
	r, v := c.row(queue, m.Body, m.Err)
	r.ID, r.Due, r.Overdue = string(m.ID), m.Due, !m.Due.IsZero() && time.Since(m.Due) > time.Second
	return r, v
}

// fromOf is the place in a list from which a request wants to look.
func fromOf(r *request) int64 {
	at, err := strconv.ParseInt(r.query.Get("from"), 10, 64)
	if err != nil {
		return 0
	}
	return max(at, 0)
}

// listed are rows as they were read: payloads themselves are not kept.
type listed struct {
	rows []messageRow
	of   int64
}

// list makes a page of a list, from the place on that a request names, which is at most one.
// load reads the rows, and says of how many they are.
func (c *Console) list(
	r *request, place admin.Place, most int64, load func(ctx context.Context, q *framework.Queue[[]byte], n framework.Counts, at int64) (listed, error),
) (messagesData, error) {
	at := min(fromOf(r), most)
	found, err := read(r, fmt.Sprintf("%s %d %s", place, at, r.queue), messagesFresh, func(ctx context.Context) (listed, error) {
		q, err := c.queueOf(ctx, r)
		if err != nil {
			return listed{}, err
		}
		counts, err := q.Counts(ctx)
		if err != nil {
			return listed{}, err
		}
		return load(ctx, q, counts, at)
	})
	to := at + int64(len(found.rows))
	d := messagesData{Place: place, Rows: found.rows, From: at + 1, To: to, Of: max(found.of, to)}
	if at > 0 {
		d.Previous = c.link(r.path, "q", r.queue, "from", strconv.FormatInt(max(at-pageRows, 0), 10))
	}
	if len(found.rows) == pageRows && d.To < d.Of {
		d.Next = c.link(r.path, "q", r.queue, "from", strconv.FormatInt(at+pageRows, 10))
	}
	return d, err
}

func (c *Console) pending(r *request) (any, error) {
	f, filtered, err := c.pendingFilterOf(r)
	if err != nil {
		return nil, err
	}
	if filtered {
		d := messagesData{Place: admin.PlacePending, Runs: c.runs.of(r)}
		err = c.pendingRows(r, &d, f)
		return d, err
	}
	d, err := c.list(r, admin.PlacePending, 1<<31, func(ctx context.Context, q *framework.Queue[[]byte], n framework.Counts, at int64) (listed, error) {
		messages, failed := q.Pending().Page(ctx, at, pageRows)
		l := listed{of: n.Delayed}
		for _, m := range messages {
			row, _ := c.pendingRow(r.queue, m)
			l.rows = append(l.rows, row)
		}
		return l, failed
	})
	d.Runs = c.runs.of(r)
	return d, err
}

func (c *Console) ready(r *request) (any, error) {
	return c.list(r, admin.PlaceReady, maxReadyOffset, func(ctx context.Context, q *framework.Queue[[]byte], n framework.Counts, at int64) (listed, error) {
		messages, err := q.Ready().Page(ctx, at, pageRows)
		l := listed{of: min(n.Ready, maxReadyOffset+pageRows)}
		for _, m := range messages {
			p := c.showPayload(r.queue, m.Body, false)
			row := messageRow{Bytes: p.Bytes, Err: p.Err, Payload: &p}
			if p.Err == "" {
				row.Summary = p.Tree.Summary()
			}
			l.rows = append(l.rows, row)
		}
		return l, err
	})
}

// inFlightData is what Go processes have in hand.
type inFlightData struct {
	admin.InFlight
	Rows []inFlightRow
}

type inFlightRow struct {
	admin.InFlightMessage
	Payload *shownPayload // nil where Redis has none of that ID
}

// maxHeld is of how many messages in flight payloads are read.
const maxHeld = 100

func (c *Console) inFlight(r *request) (any, error) {
	return read(r, "in flight "+r.queue, messagesFresh, func(ctx context.Context) (d inFlightData, err error) {
		if d.InFlight, err = admin.InFlightOf(ctx, c.client, r.queue); err != nil || len(d.Messages) == 0 {
			return d, err
		}
		bodies, err := admin.HeldPayloads(ctx, c.client, r.queue, maxHeld)
		for _, m := range d.Messages {
			row := inFlightRow{InFlightMessage: m}
			if body, ok := bodies[m.ID]; ok {
				p := c.showPayload(r.queue, body, false)
				row.Payload = &p
			}
			d.Rows = append(d.Rows, row)
		}
		return d, err
	})
}

// queueOf binds the queue of a request.
func (c *Console) queueOf(ctx context.Context, r *request) (*framework.Queue[[]byte], error) {
	return admin.Queue(ctx, c.client, r.queue)
}

// needsReason returns the reason of a form, or a refusal.
func needsReason(r *request) (string, error) {
	if reason := strings.TrimSpace(r.query.Get("reason")); reason != "" {
		return reason, nil
	}
	return "", refuse(http.StatusUnprocessableEntity, "Say why: the audit, the log and your colleagues need a reason")
}
