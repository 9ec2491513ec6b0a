package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func (c *Console) messagePage() page {
	return page{path: "/message", params: []string{"id"}, name: "Message", at: nowhere, role: RoleLook, post: true, template: "message.html", get: c.message}
}

type messageData struct {
	ID      string
	Due     time.Time
	Record  wire.MessageRecord // zero where there is none
	Payload shownPayload
	Err     string

	Gone *fault.NotPendingError // it is not pending
	Why  string                 // what that error says
	// Revealed says that hidden values are shown. MayReveal that they may be.
	Revealed, MayReveal bool
}

// message shows one that is pending. A POST shows hidden values too, and is audited.
func (c *Console) message(r *request) (any, error) {
	if r.queue == "" || r.query.Get("id") == "" {
		return nil, refuse(http.StatusBadRequest, "This needs a queue and an ID")
	}
	d := messageData{ID: r.query.Get("id"), MayReveal: r.user.on(r.queue) >= RoleSupport}
	var body []byte
	load := func(ctx context.Context) (string, error) {
		q, err := c.queueOf(ctx, r)
		if err != nil {
			return "", err
		}
		m, err := q.Pending().Get(ctx, framework.ID(d.ID))
		if errors.As(err, &d.Gone) {
			d.Why = clean(err.Error())
			return "", nil
		}
		var wrong *fault.IDError
		if errors.As(err, &wrong) {
			return "", &problem{status: http.StatusBadRequest, text: "This is no ID of a message", err: err}
		}
		if err != nil {
			return "", err
		}
		d.ID, d.Due, body = string(m.ID), m.Due, m.Body
		if m.Err != nil {
			d.Err = clean(m.Err.Error())
		}
		d.Record, err = c.record(ctx, r.queue, d.ID)
		return "", err
	}
	var err error
	if d.Revealed, err = c.reveal(r, load); err != nil {
		return nil, err
	}
	if d.Gone == nil && body != nil {
		d.Payload = c.showPayload(r.queue, body, d.Revealed)
	}
	return d, nil
}

// reveal loads what a page shows. Where hidden values are asked for it is audited, and
// refused to users who may not see them.
func (c *Console) reveal(r *request, load func(ctx context.Context) (string, error)) (revealed bool, err error) {
	if r.Method != http.MethodPost {
		_, err = load(r.Context())
		return false, err
	}
	if got := r.user.on(r.queue); got < RoleSupport {
		return false, refuse(http.StatusForbidden, "To see hidden fields takes the role %s; yours is %s", RoleSupport, got)
	}
	reason, err := needsReason(r)
	if err != nil {
		return false, err
	}
	c.options.Log.InfoContext(r.Context(), "console: hidden fields are shown", "queue", r.queue, "by", r.user.Name, "why", reason, "target", targetOf(r))
	return true, c.audit(r.Context(), r, "show hidden fields", reason, load)
}

// record returns what is known of a message besides its element.
func (c *Console) record(ctx context.Context, queue, id string) (wire.MessageRecord, error) {
	parsed, err := wire.ParseID(id)
	if err != nil {
		return wire.MessageRecord{}, nil //nolint:nilerr // it has none
	}
	client := access.Of(c.client)
	k, err := client.Keys(wire.PartitionName(queue, parsed.Partition))
	if err != nil {
		return wire.MessageRecord{}, err
	}
	records, err := delayed.Records(ctx, client.Redis, k, []wire.ElementID{parsed.Element})
	if err != nil {
		return wire.MessageRecord{}, err
	}
	return records[0], nil
}
