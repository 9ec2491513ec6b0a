package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/change"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/look"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/manual"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/payloads"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/repair"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/serve"
	"github.com/duequeue/duequeue/framework/fault"
)

// Exit codes.
const (
	exitOK     = 0 // all is well
	exitFailed = 1 // something failed: a payload, a connection
	exitUsage  = 2 // the command line is wrong, and nothing was done; or "doctor" could not look
)

// commands returns all commands in the order of the list, for one run.
func commands(e *env.Env) []*cli.Command {
	return slices.Concat(
		look.Commands(e), change.Commands(e), repair.Commands(e), payloads.Commands(e), serve.Commands(e),
		[]*cli.Command{contextCommand(e), versionCommand(e), helpCommand(e)},
	)
}

// tree returns the tree of all commands, for one run.
func tree(e *env.Env) *cli.Command {
	version := false
	root := e.Command(env.Spec{
		Name: "duequeue", Short: "looks after delayed queues that Go and Java share", Flags: e.Flags(), Commands: commands(e),
	})
	root.Flags = append(root.Flags, &cli.BoolFlag{Name: "version", Usage: "show the version of this program", Destination: &version, Local: true, HideDefault: true})
	root.HideHelp, root.HideVersion = true, true
	root.EnableShellCompletion = true
	root.ConfigureShellCompletionCommand = describeCompletion(e)
	root.ExitErrHandler = func(context.Context, *cli.Command, error) {} // run sees to that
	root.Reader, root.Writer, root.ErrWriter = e.Stdin, e.Stdout, e.Stderr
	action := root.Action
	root.Action = func(ctx context.Context, c *cli.Command) error {
		if version {
			return printVersion(e)
		}
		return action(ctx, c)
	}
	return root
}

// describeCompletion puts the library's command into our list.
func describeCompletion(e *env.Env) func(*cli.Command) {
	return func(c *cli.Command) {
		ours := e.Command(env.Spec{
			Name: c.Name, Args: "bash|zsh|fish|pwsh", Short: "print the script that completes commands and flags in a shell", Group: env.GroupSelf,
			Long: completionHelp, Examples: []string{"source <(duequeue completion bash)"},
		})
		c.Hidden, c.Usage, c.ArgsUsage, c.Description, c.Category = false, ours.Usage, ours.ArgsUsage, ours.Description, ours.Category
		c.Metadata, c.Action, c.OnUsageError = ours.Metadata, ours.Action, ours.OnUsageError
		for _, shell := range c.Commands {
			shell.Action = withWord(shell.Name, shell.Action)
		}
	}
}

// withWord lets the script that the library prints for a shell say what of the word is there.
func withWord(shell string, printed cli.ActionFunc) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		var script bytes.Buffer
		out := c.Root().Writer
		c.Root().Writer = &script
		err := printed(ctx, c)
		c.Root().Writer = out
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, env.CompletionScript(shell, script.String()))
		return err
	}
}

const completionHelp = `
Load it when the shell starts:
  bash   source <(duequeue completion bash)       in ~/.bashrc
  zsh    source <(duequeue completion zsh)        in ~/.zshrc
  fish   duequeue completion fish > ~/.config/fish/completions/duequeue.fish
  pwsh   duequeue completion pwsh > duequeue.ps1, and run that in the profile

It completes commands and flags; names of queues, for which it asks Redis as the command would,
for a second at most; of contexts, codecs, and reasons of dead letters. Names of queues with
characters that shells treat as their own are left out, in other shells than zsh those with
colons, too.
`

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env.Env{Stdin: stdin}
	out := &screen.Writer{W: stdout, JSON: &e.JSON, Coloured: screen.HasColours(stdout)}
	errs := &screen.Writer{W: stderr, Coloured: screen.HasColours(stderr)} // what stands there is for people always
	defer out.Flush()
	defer errs.Flush()
	e.Stdout, e.Stderr = out, errs
	root := tree(e)
	e.Help = func(c *cli.Command) error { return manual.Print(e.Stdout, c) }
	err := root.Run(ctx, append([]string{root.Name}, arrange(root, args)...))
	failed := exitFailed
	if errors.As(err, new(*env.BlindError)) {
		failed = exitUsage
	}
	switch usage, wrong := env.AsUsage(err); {
	case err == nil:
		return exitOK
	case errors.Is(err, env.ErrReported):
		return failed
	case wrong:
		text := err.Error()
		if config := (*fault.ConfigError)(nil); !errors.As(err, &config) { // those show none
			text = env.WithoutLogin(text)
		}
		e.Warn("%s", codecs.PrintableLines(text, math.MaxInt))
		fmt.Fprintf(e.Stderr, "Run \"%s\" for usage.\n", strings.TrimSpace("duequeue help "+usage.Command))
		return exitUsage
	}
	if errors.Is(err, context.Canceled) && ctx.Err() == nil { // a signal, and not the caller
		err = env.Interrupted()
	}
	e.Warn("%s", codecs.PrintableLines(err.Error(), math.MaxInt))
	return failed
}

// arrange puts flags that stand before a command behind it, where the library looks for
// them.
func arrange(root *cli.Command, args []string) []string {
	if n := len(args); n > 0 && args[n-1] == "--generate-shell-completion" {
		return args
	}
	var path, flags []string
	c := root
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if isFlag(arg) {
			flags = append(flags, arg)
			if next := i + 1; next < len(args) && takesNext(root, c, arg, args[next]) {
				flags = append(flags, args[next])
				i++
			}
			continue
		}
		below := c.Command(arg)
		if below == nil {
			return slices.Concat(path, flags, args[i:])
		}
		path, c = append(path, arg), below
		if len(c.Commands) == 0 {
			return slices.Concat(path, flags, args[i+1:])
		}
	}
	return slices.Concat(path, flags)
}

func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' && arg != "--" }

// takesNext reports whether a flag takes the argument behind it. Of one that takes a text in
// one command and none in another, it does unless that is a command.
func takesNext(root, c *cli.Command, flag, next string) bool {
	name := strings.TrimLeft(flag, "-")
	if strings.Contains(name, "=") {
		return false
	}
	text, bare := false, false
	_ = root.Walk(func(c *cli.Command) error {
		for _, f := range c.Flags {
			if slices.Contains(f.Names(), name) {
				_, isBool := f.(*cli.BoolFlag)
				text, bare = text || !isBool, bare || isBool
			}
		}
		return nil
	})
	return text && (!bare || c.Command(next) == nil)
}
