package fleet

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const pauseHelp = `
pause lets no Go process take messages from the queues any more: those that run stop at
once, after five seconds at the latest, and those that start later know it before they
take. Handlers that run finish; what was taken and has not started goes back to the
head of the queue. Due messages are still moved to the ready list.

JAVA GOES ON: Java consumers know nothing of this and go on taking.

QUEUE is the name that Java gives to getBlockingQueue. A pause needs a reason, which
logs and health pages show with -by. It is in Redis and outlives processes; it ends by
"duequeue resume", or after -for, or at -until, by the clock of Redis. To pause again
sets the new reason and end.

The command waits until all Go processes have followed, for -wait at most, and says how
many have. -json prints one line for each queue. The exit code is 0 when all have
followed, 1 when one has not, or a queue failed.

The Redis user needs what "duequeue acl -role operate" prints.
`

// Pause returns the command that lets no process take from queues.
func Pause(e *env.Env) *cli.Command {
	var o admin.PauseOptions
	var until string
	s := &steering{}
	return e.Command(env.Spec{
		Name: "pause", Args: "QUEUE...", Short: "let no Go process take from queues, with a reason, until resume", Group: env.GroupSteer,
		Long: pauseHelp, Examples: []string{"duequeue pause -reason 'payment provider is down' -for 1h ORDERS"}, JSON: controlLine{},
		Flags: append([]cli.Flag{
			env.String(&o.Reason, "reason", "", "why: logs and health pages show this `TEXT`"),
			env.Duration(&o.For, "for", 0, "end after this time: 90m"),
			env.String(&until, "until", "", "end at this `TIME`: 2026-01-31T08:00:00Z"),
		}, s.flags()...),
		Run: func(ctx context.Context, queues []string) error {
			switch {
			case o.Reason == "":
				return env.Usagef("pause needs a reason: add -reason TEXT")
			case until != "" && o.For != 0:
				return env.Usagef("pause: -for and -until exclude each other")
			case o.For < 0:
				return env.Usagef("pause: -for must not be negative")
			case until != "":
				var err error
				if o.Until, err = time.Parse(time.RFC3339, until); err != nil {
					return env.Usagef("pause: -until %q: a time such as 2026-01-31T08:00:00Z", until)
				}
			}
			o.By = s.author()
			length := ""
			switch {
			case o.For != 0:
				length = "for " + words.Span(o.For)
			case until != "":
				length = "until " + until
			}
			return s.run(ctx, e, admin.Action{Action: "pause", Target: length, Reason: o.Reason}, queues, func(ctx context.Context, c *framework.Client, queue string) (admin.Control, error) {
				return admin.Pause(ctx, c, queue, o)
			}, func(_ admin.Control, p admin.Process) bool { return p.Intake == health.IntakeClosed })
		},
	})
}

// steering is what pause, resume and limit have in common.
type steering struct {
	// idle reports whether a process does not do other than before because of what is set; nil where
	// that cannot be.
	idle func(admin.Control, admin.Process) bool

	by     string
	wait   time.Duration
	unseen bool // also of queues that are not there
}

func (s *steering) flags() []cli.Flag {
	return []cli.Flag{
		env.String(&s.by, "by", "", "who: the `NAME` that logs and health pages show; defaults to $USER and the host"),
		env.Duration(&s.wait, "wait", 6*time.Second, "wait so long at most until all processes have followed; 0 does not wait"),
		env.Bool(&s.unseen, "new", false, "also for a queue of which nothing is there yet"),
	}
}

// author is who changes something.
func (s *steering) author() string { return cmp.Or(s.by, env.Author()) }

