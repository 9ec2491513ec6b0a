package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/duequeue/duequeue/registry"
)

func helpCommand() command {
	return command{
		name:  "help",
		args:  "[COMMAND | retries]",
		short: "show what a command does",
		long: "Without a command, help lists all of them; help retries shows when a message that fails is\n" +
			"tried again in a queue that is declared without a backoff.",
		setup: func(*flag.FlagSet) func(context.Context, *env, []string) error {
			return func(_ context.Context, e *env, args []string) error {
				if len(args) == 0 {
					return e.printUsage()
				}
				if len(args) == 1 && args[0] == "retries" {
					return e.printRetries()
				}
				c, ok := find(args[0])
				if !ok || len(args) > 1 {
					return usagef("no help on %q; there are %s", strings.Join(args, " "), names())
				}
				return e.printHelp(c)
			}
		},
	}
}

func (e *env) printUsage() error {
	var b bytes.Buffer
	b.WriteString("duequeue looks after delayed queues that Go and Java share.\n\n")
	b.WriteString("Usage: duequeue [flags] COMMAND [flags] [arguments]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.short)
	}
	b.WriteString("\nFlags of every command:\n")
	fs := newFlags("")
	(&global{}).register(fs)
	printFlags(&b, fs)
	b.WriteString("\nExit codes: 0 all is well, 1 something failed, 2 the command line is wrong.\n")
	_, err := e.stdout.Write(b.Bytes())
	return err
}

func (e *env) printHelp(c command) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Usage: duequeue %s [flags] %s\n\n%s%s.\n", c.name, c.args, strings.ToUpper(c.short[:1]), c.short[1:])
	if c.long != "" {
		b.WriteString("\n" + strings.TrimSpace(c.long) + "\n")
	}
	fs := newFlags(c.name)
	(&global{}).register(fs)
	c.setup(fs)
	b.WriteString("\nFlags:\n")
	printFlags(&b, fs)
	_, err := e.stdout.Write(b.Bytes())
	return err
}

func (e *env) printRetries() error {
	_, err := fmt.Fprintf(e.stdout, `A message that fails is offered again. The default schedule, %v

A queue has another one by registry.MaxAttempts and registry.Backoff; few and quick:
registry.MaxAttempts(5), registry.Backoff(registry.Exponential(time.Second, 5*time.Minute))

%s
Errors that are marked handlers.Transient count as no attempt; registry.MaxAge bounds
how long a message is retried for those.
`, registry.Exponential(registry.DefaultBackoffBase, registry.DefaultBackoffLimit),
		registry.Retries(registry.Exponential(registry.DefaultBackoffBase, 5*time.Minute), 5))
	return err
}

func printFlags(b *bytes.Buffer, fs *flag.FlagSet) {
	fs.SetOutput(b)
	fs.PrintDefaults()
}
