package web

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const (
	pageRows      = 50
	messagesFresh = 2 * time.Second
	// tableBytes is how much of a payload a table reads: of a larger one it shows the size.
	tableBytes = 64 << 10
	// maxReadyOffset is how far the ready list is read: Redis walks to that place.
	maxReadyOffset = 10_000
)

func (c *Console) pendingPage() page {
	return page{path: "/pending", params: []string{"text", "within", "after"}, name: "Pending", at: inQueue, role: RoleLook, template: "messages.html", get: c.pending}
}

func (c *Console) readyPage() page {
	return page{path: "/ready", params: []string{"from"}, name: "Ready", at: inQueue, role: RoleLook, template: "messages.html", get: c.ready}
}

func (c *Console) inFlightPage() page {
	return page{path: "/inflight", name: "In flight", at: inQueue, role: RoleLook, template: "inflight.html", get: c.inFlight}
}

// messagesData is a page of what is pending or ready.
type messagesData struct {
	Place          admin.Place
	Rows           []messageRow
	From, To       int64 // of Of, from 1; unknown behind the first page of what is pending
	Of             int64
	Previous, Next string // of what is pending: to the first page, to those behind

	Runs     []run
	Filtered *filteredData // of what is pending; nil without a filter
}

type messageRow struct {
	ID      string
	Due     time.Time // zero for never, and where it is not known
	Overdue bool
	Summary string // class and visible fields
	Err     string
	Bytes   int
	Cut     bool          // only the beginning was read
	Payload *shownPayload // ready messages, which have no page of their own
}

// row reads a payload for a table, and returns its value, too: nil where it cannot be read.
func (c *Console) row(queue string, body []byte, failed error) (r messageRow, v any) {
	r.Bytes = len(body)
	if failed != nil && body == nil {
		r.Err = clean(failed.Error())
		return r, nil
	}
	visible := payload.FieldsOf(c.fieldsOf(queue).VisibleFields...)
	err := c.payloads.one(func() error {
		p := c.decode(queue, body)
		if v = p.Value; p.Err != nil {
			return p.Err
		}
		r.Summary = payload.Tree(v, visible, payload.Bounds{}).Summary()
		return nil
	})
	if err != nil {
		r.Err = clean(err.Error())
		return r, nil
	}
	return r, v
}

// tooLarge is shown in place of a payload of which only the beginning was read.
const tooLarge = "too large for a table"

// pendingRowAt is pendingRow for what may be the beginning of a payload.
func (c *Console) pendingRowAt(queue string, m pendingAt) (messageRow, any) {
	if m.Err != nil || len(m.Body) == m.bytes {
		return c.pendingRow(queue, m.PendingMessage)
	}
	m.Body = nil
	r, _ := c.pendingRow(queue, m.PendingMessage)
	r.Summary, r.Err, r.Bytes, r.Cut = tooLarge, "", m.bytes, true
	return r, nil
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
	next string // the place of those behind; "" where there are none
}

// placeOf is the place in the list of what is pending behind which a request wants to look.
func placeOf(r *request) (place partitions.PendingPlace, err error) {
	if text := r.query.Get("after"); text != "" {
		if err := words.ReadCursor(text, &place); err != nil || !place.Valid(math.MaxInt) {
			return place, nowhereElse()
		}
	}
	return place, nil
}

func nowhereElse() error {
	return refuse(http.StatusBadRequest, "This address leads nowhere: begin again with those that are due first")
}

// pendingAt is a pending message with its place.
type pendingAt struct {
	framework.PendingMessage[[]byte]

	bytes int // of the whole payload
	place partitions.PendingPlace
}

// pendingBehind reads some pending messages behind a place, at most so many bytes of each.
func (c *Console) pendingBehind(ctx context.Context, queue string, place partitions.PendingPlace, limit int64, most int) ([]pendingAt, error) {
	client := access.Of(c.client)
	keys, _, err := partitions.Served(ctx, client.Redis, queue, client.Keys)
	if err != nil {
		return nil, err
	}
	if place.Partition >= len(keys) {
		return nil, nowhereElse()
	}
	found, err := partitions.PagePendingFrom(ctx, client.Redis, keys, place, limit, most, true)
	out := make([]pendingAt, len(found))
	for i, f := range found {
		out[i] = pendingAt{framework.PendingMessage[[]byte]{ID: framework.ID(f.Text), Body: f.Payload, Err: f.Err}, f.Bytes, f.Place()}
		if f.DueMs >= 0 {
			out[i].Due = time.UnixMilli(f.DueMs)
		}
	}
	return out, err
}

