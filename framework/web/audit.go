package web

import (
	"context"

	"github.com/duequeue/duequeue/framework/admin"
)

func (c *Console) auditPage() page {
	return page{path: "/audit", params: []string{"who", "action", "cursor"}, past: true, name: "Audit", at: onTop, role: RoleLook, template: "audit.html", get: c.auditTrail}
}

type auditData struct {
	Rows        []admin.Audit
	Who, Action string // those wanted
	Further     string
}

// auditTrail shows what people have done, to the queues that the user may look at.
func (c *Console) auditTrail(r *request) (any, error) {
	d := auditData{Who: r.query.Get("who"), Action: r.query.Get("action")}
	ctx, cancel := context.WithTimeout(c.searching.Of(r.Context(), r.user.Name), 3*c.options.searchTime)
	defer cancel()
	asked := c.nameOf(r.queue)
	rows, more, err := admin.AuditTrail(ctx, c.client, admin.AuditOptions{
		Who: d.Who, Action: d.Action, Cursor: r.query.Get("cursor"), Most: pageRows,
		Queues: func(queue string) bool {
			return (r.queue == "" || c.nameOf(queue) == asked) && r.user.on(queue) >= RoleLook && (!c.options.OnlyDeclared || c.declared(queue) != nil)
		},
	})
	if d.Rows = rows; more != "" {
		d.Further = c.link("/audit", "q", r.queue, "who", d.Who, "action", d.Action, "cursor", more)
	}
	return d, err
}
