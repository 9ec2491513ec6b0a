// Package look has the commands that see what is there.
package look

import (
	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/inspect"
)

// Commands returns them.
func Commands(e *env.Env) []*cli.Command {
	return []*cli.Command{
		queuesCommand(e), inspect.Command(e), Counts(e), Top(e), Pending(e), Ready(e), InFlight(e), Find(e), Show(e), partitionsCommand(e), Ps(e), locksCommand(e), doctorCommand(e), Audit(e),
	}
}
