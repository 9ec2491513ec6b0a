package env

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

// ErrReported is returned by a command that has already printed what failed.
var ErrReported = errors.New("reported")

// UsageError is a mistake on the command line. Nothing was done.
type UsageError struct {
	Command string // empty for the program itself
	Err     error
}

// Error says what is wrong.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// Usage makes a UsageError of an error.
func Usage(err error) error { return &UsageError{Err: err} }

// AsUsage returns the UsageError within an error.
func AsUsage(err error) (*UsageError, bool) {
	var usage *UsageError
	ok := errors.As(err, &usage)
	return usage, ok
}

// BlindError says that a command that judges could not look.
type BlindError struct{ Err error }

// Error says why.
func (e *BlindError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *BlindError) Unwrap() error { return e.Err }

// Blind makes a BlindError of an error.
func Blind(err error) error { return &BlindError{Err: err} }

// Path is the name of a command behind those of its parents: "dead list".
func Path(c *cli.Command) string {
	_, path, _ := strings.Cut(c.FullName(), " ")
	return path
}

// run runs the command, or says which one was meant.
func (s Spec) run(ctx context.Context, c *cli.Command) error {
	if s.Run != nil {
		args := c.Args().Slice()
		for i := range args {
			if takesQueue(s.Args, i) {
				args[i] = screen.Unquote(args[i])
			}
		}
		return s.Run(ctx, args)
	}
	names := strings.Join(Names(c), ", ")
	what, whose := "command", ""
	if c.Root() != c {
		what, whose = "verb", Path(c)+": "
	}
	if !c.Args().Present() {
		return Usagef("%sno %s given; there are %s", whose, what, names)
	}
	word := c.Args().First()
	meant := DidYouMean(word, Names(c))
	if other := otherWords[word]; other != "" && c.Root() == c {
		meant = fmt.Sprintf("; did you mean %q?", other)
	}
	return Usagef("%sunknown %s %q%s; there are %s", whose, what, word, meant, names)
}

// otherWords are those of other queues for what a command here does.
var otherWords = map[string]string{
	"retry": "dead redrive", "requeue": "dead redrive", "redrive": "dead redrive", "replay": "dead redrive", "failed": "dead list", "dlq": "dead list",
	"ls": "queues", "list": "queues", "stats": "counts", "status": "doctor", "check": "doctor", "health": "doctor", "delete": "cancel", "remove": "cancel", "rm": "cancel",
	"move": "reschedule", "workers": "ps", "consumers": "ps", "unpause": "resume", "throttle": "limit", "peek": "ready",
}

// Names returns the names of the commands below one.
func Names(c *cli.Command) []string {
	var all []string
	for _, below := range c.Commands {
		if !below.Hidden {
			all = append(all, below.Name)
		}
	}
	return all
}

// explained adds to an error about an unknown flag which one was meant, or which command
// has it.
func explained(c *cli.Command, err error) error {
	_, name, unknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	name = strings.TrimLeft(name, "-")
	if others := having(c.Root(), name); len(others) > 0 {
		return fmt.Errorf("%s: there is no flag -%s; commands with this flag: %s", Path(c), name, strings.Join(others, ", "))
	}
	var known []string
	for at := c; at != nil; at = parent(at) {
		for _, f := range at.Flags {
			known = append(known, f.Names()[0])
		}
	}
	return fmt.Errorf("flag provided but not defined: -%s%s", name, DidYouMean(name, known))
}

// parent returns the command above one, nil for the program.
func parent(c *cli.Command) *cli.Command {
	lineage := c.Lineage()
	if len(lineage) < 2 {
		return nil
	}
	return lineage[1]
}

// having returns the commands that know a flag.
func having(root *cli.Command, name string) (paths []string) {
	for _, c := range root.Commands {
		for _, f := range c.Flags {
			if f.Names()[0] == name {
				paths = append(paths, Path(c))
			}
		}
		paths = append(paths, having(c, name)...)
	}
	return paths
}

// Interrupted is the error of a command that a signal has ended.
func Interrupted() error {
	return errors.New("interrupted: what was done stays done, and the same command goes on with the rest")
}
