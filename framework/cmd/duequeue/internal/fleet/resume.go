package fleet

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/health"
)

const resumeHelp = `
resume ends what "duequeue pause" began: all Go processes take from the queues again.
A process that was paused by its own program (Engine.Pause) remains paused. Where
nothing is paused it does nothing.

It waits, prints and ends as "duequeue pause" does.
`

// Resume returns the command that ends pauses.
func Resume(e *env.Env) *cli.Command {
	s := &steering{}
	return e.Command(env.Spec{
		Name: "resume", Args: "QUEUE...", Short: "let Go processes take from queues again", Group: env.GroupSteer,
		Long: resumeHelp, Examples: []string{"duequeue resume ORDERS"}, JSON: controlLine{}, Flags: s.flags(),
		Run: func(ctx context.Context, queues []string) error {
			return s.run(ctx, e, admin.Action{Action: "resume"}, queues, func(ctx context.Context, c *framework.Client, queue string) (admin.Control, error) {
				return admin.Resume(ctx, c, queue, s.author())
			}, func(_ admin.Control, p admin.Process) bool { return p.Reason != health.BecausePaused })
		},
	})
}