// run changes the control of each queue, and waits until its processes have followed.
func (s *steering) run(ctx context.Context, e *env.Env, action admin.Action, queues []string,
	change func(context.Context, *framework.Client, string) (admin.Control, error), follows func(admin.Control, admin.Process) bool,
) (err error) {
	if len(queues) == 0 {
		return env.Usagef("%s: name at least one queue", action.Action)
	}
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	for _, queue := range queues {
		if s.unseen {
			break
		}
		if err := e.Exists(ctx, client, queue); err != nil {
			return fmt.Errorf("%w (-new sets it all the same)", err)
		}
	}
	set := make([]admin.Control, len(queues))
	errs := make([]error, len(queues))
	for i, queue := range queues { // all of them first
		action.Queue, action.Who = queue, s.by
		errs[i] = e.Audited(ctx, client, action, func(ctx context.Context) (_ string, err error) {
			set[i], err = change(ctx, client, queue)
			return "", err
		})
	}
	failed := false
	for i, queue := range queues {
		if errs[i] != nil {
			failed = true
			fmt.Fprintf(e.Stderr, "duequeue: %s: %v\n", screen.Name(queue), errs[i])
			continue
		}
		found, err := s.await(ctx, client, set[i], follows)
		if err != nil {
			failed = true
			fmt.Fprintf(e.Stderr, "duequeue: %s: it is set, and who follows is not known: %v\n", screen.Name(queue), err)
		}
		failed = failed || len(found.not) > 0
		if err := found.print(e, set[i]); err != nil {
			return err
		}
	}
	if failed {
		return env.ErrReported
	}
	return nil
}

// followers are the Go processes that handle a queue, by what they have made of a change.
type followers struct {
	all    int // that live
	not    []admin.Process
	silent int
	within int // that a limit does not bound further than their declaration does
}

// await waits until all processes that live have followed.
func (s *steering) await(ctx context.Context, client *framework.Client, set admin.Control, follows func(admin.Control, admin.Process) bool) (f followers, err error) {
	end := time.Now().Add(s.wait)
	for {
		all, err := admin.Processes(ctx, client, set.Queue)
		if err != nil {
			return f, err
		}
		f = followers{}
		for _, p := range all {
			switch {
			case p.TransferOnly:
			case p.Silent:
				f.silent++
			default:
				if f.all++; !follows(set, p) {
					f.not = append(f.not, p)
				}
				if s.idle != nil && s.idle(set, p) {
					f.within++
				}
			}
		}
		if len(f.not) == 0 || !time.Now().Before(end) {
			return f, nil
		}
		select {
		case <-ctx.Done():
			return f, context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// controlLine is what operators have set, in JSON.
type controlLine struct {
	Queue     string        `json:"queue"`
	Pause     *health.Pause `json:"pause,omitempty"`
	Limit     *health.Limit `json:"limit,omitempty"`
	Processes int           `json:"processes"` // Go's that handle the queue and live
	Followed  int           `json:"followed"`  // of these
	Silent    int           `json:"silent,omitempty"`
	Java      string        `json:"java"`
}

func (f followers) print(e *env.Env, c admin.Control) error {
	if e.JSON {
		return e.Line(controlLine{c.Queue, c.Pause, c.Limit, f.all, f.all - len(f.not), f.silent, admin.JavaGoesOn})
	}
	name := screen.Name(c.Queue)
	fmt.Fprintf(e.Stdout, "%s: %s\n", name, controlText(c))
	if f.all == 0 {
		fmt.Fprintln(e.Stdout, "  no Go process handles it now; one that starts will know")
	} else {
		fmt.Fprintf(e.Stdout, "  %d of %d Go %s that %s it followed\n", f.all-len(f.not), f.all, screen.Verb(f.all, "process", "processes"), screen.Verb(f.all, "handles", "handle"))
	}
	for _, p := range f.not {
		fmt.Fprintf(e.Stdout, "  not yet: %s, pid %d\n", screen.Clean(p.Host), p.PID)
	}
	if f.silent > 0 {
		fmt.Fprintf(e.Stdout, "  %s silent: killed, or cut off\n", screen.Verb(f.silent, "one is", fmt.Sprintf("%d are", f.silent)))
	}
	if f.within > 0 {
		fmt.Fprintf(e.Stdout, "  it changes nothing in %d of them: they are declared with less, and a limit only lowers that\n", f.within)
	}
	_, err := fmt.Fprintf(e.Stdout, "  %s\n", admin.JavaGoesOn)
	return err
}

// controlText says what is set in one line.
func controlText(c admin.Control) string {
	text := "not paused"
	if c.Pause != nil {
		text = c.Pause.String()
	} else if c.ResumedBy != "" {
		text += " (resumed by " + c.ResumedBy + " at " + c.ResumedAt.UTC().Format(time.RFC3339) + ")"
	}
	if l := c.Limit; l != nil {
		text += "; " + l.String()
	}
	return screen.Clean(text)
}
