// Package env is what every command of the command line gets: its streams, the flags that
// all have, a way to say what it is, and a connection to Redis.
package env

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

// Env is one run of the program.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Global

	// Help shows the help of a command; the program sets it.
	Help func(c *cli.Command) error
}

// Global are the flags of every command.
type Global struct {
	Redis   string // address of the server
	Config  string // a service's YAML
	Section string // of that file
	Context string // a name in the contexts file
	JSON    bool   // print JSON for programs
	UTC     bool   // show times in UTC

	help bool
}

// RedisVariable is the environment variable that holds the address of Redis.
const RedisVariable = "DUEQUEUE_REDIS_URL"

// Flags returns the flags of every command.
func (e *Env) Flags() []cli.Flag {
	return []cli.Flag{
		String(&e.Redis, "redis", "", "`ADDRESS` of Redis: host:port, or redis://[user[:password]@]host[:port][/db], or rediss://; defaults to $"+RedisVariable),
		String(&e.Config, "config", "", "read the address of Redis from `FILE`, the service's own YAML"),
		String(&e.Section, "section", "", "where in that file: `KEYS` with dots between, such as app.queues"),
		String(&e.Context, "context", "", "use the Redis of this `NAME`, see \"duequeue help context\""),
		Bool(&e.JSON, "json", false, "print JSON for programs: an object on each line"),
		Bool(&e.UTC, "utc", false, "show times in UTC instead of this machine's zone"),
		&cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show what the command does", Destination: &e.help, HideDefault: true},
	}
}

// Clock shows times as the flags say.
func (e *Env) Clock() screen.Clock { return screen.Clock{UTC: e.UTC} }

// Line prints one object of JSON as a line.
func (e *Env) Line(v any) error {
	out := json.NewEncoder(e.Stdout)
	out.SetEscapeHTML(false)
	return out.Encode(named(v))
}

// named returns a line whose field Queue is quoted where JSON cannot hold the name, since it is
// no UTF-8, or where it would be read as a quoted one. The command line takes both forms.
func named(v any) any {
	line := reflect.ValueOf(v)
	if line.Kind() != reflect.Struct {
		return v
	}
	field := line.FieldByName("Queue")
	if !field.IsValid() || field.Kind() != reflect.String {
		return v
	}
	name := field.String()
	if utf8.ValidString(name) && screen.Unquote(name) == name {
		return v
	}
	changed := reflect.New(line.Type()).Elem()
	changed.Set(line)
	changed.FieldByName("Queue").SetString(screen.Name(name))
	return changed.Interface()
}

// Groups of commands, in the order of the list.
const (
	GroupLook    = "See what is there"
	GroupChange  = "Change messages"
	GroupSteer   = "Steer processes"
	GroupRepair  = "Repair and upgrade"
	GroupPayload = "Payloads and classes"
	GroupServe   = "Run with services"
	GroupSelf    = "This program"
)

// Groups returns all of them.
func Groups() []string {
	return []string{GroupLook, GroupChange, GroupSteer, GroupRepair, GroupPayload, GroupServe, GroupSelf}
}

// Spec says what a command is. Help, completion and the manual are made from it.
type Spec struct {
	Name     string
	Args     string // what follows the flags
	Short    string // one line, for the list
	Long     string
	Group    string   // of commands without a parent
	Examples []string // of calls: at least one of each command that runs
	JSON     any      // a line of -json; nil for none
	Flags    []cli.Flag
	Commands []*cli.Command // a command that has these does not run itself
	Run      func(ctx context.Context, args []string) error
}

const specKey = "spec"

// Command makes a command.
func (e *Env) Command(s Spec) *cli.Command {
	c := &cli.Command{
		Name: s.Name, Usage: s.Short, ArgsUsage: s.Args, Description: s.Long, Category: s.Group,
		Flags: s.Flags, Commands: s.Commands, Metadata: map[string]any{specKey: s},
	}
	c.ShellComplete = e.complete
	c.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error {
		return &UsageError{Command: Path(c), Err: explained(c, err)}
	}
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if e.help {
			return e.Help(c)
		}
		err := s.run(ctx, c)
		if usage, ok := AsUsage(err); ok && usage.Command == "" {
			usage.Command = Path(c)
		}
		return err
	}
	return c
}

// SpecOf returns what a command was made of.
func SpecOf(c *cli.Command) Spec {
	s, _ := c.Metadata[specKey].(Spec)
	return s
}
