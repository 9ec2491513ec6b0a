package repair

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const leaveHelp = `
leave takes Go off a queue again, so that Redisson's keys alone remain: what dead Go
processes held goes back to the head of the ready list, dead letters go where you say,
and then the keys are deleted that Go keeps of the queue. Pending messages, retries
included, lie in Redisson's own keys already: Java moves and takes them at their due
times, and nothing is done to them.

Stop the Go processes first, those that only offer or transfer, too. leave refuses a
queue that a Go process serves. Right after a crash a dead process looks like a living
one until its lease ends (30 s by default): -wait waits for that.

Dead letters are for you to decide about; Java has no dead store. Without a flag leave
refuses a queue that has some.
  -redrive-dead       puts them back to the end of the ready list, all at once: Java gets
                      them. Look at them first (duequeue dead groups): what Go could not
                      decode, Java may lose.
  -export-dead FILE   adds them to FILE, a line of JSON for each with its payload, and
                      deletes each when its line is on the disk.

What goes with the keys: how often pending messages have failed, their IDs and keys
(they can no longer be cancelled from Go by those), deduplication, pauses and limits, and
the journal, which told what became of messages.
The audit stays, since all queues share it.

You may interrupt leave and run it again: what is done stays done, and no message is
lost. -dry-run changes nothing and says what would be done. -json prints one line for
each queue. The exit code is 0 when Redisson's keys alone remain; 1 when not.

The Redis user needs what "duequeue acl -role operate" prints.
`

// leaveCommand returns the command that takes Go off queues.
func leaveCommand(e *env.Env) *cli.Command {
	l := &leaving{e: e}
	return e.Command(env.Spec{
		Name: "leave", Args: "QUEUE...", Short: "take Go off queues, so that Redisson's keys alone remain", Group: env.GroupRepair, Long: leaveHelp,
		Examples: []string{"duequeue leave -dry-run ORDERS", "duequeue leave -wait -export-dead dead.jsonl ORDERS"}, JSON: line{},
		Flags: []cli.Flag{
			env.Bool(&l.dry, "dry-run", false, "change nothing, and say what would be done"),
			env.Bool(&l.wait, "wait", false, "wait for leases that have not ended"),
			env.Bool(&l.redrive, "redrive-dead", false, "put dead letters back to the ready list"),
			env.String(&l.file, "export-dead", "", "add dead letters to `FILE` and delete them"),
		},
		Run: l.run,
	})
}

// leaving is one run of the command.
type leaving struct {
	e                  *env.Env
	dry, wait, redrive bool
	file               string

	export   *export // nil without -export-dead
	progress *screen.Progress
	failed   bool
}

// line is a line of -json.
type line struct {
	Queue    string   `json:"queue"`
	Dry      bool     `json:"dryRun,omitempty"`
	Returned int64    `json:"returned"` // to the ready list: what dead processes held
	Redriven int64    `json:"redriven"` // dead letters back on the ready list
	Exported int64    `json:"exported"` // dead letters in the file, and deleted
	Deleted  int64    `json:"deleted"`  // keys
	Left     []string `json:"left,omitempty"`
	Pending  int64    `json:"pending"` // for Java
	Ready    int64    `json:"ready"`   // for Java
	Error    string   `json:"error,omitempty"`
}

func (l *leaving) run(ctx context.Context, queues []string) (err error) {
	switch {
	case len(queues) == 0:
		return env.Usagef("leave: no queue given")
	case l.redrive && l.file != "":
		return env.Usagef("leave: -redrive-dead and -export-dead exclude each other")
	}
	if l.file != "" && !l.dry {
		if l.export, err = openExport(l.file); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, l.export.close()) }()
	}
	l.progress = screen.NewProgress(l.e.Stderr)
	err = l.e.EachQueue(ctx, queues, func(ctx context.Context, c *framework.Client, queue string) error {
		done := line{Queue: queue, Dry: l.dry}
		var failure error
		if l.dry {
			failure = l.look(ctx, c, &done)
		} else {
			failure = l.leave(ctx, c, &done)
		}
		l.failed = l.failed || failure != nil
		return l.print(done, failure)
	})
	if err == nil && l.failed {
		return env.ErrReported
	}
	return err
}

