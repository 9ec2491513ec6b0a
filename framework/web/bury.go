package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework"
)

// readyActions move ready messages to the dead store.
func (c *Console) readyActions() []action {
	return []action{
		{path: "/ready/bury", params: []string{"class", "limit"}, verb: "bury", role: RoleOperate, back: "/ready", confirm: true, audits: true, tries: true, do: c.buryReady},
		{path: "/ready/go-on", absent: true, params: []string{"run"}, verb: "go on", role: RoleOperate, back: "/ready", audits: true, do: c.goOn},
		{path: "/ready/stop", absent: true, params: []string{"run"}, verb: "stop", role: RoleOperate, back: "/ready", do: c.stopRun},
	}
}

func (c *Console) buryReady(ctx context.Context, a *acting) (string, error) {
	o := framework.BuryOptions{Detail: a.reason + " (" + a.user.Name + ")", Class: strings.TrimSpace(a.query.Get("class")), DryRun: a.dry()}
	if text := strings.TrimSpace(a.query.Get("limit")); text != "" {
		var err error
		if o.Limit, err = strconv.ParseInt(text, 10, 64); err != nil || o.Limit < 1 {
			return "", refuse(http.StatusUnprocessableEntity, "At most is a whole number above 0; empty is no limit")
		}
	}
	q, err := c.queueOf(ctx, a.request)
	if err != nil {
		return "", err
	}
	r, err := c.begin(a, "bury", func(ctx context.Context, run *running) (int64, error) { //nolint:contextcheck // it outlives the request
		count := func(r framework.BuryResult) int64 {
			if o.DryRun {
				return r.Matched
			}
			return r.Buried
		}
		before := run.Done
		if o.Limit > 0 {
			if o.Limit -= before; o.Limit <= 0 {
				return before, nil
			}
		}
		o.Progress = func(r framework.BuryResult) { run.tell(before+count(r), nil) }
		result, failed := q.Ready().Bury(ctx, o)
		return before + count(result), failed
	})
	if err != nil {
		return "", err
	}
	if r.Dry {
		return tried(r), nil
	}
	return "Begun: the next one to be handled first. This page shows how far it is (" + r.ID + "). Dead letters have them, and put them back.", nil
}
