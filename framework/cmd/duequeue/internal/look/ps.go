package look

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const psHelp = `
ps lists the Go processes that serve the queues: where they run, since when, whether they
take messages, and if not, why, with the last error; how many messages they have, and for how long the oldest
runs. It asks them, and waits a second for their answers. Where they declare the queue
differently (MaxAttempts, Timeout, MaxPayload, View), it says so. Above them stands what
"duequeue queues" says of the queue.

A process that has stopped is not listed. One that was killed, or cannot reach Redis, is
listed as silent, for a lease (30 s by default) after it should have said more. Java
clients leave no trace here; "duequeue queues" counts them among the listeners.

QUEUE is the name that Java gives to getBlockingQueue, or a pattern such as 'ORDERS_*';
without one it lists those of all queues. -json prints one line for each process. The Redis user needs what "duequeue acl -role operate"
prints.
`

// Ps returns the command that lists processes.
func Ps(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "ps", Args: "[QUEUE...]", Short: "list the Go processes that serve queues, and what they do", Group: env.GroupLook,
		Long: psHelp, Examples: []string{"duequeue ps ORDERS"}, JSON: processLine{},
		Run: func(ctx context.Context, queues []string) error {
			return e.EachFound(ctx, queues, func(ctx context.Context, client *framework.Client, queue string) error {
				all, err := admin.Processes(ctx, client, queue)
				if err != nil {
					return fmt.Errorf("%s: %w", screen.Name(queue), err)
				}
				set, err := admin.ControlOf(ctx, client, queue)
				if err != nil {
					e.Warn("%s: %v", screen.Name(queue), err)
				}
				status, err := admin.StatusOf(ctx, client, queue)
				if err != nil {
					return fmt.Errorf("%s: %w", screen.Name(queue), err)
				}
				return printProcesses(e, queue, admin.Judge(status[0]), set, all)
			})
		},
	})
}

// processLine is a process in JSON. Times are seconds.
type processLine struct {
	Queue        string        `json:"queue"`
	Host         string        `json:"host"`
	PID          int           `json:"pid"`
	Engine       string        `json:"engine"`
	Program      string        `json:"program"`
	Version      string        `json:"version"`
	Duequeue     string        `json:"duequeue"`
	Up           float64       `json:"up"`
	Silent       bool          `json:"silent,omitempty"`
	Age          float64       `json:"age"` // of what it says
	TransferOnly bool          `json:"transferOnly,omitempty"`
	Workers      int           `json:"workers"`
	Usable       int           `json:"usable"` // workers, as operators bound them
	Rate         float64       `json:"rate,omitempty"`
	Intake       string        `json:"intake,omitempty"`
	Reason       string        `json:"reason,omitempty"`
	Because      string        `json:"because,omitempty"`
	LastError    string        `json:"lastError,omitempty"`
	Handled      uint64        `json:"handled"` // since its start
	Failed       uint64        `json:"failed"`
	Held         int           `json:"held"`
	Running      []runningLine `json:"running,omitempty"`
	Zombies      int           `json:"zombies,omitempty"`
	Hung         []runningLine `json:"hung,omitempty"`
	Suspects     int           `json:"suspects,omitempty"`
	Policy       string        `json:"policy,omitempty"`
}

// runningLine is a message that a handler has.
type runningLine struct {
	ID      string  `json:"id,omitempty"`
	Digest  string  `json:"digest,omitempty"`
	Attempt int     `json:"attempt,omitempty"`
	Hangs   int     `json:"hangs,omitempty"`
	For     float64 `json:"for"`
	Alone   bool    `json:"alone,omitempty"`
}

func runningLines(rs []admin.Running) (out []runningLine) {
	for _, r := range rs {
		out = append(out, runningLine{r.ID, r.Digest, r.Attempt, r.Hangs, r.For.Seconds(), r.Alone})
	}
	return out
}

func printProcesses(e *env.Env, queue string, v admin.Verdict, set admin.Control, all []admin.Process) error {
	if e.JSON {
		for _, p := range all {
			if err := e.Line(processLine{
				queue, p.Host, p.PID, p.ID, p.Program, p.Version, p.Duequeue, p.Up.Seconds(), p.Silent, p.Age.Seconds(), p.TransferOnly, p.Workers, p.Usable,
				p.Rate, string(p.Intake), string(p.Reason), p.Because, p.LastError, p.Handled, p.Failed, p.Held, runningLines(p.Running), p.Zombies, runningLines(p.Hung), p.Suspects, p.Policy,
			}); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprintf(e.Stdout, "%s: %s\n  %s\n", screen.Name(queue), StateText(v), screen.Clean(set.String()))
	if set.Pause != nil || set.Limit != nil {
		fmt.Fprintf(e.Stdout, "  %s\n", admin.JavaGoesOn)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(e.Stdout, "  no Go process serves it")
		return err
	}
	t := screen.Table{Indent: 2}
	t.Header("HOST", "PID", "PROGRAM", "VERSION", "DUEQUEUE", "UP", "WORKERS", "HELD", "LONGEST", "HUNG", "INTAKE")
	for _, p := range all {
		t.Row(screen.Clean(p.Host), strconv.Itoa(p.PID), screen.Clean(p.Program), screen.Clean(p.Version), screen.Clean(p.Duequeue), words.Span(p.Up),
			workersText(p), strconv.Itoa(p.Held), longest(p.Running), strconv.Itoa(p.Zombies), intakeText(p))
	}
	if err := t.Write(e.Stdout); err != nil {
		return err
	}
	for _, p := range all {
		if p.LastError != "" {
			fmt.Fprintf(e.Stdout, "  %s, pid %d: last error: %s\n", screen.Clean(p.Host), p.PID, screen.Clean(p.LastError))
		}
	}
	policies := map[string]bool{}
	for _, p := range all {
		if !p.TransferOnly && !p.Silent && p.Policy != "" {
			policies[p.Policy] = true
		}
	}
	if len(policies) > 1 {
		_, err := fmt.Fprintf(e.Stdout, "  the processes declare this queue differently: %s; see duequeue doctor\n", strings.Join(slices.Sorted(maps.Keys(policies)), " / "))
		return err
	}
	return nil
}

func workersText(p admin.Process) string {
	switch {
	case p.TransferOnly:
		return "-"
	case p.Usable != p.Workers:
		return fmt.Sprintf("%d of %d", p.Usable, p.Workers)
	}
	return strconv.Itoa(p.Workers)
}

// intakeText says in a word or two what the process does with the queue.
func intakeText(p admin.Process) string {
	switch {
	case p.Silent:
		return screen.Red.On("silent for " + words.Span(p.Age) + ": killed or cut off")
	case p.TransferOnly:
		return "transfers only"
	case p.Reason != "":
		return screen.Yellow.On(screen.Clean(string(p.Intake) + ", " + string(p.Reason)))
	}
	return screen.Clean(string(p.Intake))
}

func longest(rs []admin.Running) string {
	if len(rs) == 0 {
		return "-"
	}
	return words.Span(rs[0].For)
}