func (c *Console) pending(r *request) (any, error) {
	f, filtered, err := c.pendingFilterOf(r)
	if err != nil {
		return nil, err
	}
	place, err := placeOf(r)
	if err != nil {
		return nil, err
	}
	d := messagesData{Place: admin.PlacePending, Runs: c.runsOf(r)}
	if r.query.Get("after") != "" {
		d.Previous = c.link("/pending", "q", r.queue, "text", f.Text, "within", r.query.Get("within"))
	}
	if filtered {
		err = c.pendingRows(r, &d, f, place)
		return d, err
	}
	l, err := read(r, "pending "+words.Cursor(place)+" "+r.queue, messagesFresh, func(ctx context.Context) (l listed, err error) {
		q, err := c.queueOf(ctx, r)
		if err != nil {
			return l, err
		}
		n, err := q.Counts(ctx)
		if err != nil {
			return l, err
		}
		l.of = n.Delayed
		found, err := c.pendingBehind(ctx, r.queue, place, pageRows+1, tableBytes)
		if len(found) > pageRows {
			found = found[:pageRows]
			l.next = words.Cursor(found[pageRows-1].place)
		}
		for _, m := range found {
			row, _ := c.pendingRowAt(r.queue, m)
			l.rows = append(l.rows, row)
		}
		return l, err
	})
	d.Rows, d.From, d.To, d.Of = l.rows, 1, int64(len(l.rows)), max(l.of, int64(len(l.rows)))
	if l.next != "" {
		d.Next = c.link("/pending", "q", r.queue, "after", l.next)
	}
	return d, err
}

// ready lists what is ready from a place on, by its number: payloads in a list have no other.
func (c *Console) ready(r *request) (any, error) {
	at := min(fromOf(r), maxReadyOffset)
	l, err := read(r, fmt.Sprintf("ready %d %s", at, r.queue), messagesFresh, func(ctx context.Context) (l listed, err error) {
		q, err := c.queueOf(ctx, r)
		if err != nil {
			return l, err
		}
		n, err := q.Counts(ctx)
		if err != nil {
			return l, err
		}
		l.of = min(n.Ready, maxReadyOffset+pageRows)
		client := access.Of(c.client)
		keys, _, err := partitions.Served(ctx, client.Redis, r.queue, client.Keys)
		if err != nil {
			return l, err
		}
		for b, err := range partitions.WalkBeginnings(ctx, client.Redis, keys, at, pageRows, tableBytes) {
			if err != nil {
				return l, err
			}
			l.rows = append(l.rows, c.readyRow(r.queue, b))
		}
		return l, nil
	})
	to := at + int64(len(l.rows))
	d := messagesData{Place: admin.PlaceReady, Runs: c.runsOf(r), Rows: l.rows, From: at + 1, To: to, Of: max(l.of, to)}
	if at > 0 {
		d.Previous = c.link(r.path, "q", r.queue, "from", strconv.FormatInt(max(at-pageRows, 0), 10))
	}
	if len(l.rows) == pageRows && d.To < d.Of {
		d.Next = c.link(r.path, "q", r.queue, "from", strconv.FormatInt(at+pageRows, 10))
	}
	return d, err
}

func (c *Console) readyRow(queue string, b delayed.Beginning) messageRow {
	if len(b.Text) < b.Bytes {
		return messageRow{Summary: tooLarge, Bytes: b.Bytes, Cut: true}
	}
	p := c.showPayload(queue, []byte(b.Text), false)
	row := messageRow{Bytes: p.Bytes, Err: p.Err, Payload: &p}
	if p.Err == "" {
		row.Summary = p.Tree.Summary()
	}
	return row
}

// inFlightData is what Go processes have in hand.
type inFlightData struct {
	admin.InFlight
	Rows []inFlightRow
}

type inFlightRow struct {
	admin.InFlightMessage
	Payload *shownPayload // nil where Redis has none of that ID
	Cut     bool          // only its size was read
}

// maxHeld is of how many messages in flight payloads are read.
const maxHeld = 100

func (c *Console) inFlight(r *request) (any, error) {
	return read(r, "in flight "+r.queue, messagesFresh, func(ctx context.Context) (d inFlightData, err error) {
		if d.InFlight, err = admin.InFlightOf(ctx, c.client, r.queue); err != nil || len(d.Messages) == 0 {
			return d, err
		}
		held, err := admin.HeldPayloads(ctx, c.client, r.queue, maxHeld, tableBytes)
		for _, m := range d.Messages {
			row := inFlightRow{InFlightMessage: m}
			if h, ok := held[m.ID]; ok {
				if row.Cut = len(h.Body) < h.Bytes; row.Cut {
					row.Payload = &shownPayload{Bytes: h.Bytes}
				} else {
					p := c.showPayload(r.queue, h.Body, false)
					row.Payload = &p
				}
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
