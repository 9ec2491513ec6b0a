package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

const contextHelp = `
A context is a name for a Redis, a Cluster or a group of Sentinels: "duequeue -context prod
queues". "context use NAME" makes it the one that counts where neither a flag nor the
environment names a Redis.

Contexts lie in duequeue/contexts.yaml in your folder of settings ($XDG_CONFIG_HOME, or
~/.config), which you may edit: each holds what a service's own YAML holds, or names such
a file and its section. Only you may read it. A password may stay in the environment
instead: DUEQUEUE_REDIS_PASSWORD.

  current: prod
  contexts:
    prod:
      redis:
        addrs: [10.0.0.1:6379, 10.0.0.2:6379, 10.0.0.3:6379]
        mode: cluster
    orders:
      config: /srv/orders/application.yaml
      section: app.queues

Which Redis a command uses: that of -redis, -config or -context; else that of the
environment ($DUEQUEUE_REDIS_URL or _ADDRS); else the context in use.
`

func contextCommand(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "context", Short: "name the Redis, Cluster or Sentinels that commands use", Group: env.GroupSelf, Long: contextHelp,
		Commands: []*cli.Command{
			e.Command(env.Spec{
				Name: "list", Short: "list the contexts, the one in use marked", Examples: []string{"duequeue context list"}, JSON: contextLine{},
				Run: func(_ context.Context, args []string) error { return listContexts(e, args) },
			}),
			e.Command(env.Spec{
				Name: "add", Args: "NAME", Short: "name the Redis of -redis, or of -config and -section",
				Examples: []string{"duequeue context add dev -redis 127.0.0.1:6379", "duequeue context add prod -config application.yaml -section app.queues"},
				Run:      func(_ context.Context, args []string) error { return addContext(e, args) },
			}),
			e.Command(env.Spec{
				Name: "use", Args: "NAME", Short: "use a context where nothing else names a Redis", Examples: []string{"duequeue context use prod"},
				Run: func(_ context.Context, args []string) error { return useContext(e, args) },
			}),
			e.Command(env.Spec{
				Name: "remove", Args: "NAME", Short: "forget a context", Examples: []string{"duequeue context remove dev"},
				Run: func(_ context.Context, args []string) error { return removeContext(args) },
			}),
		},
	})
}

// contextLine is a context in JSON.
type contextLine struct {
	Name    string `json:"name"`
	Current bool   `json:"current"`
	Redis   string `json:"redis"` // without its login
	Config  string `json:"config,omitempty"`
	Section string `json:"section,omitempty"`
}

func listContexts(e *env.Env, args []string) error {
	if len(args) > 0 {
		return env.Usagef("context list takes no arguments")
	}
	all, names, err := env.ReadContexts()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		e.Warn("there are no contexts: \"duequeue context add NAME -redis HOST:PORT\" makes one")
		return nil
	}
	var t screen.Table
	t.Header("", "NAME", "REDIS", "FROM")
	for _, name := range names {
		c := all.Contexts[name]
		line := contextLine{name, name == all.Current, contextAddress(name), c.Config, c.Section}
		if e.JSON {
			if err := e.Line(line); err != nil {
				return err
			}
			continue
		}
		mark := ""
		if line.Current {
			mark = "*"
		}
		from := cmp.Or(line.Config, "contexts.yaml")
		if line.Section != "" {
			from += ", " + line.Section
		}
		t.Row(mark, name, screen.Clean(line.Redis), screen.Clean(from))
	}
	if e.JSON {
		return nil
	}
	return t.Write(e.Stdout)
}

// contextAddress says where the Redis of a context is, or why that is not known.
func contextAddress(name string) string {
	cfg, err := (&env.Env{Global: env.Global{Context: name}}).Load()
	if err != nil {
		return env.WithoutLogin(err.Error())
	}
	return address(cfg)
}

// address says where a Redis is, without its login.
func address(cfg framework.Config) string {
	r := cfg.Redis
	switch {
	case r.URL != "":
		u, err := url.Parse(r.URL)
		if err != nil {
			return env.WithoutLogin(r.URL)
		}
		u.User = nil
		return u.String()
	case r.MasterName != "":
		return fmt.Sprintf("%s of the Sentinels %v", r.MasterName, r.Addrs)
	}
	return fmt.Sprint(r.Addrs)
}

func oneName(what string, args []string) (string, error) {
	if len(args) != 1 {
		return "", env.Usagef("context %s: name one context", what)
	}
	return args[0], env.CheckContextName(args[0])
}

func addContext(e *env.Env, args []string) error {
	name, err := oneName("add", args)
	switch {
	case err != nil:
		return err
	case e.Context != "":
		return env.Usagef("context add: -redis or -config says which Redis the name stands for")
	case e.Redis == "" && e.Config == "":
		return env.Usagef("context add: say which Redis: -redis HOST:PORT or a URL, or -config FILE")
	}
	all, _, err := env.ReadContexts()
	if err != nil {
		return err
	}
	cfg, err := e.Load() // mistakes show now
	if err != nil {
		return err
	}
	c := env.Context{Section: e.Section}
	if e.Config != "" {
		if c.Config, err = filepath.Abs(e.Config); err != nil {
			return err
		}
	} else {
		c.Inline = map[string]any{"redis": map[string]any{"url": cfg.Redis.URL}}
	}
	if all.Contexts == nil {
		all.Contexts = map[string]env.Context{}
	}
	all.Contexts[name] = c
	if err = all.Write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "context %s is %s; \"duequeue context use %s\" makes it the one that counts\n", name, screen.Clean(address(cfg)), name)
	return err
}

func useContext(e *env.Env, args []string) error {
	name, err := oneName("use", args)
	if err != nil {
		return err
	}
	all, _, err := env.ReadContexts()
	if err != nil {
		return err
	}
	if _, err = all.Find(name); err != nil {
		return err
	}
	all.Current = name
	if err = all.Write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "commands use %s, %s, where neither a flag nor the environment names a Redis\n", name, screen.Clean(contextAddress(name)))
	return err
}

func removeContext(args []string) error {
	name, err := oneName("remove", args)
	if err != nil {
		return err
	}
	all, _, err := env.ReadContexts()
	if err != nil {
		return err
	}
	if _, err := all.Find(name); err != nil {
		return err
	}
	delete(all.Contexts, name)
	if all.Current == name {
		all.Current = ""
	}
	return all.Write()
}