// leave takes Go off one queue, audited. done says what was done, also with an error.
func (l *leaving) leave(ctx context.Context, c *framework.Client, done *line) error {
	if err := served(ctx, c, done.Queue); err != nil {
		return err
	}
	return l.e.Audited(ctx, c, admin.Action{Action: "leave", Queue: done.Queue}, func(ctx context.Context) (string, error) {
		err := l.steps(ctx, c, done)
		return fmt.Sprintf("%d given back, %d redriven, %d exported, %d keys deleted", done.Returned, done.Redriven, done.Exported, done.Deleted), err
	})
}

func (l *leaving) steps(ctx context.Context, c *framework.Client, done *line) error {
	reaped, err := admin.Reap(ctx, c, done.Queue, admin.ReapOptions{Wait: l.wait})
	done.Returned = reaped.Messages
	if err != nil {
		return err
	}
	if reaped.Alive+reaped.Open > 0 {
		return &ServedError{Queue: done.Queue, Sessions: reaped.Alive + reaped.Open, Until: reaped.OpenUntil}
	}
	q, err := admin.Queue(ctx, c, done.Queue)
	if err != nil {
		return err
	}
	if err = l.dead(ctx, q, done); err != nil {
		return err
	}
	return l.forget(ctx, c, done)
}

// dead puts dead letters where the flags say, and counts what Java has then.
func (l *leaving) dead(ctx context.Context, q *framework.Queue[[]byte], done *line) (err error) {
	switch {
	case l.redrive:
		var result framework.RedriveResult
		result, err = q.Dead().RedriveAll(ctx, framework.RedriveOptions{Rate: -1, Progress: func(r framework.RedriveResult) {
			l.progress.Tell("%s: %d dead letters redriven so far", screen.Name(done.Queue), r.Redriven)
		}})
		done.Redriven = result.Redriven
	case l.export != nil:
		done.Exported, err = l.export.all(ctx, q, done.Queue, func(n int64) {
			l.progress.Tell("%s: %d dead letters exported so far", screen.Name(done.Queue), n)
		})
	}
	if err != nil {
		return err
	}
	n, err := q.Counts(ctx) // before the keys are deleted: it writes one of them
	done.Pending, done.Ready = n.Delayed, n.Ready
	if err == nil && n.Dead > 0 {
		err = &DeadError{Queue: done.Queue, Letters: n.Dead, Redriven: l.redrive}
	}
	return err
}

// forget deletes the keys of all partitions.
func (l *leaving) forget(ctx context.Context, c *framework.Client, done *line) error {
	all, err := admin.Partitions(ctx, c, done.Queue)
	if err != nil {
		return err
	}
	client := access.Of(c)
	// The last one first: the first has the note of how many there are.
	for i := len(all) - 1; i >= 0; i-- {
		keys, err := client.Keys(all[i].Name)
		if err != nil {
			return err
		}
		deleted, left, err := delayed.ForgetQueue(ctx, client.Redis, keys)
		done.Deleted, done.Left = done.Deleted+deleted, append(done.Left, left...)
		switch {
		case errors.Is(err, delayed.ErrServed):
			return &ServedError{Queue: all[i].Name, Sessions: 1}
		case errors.Is(err, delayed.ErrDead):
			return &DeadError{Queue: all[i].Name, Letters: 1, Redriven: l.redrive}
		case err != nil:
			return err
		}
	}
	if len(done.Left) > 0 {
		return &LeftError{Queue: done.Queue, Keys: done.Left}
	}
	return nil
}

// look is a dry run.
func (l *leaving) look(ctx context.Context, c *framework.Client, done *line) error {
	if err := served(ctx, c, done.Queue); err != nil {
		return err
	}
	q, err := admin.Queue(ctx, c, done.Queue)
	if err != nil {
		return err
	}
	n, err := q.Counts(ctx)
	if err != nil {
		return err
	}
	done.Pending, done.Ready, done.Returned = n.Delayed, n.Ready, n.InFlight
	switch {
	case l.redrive:
		done.Redriven = n.Dead
	case l.file != "":
		done.Exported = n.Dead
	case n.Dead > 0:
		return &DeadError{Queue: done.Queue, Letters: n.Dead}
	}
	if n.InFlight > n.Stranded && !l.wait {
		return &ServedError{Queue: done.Queue, Sessions: n.Sessions}
	}
	return nil
}

