package look

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const auditHelp = `
audit lists what people have done to queues by tools, this one and the console, the newest
first: who paused, redrove, dropped, cancelled, which messages, why, and what came of it.
About the latest 5,000 actions are kept. Without a queue it lists those of all.
`

// Audit returns the command that lists what people have done.
func Audit(e *env.Env) *cli.Command {
	var o admin.AuditOptions
	return e.Command(env.Spec{
		Name: "audit", Args: "[QUEUE...]", Short: "list who did what to queues, and why", Group: env.GroupLook, Long: auditHelp,
		Examples: []string{"duequeue audit ORDERS", "duequeue audit -who alice -action pause"}, JSON: auditLine{},
		Flags: []cli.Flag{
			env.Int(&o.Most, "limit", 50, "most actions, 1000 at most"),
			env.String(&o.Who, "who", "", "actions of this `NAME`"),
			env.String(&o.Action, "action", "", "actions called so: pause, resume, limit, redrive, drop, cancel, reschedule, migrate"),
			env.String(&o.Cursor, "after", "", "go on where a list ended, with what it printed"),
		},
		Run: func(ctx context.Context, queues []string) error { return audit(ctx, e, queues, o) },
	})
}

// auditLine is an action in JSON.
type auditLine struct {
	ID     string `json:"id"`
	At     string `json:"at"`
	Who    string `json:"who"`
	Role   string `json:"role,omitempty"`
	Via    string `json:"via,omitempty"`
	Action string `json:"action"`
	Queue  string `json:"queue"`
	Target string `json:"target,omitempty"`
	Reason string `json:"reason,omitempty"`
	Ended  bool   `json:"ended"` // what came of it is known
	End    string `json:"end,omitempty"`
	Result string `json:"result,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

func audit(ctx context.Context, e *env.Env, queues []string, o admin.AuditOptions) (err error) {
	if o.Most < 1 || o.Most > 1000 {
		return env.Usagef("audit: -limit must be from 1 to 1000")
	}
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	if len(queues) > 0 {
		o.Queues = func(queue string) bool { return slices.Contains(queues, queue) }
	}
	found, more, err := admin.AuditTrail(ctx, client, o)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		if err := e.Exists(ctx, client, queues...); err != nil {
			return err
		}
		e.Warn("nothing of that is in the audit")
	}
	var t screen.Table
	t.Header("AT ("+e.Clock().Zone()+")", "AGE", "WHO", "VIA", "ACTION", "QUEUE", "TARGET", "REASON", "RESULT")
	for _, a := range found {
		if e.JSON {
			line := auditLine{
				a.ID, words.Stamp(a.At), a.Who, a.Role, a.Via, a.Action.Action, a.Queue, a.Target, a.Reason, a.Ended, words.Stamp(a.End), a.Result, a.Failed,
			}
			if err := e.Line(line); err != nil {
				return err
			}
			continue
		}
		result := screen.Clean(a.Result)
		switch {
		case !a.Ended:
			result = screen.Yellow.On("not known: under way, or its tool died")
		case a.Failed:
			result = screen.Red.On("failed: " + result)
		}
		t.Row(e.Clock().At(a.At), screen.Age(a.At, time.Now()), screen.Clean(a.Who), dash(a.Via), screen.Clean(a.Action.Action), screen.Name(a.Queue),
			screen.Cut(dash(a.Target), 40), screen.Cut(dash(a.Reason), 60), cmp.Or(result, "-"))
	}
	if more != "" && len(found) == o.Most {
		e.Warn("there is more: -after %s goes on", more)
	}
	if e.JSON || len(found) == 0 {
		return nil
	}
	return t.Write(e.Stdout)
}
