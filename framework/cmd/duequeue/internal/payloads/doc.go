// Package payloads has the commands for payloads and their classes.
package payloads

import (
	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

// Commands returns them.
func Commands(e *env.Env) []*cli.Command {
	return []*cli.Command{decodeCommand(e), javadescCommand(e), compatCommand(e)}
}
