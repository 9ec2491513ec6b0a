package change

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const groupsHelp = `
groups puts dead letters of one cause together: of one reason and one class, with errors that
differ in numbers, ids, quoted texts and addresses alone; the group that grew last comes
first. With -new it marks those of which none died before that time: "which deploy broke
what?" is -new with the time of the deploy.

The KEY of a group chooses its letters in list, redrive, drop and export (-group), for as long
as payloads are read the same way: give the same -classes.
`

func groups(e *env.Env) *cli.Command {
	d := &deadRun{e: e}
	since := ""
	return e.Command(env.Spec{
		Name: "groups", Args: "QUEUE", Short: "group dead letters by their causes", Long: groupsHelp, JSON: groupLine{},
		Examples: []string{"duequeue dead groups ORDERS -new 2026-01-31T14:02:00Z", "duequeue dead redrive ORDERS -all -group 1a2b3c4d -limit 5"},
		Flags:    append([]cli.Flag{env.String(&since, "new", "", "mark groups of which none died before this `TIME`")}, d.filtering()...),
		Run: func(ctx context.Context, args []string) error {
			o := admin.DeadGroupsOptions{Time: time.Second}
			if err := setTime("new", since, time.Now(), &o.Since); err != nil {
				return env.Usage(err)
			}
			return d.open(ctx, "groups", args, 0, func(ctx context.Context) error { return d.group(ctx, o) })
		},
	})
}

// groupLine is a group in JSON.
type groupLine struct {
	Queue  string `json:"queue"`
	Key    string `json:"key"`
	Reason string `json:"reason"`
	Class  string `json:"class,omitempty"`
	Error  string `json:"error,omitempty"` // what the errors have in common
	Count  int64  `json:"count"`
	First  string `json:"first"`
	Last   string `json:"last"`
	Newest string `json:"newest"` // entry
	New    bool   `json:"new,omitempty"`
}

func (d *deadRun) group(ctx context.Context, o admin.DeadGroupsOptions) (err error) {
	o.Filter, o.Payloads = d.filter, admin.Payloads{Decode: d.payloads.Decode}
	o.Progress = func(g admin.DeadGroups) { d.progress.Tell("%d of %d looked at", g.Seen, g.Of) }
	var all admin.DeadGroups
	for !all.Done && err == nil {
		all, err = admin.GroupDead(ctx, d.client, d.name, all, o)
	}
	t := &screen.Table{}
	zone := d.e.Clock().Zone()
	t.Header("COUNT", "REASON", "CLASS", "FIRST ("+zone+")", "LAST ("+zone+")", "AGE", "KEY", "ERROR")
	for _, g := range all.Groups {
		if d.e.JSON {
			line := groupLine{d.name, g.Key, g.Reason, g.Class, g.Text, g.Count, words.Stamp(g.First), words.Stamp(g.Last), g.Newest, g.New}
			if failed := d.e.Line(line); failed != nil {
				return failed
			}
			continue
		}
		count := strconv.FormatInt(g.Count, 10)
		if g.New {
			count += screen.Red.On(" new")
		}
		t.Row(count, screen.Clean(g.Reason), screen.Clean(cmp.Or(g.Class, "-")), d.e.Clock().At(g.First), d.e.Clock().At(g.Last), screen.Age(g.Last, time.Now()), g.Key, screen.Clean(g.Text))
	}
	switch {
	case err != nil:
		return fmt.Errorf("%d of %d looked at: %w", all.Seen, all.Of, err)
	case len(all.Groups) == 0:
		d.e.Warn("%s", d.none())
		return nil
	case all.Others > 0:
		d.e.Warn("%d are in further groups: choose fewer by -reason, -since and the other filters", all.Others)
	}
	if d.e.JSON {
		return nil
	}
	return t.Write(d.e.Stdout)
}
