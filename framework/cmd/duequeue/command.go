package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
)

// Exit codes.
const (
	exitOK     = 0 // all is well
	exitFailed = 1 // something failed: a payload, a connection
	exitUsage  = 2 // the command line is wrong; nothing was done
)

// redisVariable is the environment variable that -redis defaults to.
const redisVariable = "DUEQUEUE_REDIS_URL"

// command is one subcommand. Each has its own file and one entry in commands.
type command struct {
	name  string
	args  string // what follows the flags, for the usage line
	verbs bool   // the first argument is a word, behind which flags may stand, too
	short string // one line, for the list
	long  string // for "help NAME"
	// setup adds the command's flags and returns what runs it. It is called
	// once per run, so that flags keep no state.
	setup func(fs *flag.FlagSet) func(ctx context.Context, e *env, args []string) error
}

// commands returns all subcommands in the order of the list. It is a function
// because help reads it too.
func commands() []command {
	return []command{decodeCommand(), javadescCommand(), migrateCommand(), deadCommand(), doctorCommand(), reapCommand(), aclCommand(), helpCommand(), versionCommand()}
}

// env is what every subcommand gets.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	global
}

// global are the flags of every subcommand. They may come before its name or after it.
type global struct {
	redis string // -redis: URL of the server
	json  bool   // -json: print JSON for programs
}

func (g *global) register(fs *flag.FlagSet) {
	fs.StringVar(&g.redis, "redis", g.redis, "`URL` of Redis, for commands that use one; defaults to $"+redisVariable)
	fs.BoolVar(&g.json, "json", g.json, "print JSON for programs")
}

// usageError is a mistake on the command line.
type usageError struct {
	command string // empty for the program itself
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// errReported is returned by a command that has already printed what failed.
var errReported = errors.New("reported")

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{stdin: stdin, global: global{redis: os.Getenv(redisVariable)}}
	text := false // what stands on stderr is for people always
	out, errs := &terminal{w: stdout, json: &e.json}, &terminal{w: stderr, json: &text}
	defer out.flush()
	defer errs.flush()
	e.stdout, e.stderr = out, errs
	err := e.dispatch(ctx, args)
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &usage):
		text := err.Error()
		if config := (*fault.ConfigError)(nil); !errors.As(err, &config) { // those show none
			text = withoutLogin(text)
		}
		fmt.Fprintf(e.stderr, "duequeue: %s\n", text)
		fmt.Fprintf(e.stderr, "Run \"%s\" for usage.\n", strings.TrimSpace("duequeue help "+usage.command))
		return exitUsage
	}
	fmt.Fprintf(e.stderr, "duequeue: %v\n", err)
	return exitFailed
}

// loginInURL is what stands between a URL's scheme and its host, with any characters
// that somebody forgot to escape; where there is no host, all that may be a password.
var loginInURL = regexp.MustCompile(`(redis[a-z]*:)//(?:.*@|[^/\s"]*:[^\s"]*)`)

// withoutLogin takes the login out of URLs: a mistake on the command line is shown as
// it was typed, and the value of -redis may stand anywhere in it.
func withoutLogin(text string) string { return loginInURL.ReplaceAllString(text, "$1//(redacted)@") }

// dispatch reads the global flags, finds the subcommand and runs it.
func (e *env) dispatch(ctx context.Context, args []string) error {
	fs := newFlags("duequeue")
	e.register(fs)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return e.printUsage()
		}
		return &usageError{err: err}
	}
	if fs.NArg() == 0 {
		return usagef("no command given; there are %s", names())
	}
	c, ok := find(fs.Arg(0))
	if !ok {
		return usagef("unknown command %q; there are %s", fs.Arg(0), names())
	}
	return e.runCommand(ctx, c, fs.Args()[1:])
}

func (e *env) runCommand(ctx context.Context, c command, args []string) error {
	fs := newFlags(c.name)
	e.register(fs)
	do := c.setup(fs)
	args, err := parse(fs, args, c.verbs)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return e.printHelp(c)
		}
		return &usageError{command: c.name, err: err}
	}
	err = do(ctx, e, args)
	var usage *usageError
	if errors.As(err, &usage) {
		usage.command = c.name
	}
	return err
}

// parse reads the flags and returns what follows them. A flag behind that is refused: it
// would be taken for an argument, "-dry-run" for the name of a queue, and the others
// changed. What begins so and is none, stands after "--".
func parse(fs *flag.FlagSet, args []string, verbs bool) ([]string, error) {
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	rest := fs.Args()
	if read := len(args) - len(rest); len(rest) == 0 || read > 0 && args[read-1] == "--" {
		return rest, nil
	}
	if verbs {
		more, err := parse(fs, rest[1:], false)
		return append(rest[:1:1], more...), err
	}
	for _, arg := range rest[1:] {
		if len(arg) > 1 && arg[0] == '-' {
			return nil, fmt.Errorf("%s after the arguments: flags stand before them", arg)
		}
	}
	return rest, nil
}

// newFlags returns a flag set that leaves printing to run.
func newFlags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

func find(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

func names() string {
	var all []string
	for _, c := range commands() {
		all = append(all, c.name)
	}
	return strings.Join(all, ", ")
}
