package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/manual"
	"github.com/duequeue/duequeue/registry"
)

const helpHelp = `
Without a command, help lists all of them. help retries shows when a message that fails is
tried again in a queue that is declared without a backoff; help manual prints the help of
all commands as a page of Markdown.
`

func helpCommand(e *env.Env) *cli.Command {
	c := e.Command(env.Spec{
		Name: "help", Args: "[COMMAND | retries | manual]", Short: "show what a command does", Group: env.GroupSelf,
		Long: helpHelp, Examples: []string{"duequeue help dead redrive"},
		Run: func(context.Context, []string) error { return nil },
	})
	c.Action = func(_ context.Context, c *cli.Command) error {
		args := c.Args().Slice()
		switch {
		case len(args) == 0:
			return e.Help(c.Root())
		case len(args) == 1 && args[0] == "retries":
			return printRetries(e)
		case len(args) == 1 && args[0] == "manual":
			return manual.Markdown(e.Stdout, c.Root())
		}
		at := c.Root()
		for _, word := range args {
			next := at.Command(word)
			if next == nil {
				return &env.UsageError{Err: fmt.Errorf("no help on %q%s; there are %s", strings.Join(args, " "), env.DidYouMean(word, env.Names(at)), strings.Join(env.Names(at), ", "))}
			}
			at = next
		}
		return e.Help(at)
	}
	return c
}

func printRetries(e *env.Env) error {
	_, err := fmt.Fprintf(e.Stdout, `A message that fails is offered again. The default schedule, %v

A queue has another one by registry.MaxAttempts and registry.Backoff; few and quick:
registry.MaxAttempts(5), registry.Backoff(registry.Exponential(time.Second, 5*time.Minute))

%s
Errors that are marked handlers.Transient count as no attempt; registry.MaxAge bounds
how long a message is retried for those.
`, registry.Exponential(registry.DefaultBackoffBase, registry.DefaultBackoffLimit),
		registry.Retries(registry.Exponential(registry.DefaultBackoffBase, 5*time.Minute), 5))
	return err
}
