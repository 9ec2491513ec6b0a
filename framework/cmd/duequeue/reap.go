package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os/signal"
	"syscall"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
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

It may run beside services, and you may interrupt it and run it again. -json prints one
line for each queue. The exit code is 0 when nothing is left that a dead process may
hold; 1 when a lease has not ended (run it with -wait), or a queue failed.

Like a service it reads the address of Redis from the environment (DUEQUEUE_REDIS_…,
DUEQUEUE_NAME_…). The user needs what "duequeue acl -role serve" prints.
`

func reapCommand() command {
	return command{
		name:  "reap",
		args:  "[QUEUE...]",
		short: "give back what dead Go processes held",
		long:  reapHelp,
		setup: func(fs *flag.FlagSet) func(context.Context, *env, []string) error {
			r := &reaping{}
			fs.BoolVar(&r.all, "all", false, "every queue of the database that Go handled")
			fs.BoolVar(&r.wait, "wait", false, "wait for leases that have not ended")
			return r.run
		},
	}
}

// reaping is one run of the reap command.
type reaping struct {
	all, wait bool
	left      bool // something may still be held by the dead, or a queue failed
}

func (r *reaping) run(ctx context.Context, e *env, queues []string) (err error) {
	switch {
	case r.all && len(queues) > 0:
		return usagef("reap: -all and names exclude each other")
	case !r.all && len(queues) == 0:
		return usagef("reap: name queues, or all of the database with -all")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if r.all {
		if queues, err = admin.HeldQueues(ctx, client); err != nil {
			return err
		}
		if len(queues) == 0 && !e.json {
			fmt.Fprintln(e.stdout, "no queue of this database is handled by Go")
		}
	}
	for _, queue := range queues {
		done, err := admin.Reap(ctx, client, queue, admin.ReapOptions{Wait: r.wait})
		r.left = r.left || err != nil || done.Open > 0
		if printed := r.print(ctx, e, client, done, err); printed != nil {
			return printed
		}
	}
	if r.left {
		return errReported
	}
	return nil
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

func (r *reaping) print(ctx context.Context, e *env, client *framework.Client, d admin.Reaped, err error) error {
	if e.json {
		line := reapLine{d.Queue, d.Sessions, d.Messages, d.Dead, d.Cancelled, d.Alive, d.Open, d.InFlight, ""}
		if err != nil {
			line.Error = err.Error()
		}
		return json.NewEncoder(e.stdout).Encode(line)
	}
	name := clean(d.Queue)
	if d.Sessions > 0 {
		fmt.Fprintf(e.stdout, "%s: %s of %s that ended: back on the ready list", name, count(d.Messages, "message"), count(d.Sessions, "consumer"))
		if d.Dead > 0 {
			fmt.Fprintf(e.stdout, ", %d are in the dead store as crash-loop", d.Dead)
		}
		if d.Cancelled > 0 {
			fmt.Fprintf(e.stdout, ", %d were cancelled while they were in flight and are gone", d.Cancelled)
		}
		fmt.Fprintln(e.stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintf(e.stderr, "duequeue: %s: %v\n", name, err)
	case d.Open > 0:
		left := max(time.Until(d.OpenUntil), 0).Round(time.Second)
		fmt.Fprintf(e.stdout, "%s: %s in flight at %s, with a lease for up to %v more: with -wait those that died are ended then\n", name, count(int(d.InFlight), "message"), count(d.Open+d.Alive, "consumer"), left)
	case d.Alive > 0:
		fmt.Fprintf(e.stdout, "%s: %s in flight at %s, alive\n", name, count(int(d.InFlight), "message"), count(d.Alive, "consumer"))
	case d.Sessions == 0:
		fmt.Fprintf(e.stdout, "%s: nothing to give back\n", name)
		return tellAbsent(ctx, e, client, d.Queue)
	}
	return nil
}

// tellAbsent says on stderr that a queue has no key in this database.
func tellAbsent(ctx context.Context, e *env, client *framework.Client, queue string) error {
	found, err := admin.Absent(ctx, client, queue)
	if err != nil {
		return nil //nolint:nilerr // a hint only: who may not ask does without
	}
	for _, f := range found {
		if _, err := fmt.Fprintf(e.stderr, "duequeue: %s: %s\n", clean(queue), codecs.Printable(f.Message, math.MaxInt)); err != nil {
			return err
		}
	}
	return nil
}
