package serve

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/redissonconfig"
)

const configHelp = `
config writes the YAML of a Go service that does what a Java service's configuration
says: redisson.yaml of any release from 3.8 to 4.7, the same as JSON, or an
application.yaml of Spring Boot, with spring.redis.redisson.config or .file, or with the
servers in spring.data.redis or spring.redis. It connects to no server.

Each setting has a comment: what took it over, or that it is not taken over and, where Go
cannot reach the queues without it, what to do instead. All mistakes are reported together.
-release names the Redisson that reads the file: the default codec depends on it.

${NAME} and ${NAME:-value} are replaced from this environment, as Redisson does; it also
knows Java's system properties (-Dname=value), which are unknown here. Passwords are not
printed: the service gets them by environment variables, which are named. -with-secrets
writes them into the YAML.
`

// configCommand returns the command.
func configCommand(e *env.Env) *cli.Command {
	var file, release string
	var secrets bool
	return e.Command(env.Spec{
		Name: "config", Short: "turn a redisson.yaml into the YAML of a Go service", Group: env.GroupServe, Long: configHelp,
		Examples: []string{"duequeue config -redisson redisson.yaml -release 3.18.1 > duequeue.yaml", "duequeue config -redisson application.yaml -json"},
		JSON:     redissonconfig.Note{},
		Flags: []cli.Flag{
			env.String(&file, "redisson", "", "configuration `FILE` of a Java service"),
			env.String(&release, "release", "", "the `RELEASE` of Redisson that reads it, such as 3.18.1; any by default"),
			env.Bool(&secrets, "with-secrets", false, "write passwords into the YAML"),
		},
		Run: func(_ context.Context, args []string) error {
			if file == "" || len(args) > 0 {
				return env.Usagef("config: name one file: -redisson redisson.yaml")
			}
			return show(e, file, release, secrets)
		},
	})
}

func show(e *env.Env, file, release string, secrets bool) error {
	src, err := redissonconfig.Open(file)
	if err != nil {
		return err
	}
	src.Release, src.Secrets = release, secrets
	read, err := redissonconfig.Read(src)
	if err != nil {
		return err
	}
	if e.JSON {
		for _, n := range read.Notes {
			if err := e.Line(n); err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := e.Stdout.Write(read.YAML()); err != nil {
		return err
	}
	for _, n := range read.Notes {
		if n.Blocks {
			e.Warn("%s (%s) is not taken over, see the comment: without it the service works on other keys or reaches no Redis", n.Setting, n.At)
		}
	}
	return nil
}
