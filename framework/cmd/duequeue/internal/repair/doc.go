// Package repair has the commands that repair queues, and lead them to another state.
package repair

import (
	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

// Commands returns them.
func Commands(e *env.Env) []*cli.Command {
	return []*cli.Command{reapCommand(e), unlockCommand(e), migrateCommand(e), recodeCommand(e), leaveCommand(e)}
}
