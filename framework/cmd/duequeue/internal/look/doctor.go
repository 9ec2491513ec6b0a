package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/decoding"
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
  stuck, late, unserved   no process moves or takes what is due, or not fast enough; why
  held up      Go processes take nothing: breaker, another codec, hung handlers, lease
  denied, deaf   the Redis user of processes lacks a right; see "duequeue acl", -add
  hung, silent   handlers do not return; processes were killed
  paused, limited   what operators have set
  long         Java's list of pending messages: each transfer walks it
  sessions     consumers died, and no process gives back what they held; see
               "duequeue reap"
  dead         messages in the dead store, and why; see "duequeue dead"
  others       a hint: other programs than the Go processes listen to the queue
  codec        payloads that -codec cannot read: a program writes with another one
  class        payloads of another Java class than -class: Go's would be lost there
  form         payloads that -codec reads and writes in another form: Go's would be lost there
  ghosts, orphans   Java's view of what is pending is wrong; -fix removes ghosts
  view         Java cancels, and the queue's view cannot answer that (-view,
               -java-cancels)

Each finding says what is wrong and why, what to do, and the command that does it, as it
is typed. "duequeue queues", "ps", "counts" and the console say the same of a queue.

QUEUE is the name that Java gives to getBlockingQueue. Without one it judges all queues of
the database, and examines the messages of the 200 that need it most. Queues may be in full
use. -json prints one line for each finding.

