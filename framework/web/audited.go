package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
)

// notTarget are parameters that do not say what is changed.
var notTarget = []string{"q", "reason", "confirm", "done", "cursor", "dry"}

// targetOf says in words what a form changes: its parameters.
func targetOf(r *request) string {
	var words []string
	for name, values := range r.query {
		for _, v := range values {
			if v != "" && !slices.Contains(notTarget, name) {
				words = append(words, name+" "+v)
			}
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// audit does what the audit must know, and refuses it where the audit cannot be written.
func (c *Console) audit(ctx context.Context, r *request, verb, reason string, do func(ctx context.Context) (string, error)) error {
	a := admin.Action{
		Who: cmp.Or(r.user.Name, "unknown"), Role: r.user.on(r.queue).String(), Via: "console", Action: verb, Queue: r.queue,
		Target: targetOf(r), Reason: reason,
	}
	err := admin.Audited(ctx, c.client, a, do)
	var audit *fault.AuditError
	if errors.As(err, &audit) && audit.Refused {
		return &problem{status: http.StatusServiceUnavailable, text: "Nothing was done, since the audit cannot be written", err: audit.Err}
	}
	return err
}
