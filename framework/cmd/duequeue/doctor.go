package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os/signal"
	"strings"
	"syscall"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/registry"
)

const doctorHelp = `
doctor looks for what makes delayed queues lose messages, stall or be late:

  clock, eviction, persistence, replication   the server, on a Cluster every
               primary: clocks that differ, settings that lose data
  cluster      slots that no server serves
  absent       the queue has no key in this database: wrong name or database?
  type         a key of the queue holds something else
  twins        the same name with and without braces: messages go to the wrong queue
  scores       due times that never come
  malformed, layouts   elements that stop Redisson; see "duequeue migrate"
  overdue, listeners   no process transfers, or not fast enough
  ready        consumers are too slow
  long         Java's list of pending messages: each transfer walks it
  sessions     consumers died, and no process gives back what they held; see
               "duequeue reap"
  dead         messages in the dead store; see "duequeue dead"
  codec        payloads that -codec cannot read: a program writes with another one
  ghosts, orphans   Java's view of what is pending is wrong; -fix removes ghosts
  view         Java cancels, and the queue's view cannot answer that (-view,
               -java-cancels)

QUEUE is the name that Java gives to getBlockingQueue; without one it examines
only the server. Queues may be in full use. -json prints one line for each finding.

The exit code is 0 when nothing worse than info was found, or all of it was fixed;
else 1.

Like a service it reads the address of Redis from the environment (DUEQUEUE_REDIS_…,
DUEQUEUE_NAME_…).
`

func doctorCommand() command {
	return command{
		name:  "doctor",
		args:  "[QUEUE...]",
		short: "look for what makes queues lose messages, stall or be late",
		long:  doctorHelp,
		setup: func(fs *flag.FlagSet) func(context.Context, *env, []string) error {
			var o admin.DiagnoseOptions
			fs.BoolVar(&o.Fix, "fix", false, "repair what no message depends on")
			fs.BoolVar(&o.JavaCancels, "java-cancels", false, "Java services call remove or poll on the delayed queues")
			fs.Int64Var(&o.Walk, "walk", 1_000_000, "most elements of a queue that are looked at one by one")
			codec := fs.String("codec", "", "codec `NAME` of the queues' declarations: check that it reads their payloads")
			view := fs.String("view", "exact", "how the queues are declared: exact, unordered, onepass, lazy or off")
			return func(ctx context.Context, e *env, queues []string) error {
				var ok bool
				if o.View, ok = views[*view]; !ok {
					return usagef("doctor: -view %s: exact, unordered, onepass, lazy or off", *view)
				}
				if *codec != "" {
					var err error
					if o.Codec, err = catalog.Find(*codec); err != nil {
						return &usageError{err: err}
					}
				}
				if o.Walk <= 0 {
					return usagef("doctor: -walk must be positive")
				}
				return diagnose(ctx, e, queues, o)
			}
		},
	}
}

var views = map[string]registry.ViewMode{
	"exact": registry.ViewExact, "unordered": registry.ViewUnordered, "onepass": registry.ViewOnePass,
	"lazy": registry.ViewLazy, "off": registry.ViewOff,
}

func diagnose(ctx context.Context, e *env, queues []string, o admin.DiagnoseOptions) (err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	found, err := admin.Diagnose(ctx, client, queues, o)
	sick := false
	for _, f := range found {
		sick = sick || f.Severity != admin.SeverityInfo && (f.Fixed == 0 || f.Fixed < f.Count)
		if printed := printFinding(e, f); printed != nil {
			return printed
		}
	}
	if err != nil {
		return err
	}
	if len(found) == 0 && !e.json {
		fmt.Fprintln(e.stdout, "nothing found")
	}
	if sick {
		return errReported
	}
	return nil
}

// findingLine is a finding in JSON.
type findingLine struct {
	Check    string `json:"check"`
	Severity string `json:"severity"`
	Queue    string `json:"queue,omitempty"`
	Message  string `json:"message"`
	Advice   string `json:"advice"`
	Count    int64  `json:"count,omitempty"`
	Fixable  bool   `json:"fixable,omitempty"`
	Fixed    int64  `json:"fixed,omitempty"`
}

func printFinding(e *env, f admin.Finding) error {
	if e.json {
		return json.NewEncoder(e.stdout).Encode(findingLine{
			f.Check, string(f.Severity), f.Queue, f.Message, f.Advice, f.Count, f.Fixable, f.Fixed,
		})
	}
	where := "redis"
	if f.Queue != "" {
		where = clean(f.Queue)
	}
	fmt.Fprintf(e.stdout, "%-7s %s: %s: %s\n", strings.ToUpper(string(f.Severity)), where, f.Check, codecs.Printable(f.Message, math.MaxInt))
	if f.Fixed > 0 {
		_, err := fmt.Fprintf(e.stdout, "        mended: %d\n", f.Fixed)
		return err
	}
	_, err := fmt.Fprintf(e.stdout, "        %s\n", codecs.Printable(f.Advice, math.MaxInt))
	return err
}