The exit code is 0 when nothing worse than info was found, or all of it was fixed; 1 when
something is wrong; 2 when it could not look.
`

func doctorCommand(e *env.Env) *cli.Command {
	var o admin.DiagnoseOptions
	var codec, view string
	return e.Command(env.Spec{
		Name: "doctor", Args: "[QUEUE...]", Short: "look for what makes queues lose messages, stall or be late", Group: env.GroupLook, Long: doctorHelp,
		Examples: []string{"duequeue doctor ORDERS", "duequeue doctor -codec kryo5 -fix ORDERS"}, JSON: Finding{},
		Flags: []cli.Flag{
			env.Bool(&o.Fix, "fix", false, "keep keys that Redis is going to delete, and take ghosts out of Java's view"),
			env.Bool(&o.JavaCancels, "java-cancels", false, "Java services call remove or poll on the delayed queues"),
			env.Int64(&o.Walk, "walk", 1_000_000, "most elements of a queue that are looked at one by one"),
			env.String(&codec, "codec", "", "codec `NAME` of the queues' declarations: check that it reads their payloads"),
			env.String(&o.Class, "class", "", "with -codec: Java class `NAME` that Go writes: check that no other class is there"),
			env.String(&view, "view", "exact", "how the queues are declared: exact or off"),
		},
		Run: func(ctx context.Context, queues []string) error {
			var ok bool
			if o.View, ok = env.Views[view]; !ok {
				return env.Usagef("doctor: -view %s: exact or off", view)
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
			reader, err := decoding.New(decoding.Settings{})
			if err != nil {
				return err
			}
			o.Guess = reader.CodecOf
			return diagnose(ctx, e, queues, o)
		},
	})
}

// examineMost is how many queues are examined message by message where none is named: those that are
// not fine first. walkMost is how many elements of each.
const (
	examineMost = 200
	walkMost    = 10_000
)

// examination is one run of the command.
type examination struct {
	e       *env.Env
	client  *framework.Client
	options admin.DiagnoseOptions
	sick    bool // something is wrong
	server  bool // Redis itself has an error, which hurts all queues
	blind   bool // something could not be looked at
	refused bool // the audit cannot be written
}

func diagnose(ctx context.Context, e *env.Env, queues []string, o admin.DiagnoseOptions) (err error) {
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return env.Blind(err)
	}
	defer end(&err)
	x := examination{e: e, client: client, options: o}
	if err = x.print(admin.Diagnose(ctx, client, nil, o)); err != nil {
		return err
	}
	if len(queues) > 0 {
		err = x.named(ctx, queues)
	} else {
		err = x.all(ctx)
	}
	switch {
	case err != nil:
		return err
	case x.sick:
		return env.ErrReported
	case x.blind:
		return env.Blind(env.ErrReported)
	}
	return nil
}

// print prints findings. What could not be looked at is a warning.
func (x *examination) print(found []admin.Finding, err error) error {
	for _, f := range found {
		x.server = x.server || f.Queue == "" && f.Severity == admin.SeverityError
		x.sick = x.sick || f.Severity != admin.SeverityInfo && (f.Fixed == 0 || f.Fixed < f.Count)
		if printed := PrintFinding(x.e, f); printed != nil {
			return printed
		}
	}
	x.failed(err)
	return nil
}

func (x *examination) failed(err error) {
	if err != nil {
		x.blind = true
		x.e.Warn("%v", err)
	}
}

// named examines the queues with these names: one that cannot be examined does not stop the others.
func (x *examination) named(ctx context.Context, queues []string) error {
	var there []string
	for _, queue := range queues {
		if err := x.e.Exists(ctx, x.client, queue); err != nil {
			x.failed(err)
			continue
		}
		there = append(there, queue)
	}
	x.options.Near = true
	for _, queue := range there {
		v, err := x.one(ctx, queue, x.options)
		if err = x.print(v.Findings, err); err != nil {
			return err
		}
		if v.Severity == "" && v.State != "" && !x.e.JSON {
			text := StateText(v)
			if x.server {
				text = "nothing is wrong but Redis itself: " + screen.Clean(v.Proof)
			}
			fmt.Fprintf(x.e.Stdout, "%s: %s\n", screen.Name(queue), text)
		}
		if x.refused {
			return nil
		}
	}
	if len(there) < 2 {
		return nil
	}
	return x.print(admin.DiagnoseCopies(ctx, x.client, there))
}

// one examines a queue. What repairs is audited.
func (x *examination) one(ctx context.Context, queue string, o admin.DiagnoseOptions) (v admin.Verdict, err error) {
	if !o.Fix {
		return admin.DiagnoseQueue(ctx, x.client, queue, o)
	}
	err = x.e.Audited(ctx, x.client, admin.Action{Action: "fix", Queue: queue}, func(ctx context.Context) (string, error) {
		var failed error
		v, failed = admin.DiagnoseQueue(ctx, x.client, queue, o)
		fixed := int64(0)
		for _, f := range v.Findings {
			fixed += f.Fixed
		}
		return fmt.Sprintf("%d repaired", fixed), failed
	})
	refused := (*fault.AuditError)(nil)
	x.refused = errors.As(err, &refused) && refused.Refused
	return v, err
}

// judgedQueue is a queue with the verdict by its status.
type judgedQueue struct {
	status  *admin.QueueStatus
	verdict admin.Verdict
}

// all judges every queue of the database, and examines the messages of those that need it most.
func (x *examination) all(ctx context.Context) error {
	if x.options.Fix {
		return env.Usagef("doctor: -fix changes queues: name them")
	}
	found, more, err := admin.Queues(ctx, x.client, admin.QueuesOptions{})
	x.failed(err)
	judged := make([]judgedQueue, len(found))
	for i := range found {
		judged[i] = judgedQueue{&found[i], admin.Judge(found[i])}
	}
	slices.SortStableFunc(judged, func(a, b judgedQueue) int { return cmp.Compare(b.verdict.Rank(), a.verdict.Rank()) })
	fine, unexamined := 0, 0
	o := x.options
	o.Walk = min(o.Walk, walkMost)
	for i, q := range judged {
		v := q.verdict
		if i < examineMost {
			o.Status = q.status
			v, err = admin.DiagnoseQueue(ctx, x.client, v.Queue, o)
			x.failed(err)
		} else if v.Severity == "" {
			unexamined++
		}
		if v.Severity == "" {
			fine++
			continue
		}
		if err = x.print(v.Findings, nil); err != nil {
			return err
		}
	}
	if more {
		x.failed(fmt.Errorf("there are more than %d queues: name the others", len(found)))
	}
	if x.e.JSON {
		return nil
	}
	switch {
	case len(found) == 0:
		fmt.Fprintln(x.e.Stdout, noQueue)
	case x.server:
		fmt.Fprintf(x.e.Stdout, "nothing is wrong with %d of %s but Redis itself, see above\n", fine, screen.Count(len(found), "queue"))
	default:
		fmt.Fprintf(x.e.Stdout, "%d of %s fine\n", fine, screen.Count(len(found), "queue"))
	}
	if unexamined > 0 {
		x.e.Warn("the messages of %s that look fine were not examined: name them", screen.Count(unexamined, "queue"))
	}
	return nil
}
