// Package serve has the commands that run with services.
package serve

import (
	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

// Commands returns them.
func Commands(e *env.Env) []*cli.Command {
	return []*cli.Command{consoleCommand(e), transferCommand(e), outboxCommand(e), aclCommand(e), configCommand(e)}
}
