package look

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/causes"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const inflightHelp = `
inflight lists the messages that Go handlers have in hand, those that run for the longest
time first: ID, attempt, how often its handler hung, for how long, and which process has
them. Payloads are not shown. Each process names the 20 oldest; of a batch the first message. Hung ones are
handlers that were given up on and have not returned: their messages are retried.

What Java has taken is gone from Redis and cannot be listed.

QUEUE is the name that Java gives to getBlockingQueue, or a pattern such as 'ORDERS_*';
without one it lists those of all queues. -json prints one line for each message. The Redis user needs what "duequeue acl -role operate"
prints.
`

// InFlight returns the command that lists what handlers have in hand.
func InFlight(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "inflight", Args: "[QUEUE...]", Short: "list the messages that Go handlers have in hand", Group: env.GroupLook,
		Long: inflightHelp, Examples: []string{"duequeue inflight ORDERS"}, JSON: inflightLine{},
		Run: func(ctx context.Context, queues []string) error {
			return e.EachFound(ctx, queues, func(ctx context.Context, client *framework.Client, queue string) error {
				f, err := admin.InFlightOf(ctx, client, queue)
				if err != nil {
					return fmt.Errorf("%s: %w", screen.Name(queue), err)
				}
				return printInFlight(e, f)
			})
		},
	})
}

// inflightLine is a message in JSON.
type inflightLine struct {
	Queue string `json:"queue"`
	runningLine
	Host   string `json:"host"`
	PID    int    `json:"pid"`
	Engine string `json:"engine"`
	Hung   bool   `json:"hung,omitempty"`
	Silent bool   `json:"silent,omitempty"`
}

func printInFlight(e *env.Env, f admin.InFlight) error {
	if e.JSON {
		for _, m := range f.Messages {
			line := inflightLine{f.Queue, runningLines([]admin.Running{m.Running})[0], m.Host, m.PID, m.Process, m.Hung, m.Silent}
			if err := e.Line(line); err != nil {
				return err
			}
		}
		return nil
	}
	held := screen.Count(f.Held, "message")
	if f.Held == 0 {
		held = "no message"
	}
	fmt.Fprintf(e.Stdout, "%s: %s in flight at Go processes", screen.Name(f.Queue), held)
	if f.Stranded > 0 {
		fmt.Fprintf(e.Stdout, ", of which %d are of processes that died", f.Stranded)
	}
	if f.Hung > 0 {
		fmt.Fprintf(e.Stdout, "; %s (hung messages are retried)", causes.Hung(int(f.Hung)))
	}
	fmt.Fprintln(e.Stdout)
	if len(f.Messages) == 0 {
		return nil
	}
	t := screen.Table{Indent: 2}
	t.Header("ID", "ATTEMPT", "HANGS", "FOR", "HOST", "PID", "STATE")
	for _, m := range f.Messages {
		id := m.ID
		if id == "" {
			id = "payload " + m.Digest
		}
		attempt := "-" // of a hung one of an older version it is not known
		if m.Attempt > 0 {
			attempt = strconv.Itoa(m.Attempt)
		}
		t.Row(screen.Clean(id), attempt, strconv.Itoa(m.Hangs), words.Span(m.For), screen.Clean(m.Host), strconv.Itoa(m.PID), stateText(m))
	}
	return t.Write(e.Stdout)
}

func stateText(m admin.InFlightMessage) string {
	switch {
	case m.Silent:
		return screen.Red.On("its process is silent: killed or cut off")
	case m.Hung:
		return screen.Red.On("hung, given up on")
	case m.Alone:
		return screen.Yellow.On("running alone, a suspect")
	}
	return "running"
}
