package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/budget"
)

// maxOfTarget is how much of one parameter the audit has, in bytes: none pushes out another.
const maxOfTarget = 200

// targetOf says in words what a form changes or shows: the parameters of its action.
func targetOf(r *request) string {
	var words []string
	for _, name := range slices.Sorted(slices.Values(r.params)) {
		if v := r.query.Get(name); v != "" {
			words = append(words, name+" "+codecs.Printable(v, maxOfTarget))
		}
	}
	return strings.Join(words, ", ")
}

// audit does what the audit must know, and refuses it where no one is named or the audit cannot be
// written.
func (c *Console) audit(ctx context.Context, r *request, verb, reason string, do func(ctx context.Context) (string, error)) error {
	if r.user.Name == "" {
		return refuse(http.StatusForbidden, "This needs to know who you are: the audit takes a name")
	}
	end, err := budget.Await(ctx)
	if err != nil {
		return err
	}
	end()
	ctx = budget.Begun(ctx) // what is in the audit is brought to its end
	a := admin.Action{
		Who: r.user.Name, Role: r.user.on(r.queue).String(), Via: "console", Action: verb, Queue: r.queue,
		Target: targetOf(r), Reason: reason, Shows: c.actions[r.path].do == nil,
	}
	err = admin.Audited(ctx, c.client, a, do)
	var audit *fault.AuditError
	if errors.As(err, &audit) && audit.Refused {
		return &problem{status: http.StatusServiceUnavailable, text: "Nothing was done, since the audit cannot be written", err: audit.Err}
	}
	return err
}
