package change

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/operations"
)

// steerCommands are those that steer the processes of queues: one for each operation of the table.
func steerCommands(e *env.Env) (all []*cli.Command) {
	for _, o := range operations.Of(operations.Queues) {
		s := &steering{Operating: e.Operating(o, ""), e: e}
		all = append(all, e.Command(env.Spec{
			Name: o.Name, Args: "QUEUE...", Short: o.Short, Group: env.GroupSteer, Long: o.Help, Examples: o.Examples, JSON: controlLine{},
			Flags: append(s.Flags(""),
				env.Duration(&s.wait, "wait", 6*time.Second, "wait so long at most until all processes have followed; 0 does not wait"),
				env.Bool(&s.unseen, "new", false, "also for a queue of which nothing is there yet"),
			),
			Run: s.run,
		}))
	}
	return all
}

// steering is one run of such a command.
type steering struct {
	*env.Operating

	e      *env.Env
	wait   time.Duration
	unseen bool // also of queues that are not there
}

// run does it to each queue, and waits until its processes have followed.
func (s *steering) run(ctx context.Context, queues []string) (err error) {
	e := s.e
	if err = s.Wrong(false); err != nil {
		return err
	}
	if len(queues) == 0 {
		return s.Usagef("name at least one queue")
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
	set := make([]operations.Result, len(queues))
	errs := make([]error, len(queues))
	for i, queue := range queues { // all of them first
		c := s.Call(queue)
		c.Client = client
		errs[i] = s.Audited(ctx, c, "", func(ctx context.Context) (_ string, err error) {
			set[i], err = s.One(ctx, c)
			return "", err
		})
	}
	return s.report(ctx, client, queues, set, errs)
}

// report says what was set for each queue, and who follows.
func (s *steering) report(ctx context.Context, client *framework.Client, queues []string, set []operations.Result, errs []error) error {
	e, failed := s.e, false
	for i, queue := range queues {
		if errs[i] != nil {
			failed = true
			fmt.Fprintf(e.Stderr, "duequeue: %s: %v\n", screen.Name(queue), errs[i])
			continue
		}
		if s.Follows == nil { // it is done at once
			if err := done(e, queue, set[i]); err != nil {
				return err
			}
			continue
		}
		found, err := s.await(ctx, client, set[i].Control)
		if err != nil {
			failed = true
			fmt.Fprintf(e.Stderr, "duequeue: %s: it is set, and who follows is not known: %v\n", screen.Name(queue), err)
		}
		failed = failed || len(found.not) > 0
		if err := found.print(e, set[i].Control); err != nil {
			return err
		}
	}
	if failed {
		return env.ErrReported
	}
	return nil
}

// done says what was done to a queue.
func done(e *env.Env, queue string, r operations.Result) error {
	if e.JSON {
		return e.Line(controlLine{Queue: queue, Done: r.Said})
	}
	_, err := fmt.Fprintln(e.Stdout, screen.Name(queue)+": "+screen.Clean(r.Said))
	return err
}

// followers are the Go processes that handle a queue, by what they have made of a change.
type followers struct {
	all    int // that live
	not    []admin.Process
	silent int
	within int // that a limit does not bound further than their declaration does
}

// await waits until all processes that live have followed.
func (s *steering) await(ctx context.Context, client *framework.Client, set admin.Control) (f followers, err error) {
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
				if f.all++; !s.Follows(set, p) {
					f.not = append(f.not, p)
				}
				if s.Idle != nil && s.Idle(set, p) {
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
	Done      string        `json:"done,omitempty"` // where no process is to follow
	Pause     *health.Pause `json:"pause,omitempty"`
	Limit     *health.Limit `json:"limit,omitempty"`
	Processes int           `json:"processes"` // Go's that handle the queue and live
	Followed  int           `json:"followed"`  // of these
	Silent    int           `json:"silent,omitempty"`
	Java      string        `json:"java"`
}

func (f followers) print(e *env.Env, c admin.Control) error {
	if e.JSON {
		return e.Line(controlLine{Queue: c.Queue, Pause: c.Pause, Limit: c.Limit, Processes: f.all, Followed: f.all - len(f.not), Silent: f.silent, Java: admin.JavaGoesOn})
	}
	name := screen.Name(c.Queue)
	fmt.Fprintf(e.Stdout, "%s: %s\n", name, screen.Clean(c.String()))
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