// served returns a [*ServedError] where processes say that they serve the queue.
func served(ctx context.Context, c *framework.Client, queue string) error {
	all, err := admin.ProcessesNow(ctx, c, queue)
	if err != nil {
		return err
	}
	e := &ServedError{Queue: queue}
	for _, p := range all {
		if !p.Silent {
			e.Processes = append(e.Processes, fmt.Sprintf("%s (pid %d on %s)", p.Program, p.PID, p.Host))
		}
	}
	if len(e.Processes) == 0 {
		return nil
	}
	return e
}

// print tells what was done with one queue.
func (l *leaving) print(d line, err error) error {
	if l.e.JSON {
		if err != nil {
			d.Error = err.Error()
		}
		return l.e.Line(d)
	}
	var parts []string
	add := func(n int64, one, text string) {
		if n > 0 {
			parts = append(parts, screen.Count(n, one)+" "+text)
		}
	}
	add(d.Returned, "message", "of dead processes back to the ready list")
	add(d.Redriven, "dead letter", "back to the ready list")
	add(d.Exported, "dead letter", "in "+screen.Clean(l.file))
	add(d.Deleted, "key", "deleted")
	name := screen.Name(d.Queue)
	switch {
	case l.dry && err == nil:
		parts = append(parts, fmt.Sprintf("Java would have %d pending and %d ready", d.Pending, d.Ready+d.Returned+d.Redriven))
		fmt.Fprintf(l.e.Stdout, "%s: would leave: %s\n", name, strings.Join(parts, ", "))
	case err == nil:
		parts = append(parts, fmt.Sprintf("Redisson's keys alone remain: %d pending, %d ready", d.Pending, d.Ready))
		fmt.Fprintf(l.e.Stdout, "%s: left: %s\n", name, strings.Join(parts, ", "))
	case len(parts) > 0:
		fmt.Fprintf(l.e.Stdout, "%s: not left yet: %s\n", name, strings.Join(parts, ", "))
	}
	if err != nil {
		fmt.Fprintf(l.e.Stderr, "duequeue: %s: %v\n", name, err)
	}
	return nil
}

// ServedError says that Go processes serve a queue, or may.
type ServedError struct {
	Queue     string
	Processes []string  // as they call themselves
	Sessions  int64     // whose lease has not ended
	Until     time.Time // when the last lease ends, if it is not renewed
}

// Error says what to stop, or to wait for.
func (e *ServedError) Error() string {
	if len(e.Processes) > 0 {
		return "Go processes serve the queue: stop them first: " + screen.Clean(strings.Join(e.Processes, ", "))
	}
	text := fmt.Sprintf("the lease of %s has not ended", screen.Count(e.Sessions, "consumer"))
	if left := time.Until(e.Until); left > 0 {
		text += fmt.Sprintf(" (%s more)", words.Span(left))
	}
	return text + ": stop those that live; -wait waits for those that died"
}

// DeadError says that dead letters lie in a queue.
type DeadError struct {
	Queue    string
	Letters  int64
	Redriven bool // those that could be were
}

// Error says what to choose.
func (e *DeadError) Error() string {
	if e.Redriven {
		return screen.Count(e.Letters, "dead letter") + " cannot be put back, since Java could not read them: keep them with -export-dead FILE"
	}
	return screen.Count(e.Letters, "dead letter") + " in the dead store, which Java does not know: look at them (duequeue dead groups " + screen.Name(e.Queue) + "), then give -redrive-dead or -export-dead FILE"
}

// LeftError says that keys of ours are left.
type LeftError struct {
	Queue string
	Keys  []string
}

// Error names some of them.
func (e *LeftError) Error() string {
	const most = 5
	shown := e.Keys[:min(len(e.Keys), most)]
	return fmt.Sprintf("%s left, for a Go process still offers, or a session was not reaped: stop it and run leave again: %s",
		screen.Count(len(e.Keys), "key"), screen.Clean(strings.Join(shown, ", ")))
}
