package repair

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const reapHelp = `
A Go process that is killed leaves in Redis what it held. Every other Go process that
handles, transfers or offers to the queue gives that back when the lease is over. If
none is left, after a rollback to Java for example, use reap: it puts the messages back
to the head of the ready list, oldest first, and Java takes them as usual.

QUEUE is the name that Java gives to getBlockingQueue; -all takes every queue of the
database that Go handled (it looks at all keys; you must name queues whose name is in
braces). It leaves living processes alone.

Right after a crash a dead process looks like a living one until its lease ends (30 s
by default). -wait waits for that, as long as the longest lease at most.

It may run while services run, and you may interrupt it and run it again. -json prints one
line for each queue. The exit code is 0 when nothing is left that a dead process may
hold; 1 when a lease has not ended (run it with -wait), or a queue failed.

The Redis user needs what "duequeue acl -role operate" prints.
`

func reapCommand(e *env.Env) *cli.Command {
	r := &reaping{}
	return e.Command(env.Spec{
		Name: "reap", Args: "[QUEUE...]", Short: "give back what dead Go processes held", Group: env.GroupRepair, Long: reapHelp,
		Examples: []string{"duequeue reap -wait ORDERS"}, JSON: reapLine{},
		Flags: []cli.Flag{
			env.Bool(&r.all, "all", false, "every queue of the database that Go handled"),
			env.Bool(&r.wait, "wait", false, "wait for leases that have not ended"),
		},
		Run: func(ctx context.Context, queues []string) error { return r.run(ctx, e, queues) },
	})
}

// reaping is one run of the reap command.
type reaping struct {
	all, wait bool
	left      bool // something may still be held by the dead, or a queue failed
}

func (r *reaping) run(ctx context.Context, e *env.Env, queues []string) (err error) {
	switch {
	case r.all && len(queues) > 0:
		return env.Usagef("reap: -all and names exclude each other")
	case !r.all && len(queues) == 0:
		return env.Usagef("reap: name queues, or all of the database with -all")
	}
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	if r.all {
		if queues, err = admin.HeldQueues(ctx, client); err != nil {
			return err
		}
		if len(queues) == 0 && !e.JSON {
			e.Warn("no queue of this database is handled by Go")
		}
	}
	for _, queue := range queues {
		if err := e.Exists(ctx, client, queue); err != nil {
			return err
		}
		done, err := r.reap(ctx, e, client, queue)
		r.left = r.left || err != nil || done.Open > 0
		if printed := r.print(e, done, err); printed != nil {
			return printed
		}
	}
	if r.left {
		return env.ErrReported
	}
	return nil
}

// reap is [admin.Reap] of one queue, audited.
func (r *reaping) reap(ctx context.Context, e *env.Env, client *framework.Client, queue string) (done admin.Reaped, err error) {
	err = e.Audited(ctx, client, admin.Action{Action: "reap", Queue: queue}, func(ctx context.Context) (_ string, err error) {
		done, err = admin.Reap(ctx, client, queue, admin.ReapOptions{Wait: r.wait})
		return fmt.Sprintf("%d given back, %d dead", done.Messages, done.Dead), err
	})
	return done, err
}

// reapLine is a line of -json.
type reapLine struct {
	Queue     string `json:"queue"`
	Sessions  int64  `json:"sessions"`  // ended and removed
	Messages  int64  `json:"messages"`  // back on the ready list
	Dead      int64  `json:"dead"`      // to the dead store
	Cancelled int64  `json:"cancelled"` // gone: cancelled while they were in flight
	Alive     int64  `json:"alive"`     // renewed while -wait waited
	Open      int64  `json:"open"`      // lease not ended
	InFlight  int64  `json:"inFlight"`  // held by alive and open
	Error     string `json:"error,omitempty"`
}

func (r *reaping) print(e *env.Env, d admin.Reaped, err error) error {
	if e.JSON {
		line := reapLine{d.Queue, d.Sessions, d.Messages, d.Dead, d.Cancelled, d.Alive, d.Open, d.InFlight, ""}
		if err != nil {
			line.Error = err.Error()
		}
		return e.Line(line)
	}
	name := screen.Name(d.Queue)
	if d.Sessions > 0 {
		fmt.Fprintf(e.Stdout, "%s: %s of %s that ended: back on the ready list", name, screen.Count(d.Messages, "message"), screen.Count(d.Sessions, "consumer"))
		if d.Dead > 0 {
			fmt.Fprintf(e.Stdout, ", %d are in the dead store as crash-loop", d.Dead)
		}
		if d.Cancelled > 0 {
			fmt.Fprintf(e.Stdout, ", %d were cancelled while they were in flight and are gone", d.Cancelled)
		}
		fmt.Fprintln(e.Stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintf(e.Stderr, "duequeue: %s: %v\n", name, err)
	case d.Open > 0:
		left := words.Span(max(time.Until(d.OpenUntil), 0))
		fmt.Fprintf(e.Stdout, "%s: %s in flight at %s, with a lease for up to %s more: with -wait those that died are ended then\n", name, screen.Count(int(d.InFlight), "message"), screen.Count(d.Open+d.Alive, "consumer"), left)
	case d.Alive > 0:
		fmt.Fprintf(e.Stdout, "%s: %s in flight at %s, alive\n", name, screen.Count(int(d.InFlight), "message"), screen.Count(d.Alive, "consumer"))
	case d.Sessions == 0:
		fmt.Fprintf(e.Stdout, "%s: nothing to give back\n", name)
	}
	return nil
}
