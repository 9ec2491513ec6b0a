package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/registry"
)

const doctorHelp = `
doctor looks for what makes delayed queues lose messages, stall or be late:

  clock, eviction, persistence, replication   the server, on a Cluster every
               primary: clocks that differ, settings that lose data
  cluster      slots that no server serves
  absent       the queue has no key in this database: wrong name or database?
  type         a key of the queue holds something else
  expiry       Redis is going to delete a key: a program has called expire; -fix keeps it
  set, list    one of the two keys of the pending messages is gone: deleted or renamed
  copies       messages are pending in another queue, too: copied, restored or renamed
  policies     processes declare the queue differently
  partitions   messages lie in partitions from which no process takes
  twins        the same name with and without braces: messages go to the wrong queue
  scores       due times that never come
  malformed, layouts   elements that stop Redisson; see "duequeue migrate"
  control      operators have paused or bounded the Go processes; values that these
               do not understand
  overdue, listeners   no process transfers, or not fast enough
  ready        consumers are too slow
  long         Java's list of pending messages: each transfer walks it
  sessions     consumers died, and no process gives back what they held; see
               "duequeue reap"
  dead         messages in the dead store; see "duequeue dead"
  codec        payloads that -codec cannot read: a program writes with another one
  class        payloads of another Java class than -class: Go's would be lost there
  intake       Go processes take nothing: payloads of another codec are ready
  ghosts, orphans   Java's view of what is pending is wrong; -fix removes ghosts
  view         Java cancels, and the queue's view cannot answer that (-view,
               -java-cancels)

QUEUE is the name that Java gives to getBlockingQueue; without one it examines
only the server. Queues may be in full use. -json prints one line for each finding.

The exit code is 0 when nothing worse than info was found, or all of it was fixed;
else 1.
`

func doctorCommand(e *env.Env) *cli.Command {
	var o admin.DiagnoseOptions
	var codec, view string
	return e.Command(env.Spec{
		Name: "doctor", Args: "[QUEUE...]", Short: "look for what makes queues lose messages, stall or be late", Group: env.GroupLook, Long: doctorHelp,
		Examples: []string{"duequeue doctor ORDERS", "duequeue doctor -codec kryo5 -fix ORDERS"}, JSON: findingLine{},
		Flags: []cli.Flag{
			env.Bool(&o.Fix, "fix", false, "keep keys that Redis is going to delete, and take ghosts out of Java's view"),
			env.Bool(&o.JavaCancels, "java-cancels", false, "Java services call remove or poll on the delayed queues"),
			env.Int64(&o.Walk, "walk", 1_000_000, "most elements of a queue that are looked at one by one"),
			env.String(&codec, "codec", "", "codec `NAME` of the queues' declarations: check that it reads their payloads"),
			env.String(&o.Class, "class", "", "with -codec: Java class `NAME` that Go writes: check that no other class lies there"),
			env.String(&view, "view", "exact", "how the queues are declared: exact, ordered, lazy or off"),
		},
		Run: func(ctx context.Context, queues []string) error {
			var ok bool
			if o.View, ok = views[view]; !ok {
				return env.Usagef("doctor: -view %s: exact, ordered, lazy or off", view)
			}
			if codec != "" {
				var err error
				if o.Codec, err = catalog.Find(codec); err != nil {
					return env.Usage(err)
				}
			}
			if o.Class != "" && codec == "" {
				return env.Usagef("doctor: -class goes with -codec")
			}
			if o.Walk <= 0 {
				return env.Usagef("doctor: -walk must be positive")
			}
			return diagnose(ctx, e, queues, o)
		},
	})
}

var views = map[string]registry.ViewMode{
	"exact": registry.ViewExact, "ordered": registry.ViewOrdered,
	"lazy": registry.ViewLazy, "off": registry.ViewOff,
}

func diagnose(ctx context.Context, e *env.Env, queues []string, o admin.DiagnoseOptions) (err error) {
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	if err = e.Exists(ctx, client, queues...); err != nil {
		return err
	}
	found, err := examine(ctx, e, client, queues, o)
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
	if len(found) == 0 && !e.JSON {
		fmt.Fprintln(e.Stdout, "nothing found")
	}
	if sick {
		return env.ErrReported
	}
	return nil
}

// examine is [admin.Diagnose]. What repairs is audited, for each queue.
func examine(ctx context.Context, e *env.Env, client *framework.Client, queues []string, o admin.DiagnoseOptions) ([]admin.Finding, error) {
	if !o.Fix {
		return admin.Diagnose(ctx, client, queues, o)
	}
	found, err := admin.Diagnose(ctx, client, nil, o)
	errs := []error{err}
	for _, queue := range queues {
		err = e.Audited(ctx, client, admin.Action{Action: "fix", Queue: queue}, func(ctx context.Context) (string, error) {
			more, failed := admin.DiagnoseQueue(ctx, client, queue, o)
			found = append(found, more...)
			fixed := int64(0)
			for _, f := range more {
				fixed += f.Fixed
			}
			return fmt.Sprintf("%d repaired", fixed), failed
		})
		errs = append(errs, err)
		if refused := (*fault.AuditError)(nil); errors.As(err, &refused) && refused.Refused {
			break
		}
	}
	return found, errors.Join(errs...)
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

func printFinding(e *env.Env, f admin.Finding) error {
	if e.JSON {
		return e.Line(findingLine{
			f.Check, string(f.Severity), f.Queue, f.Message, f.Advice, f.Count, f.Fixable, f.Fixed,
		})
	}
	where := "redis"
	if f.Queue != "" {
		where = screen.Name(f.Queue)
	}
	severity := fmt.Sprintf("%-7s", strings.ToUpper(string(f.Severity)))
	switch f.Severity {
	case admin.SeverityError:
		severity = screen.Red.On(severity)
	case admin.SeverityWarning:
		severity = screen.Yellow.On(severity)
	case admin.SeverityInfo:
	}
	fmt.Fprintf(e.Stdout, "%s %s: %s: %s\n", severity, where, f.Check, codecs.Printable(f.Message, math.MaxInt))
	if f.Fixed > 0 {
		_, err := fmt.Fprintf(e.Stdout, "        mended: %d\n", f.Fixed)
		return err
	}
	_, err := fmt.Fprintf(e.Stdout, "        %s\n", codecs.Printable(f.Advice, math.MaxInt))
	return err
}
