package env

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// Connect opens a client for a command that a signal ends. The caller defers end, which closes
// it and adds what that says to the command's error.
func (e *Env) Connect(ctx context.Context) (_ context.Context, client *framework.Client, end func(*error), _ error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	client, err := e.Open(ctx)
	if err != nil {
		stop()
		return nil, nil, nil, err
	}
	return ctx, client, func(err *error) {
		*err = errors.Join(*err, client.Close())
		stop()
	}, nil
}

// Open connects to Redis as flags, environment and contexts say. Without other options
// errors alone are logged.
func (e *Env) Open(ctx context.Context, options ...framework.ClientOption) (*framework.Client, error) {
	cfg, err := e.Load()
	if err != nil {
		return nil, err
	}
	// Commands say themselves what matters to them; what Open warns of is the doctor's part.
	quiet := framework.WithLogger(slog.New(slog.NewTextHandler(e.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	client, err := framework.Open(ctx, cfg, append([]framework.ClientOption{quiet}, options...)...)
	return client, e.inWords(err)
}

// inWords says in the words of the command line what [framework.Open] says in those of a service.
func (e *Env) inWords(err error) error {
	place, failed := e.place()
	if failed != nil {
		return err
	}
	from := "it comes from " + place.From
	if place.From == "the environment" || place.From == "" {
		from = "it comes from $" + RedisVariable
	}
	if gone, ok := errors.AsType[*fault.UnreachableError](err); ok {
		return &connectError{fmt.Sprintf("no Redis answers on %s: %v; check the address (%s; -redis HOST:PORT names another), the network and TLS", gone.Addr, gone.Err, from), err}
	}
	if refused, ok := errors.AsType[*fault.RefusedError](err); ok && strings.Contains(refused.Hint, "start_retry_for") {
		return &connectError{fmt.Sprintf("Redis on %s refuses: %v: this passes by itself: try again", refused.Addr, refused.Err), err}
	}
	return err
}

// connectError is an error of [framework.Open] with another text.
type connectError struct {
	text string
	err  error
}

func (e *connectError) Error() string { return e.text }
func (e *connectError) Unwrap() error { return e.err }

// serverVariables say which Redis to use: a flag that says it takes their place.
var serverVariables = []string{"URL", "ADDRS", "MODE", "MASTER_NAME", "DB"}

const variablePrefix = framework.DefaultEnvPrefix + "REDIS_"

// Load returns the settings of the Redis to use: that of -redis, -config or -context, else
// what the environment says, else the context that is in use.
func (e *Env) Load() (framework.Config, error) {
	place, err := e.place()
	if err != nil {
		return framework.Config{}, err
	}
	if place.URL != "" {
		if err = os.Setenv(RedisVariable, place.URL); err != nil {
			return framework.Config{}, err
		}
	}
	var options []framework.LoadOption
	if place.Section != "" {
		options = append(options, framework.Section(place.Section))
	}
	cfg, err := framework.LoadConfig(place.File, options...)
	if wrong, ok := errors.AsType[*fault.ConfigError](err); ok && wrong.Section != "" {
		said := *wrong
		said.Reason = "the settings stand in a section: read it with -section " + words.Quote(wrong.Section)
		err = &said
	}
	if err != nil {
		return cfg, Usage(err)
	}
	if cfg.Redis.URL == framework.EmbeddedURL {
		return cfg, Usagef("redis.url is %q: that Redis lives within one process, where no other reaches it; %s", cfg.Redis.URL, howToSay)
	}
	if cfg.ClientName == "" || cfg.ClientName == framework.DefaultClientName || place.File != "" {
		cfg.ClientName = "duequeue-cli"
	}
	return cfg, nil
}

const howToSay = "give -redis HOST:PORT or -redis redis://…, or -config FILE (a service's YAML), or -context NAME (see \"duequeue help context\"), or set $" + RedisVariable

// place is where the settings are.
type place struct {
	URL           string // of the environment or of -redis
	File, Section string
	From          string // what says so, for people
}

func (e *Env) place() (place, error) {
	given := 0
	for _, text := range []string{e.Redis, e.Config, e.Context} {
		if text != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return place{}, Usagef("-redis, -config and -context exclude each other")
	case e.Section != "" && e.Config == "":
		return place{}, Usagef("-section goes with -config")
	case e.Redis != "":
		return place{URL: asURL(e.Redis), From: "-redis"}, nil
	case e.Config != "":
		return place{File: e.Config, Section: e.Section, From: "-config"}, forget(serverVariables)
	case e.Context != "":
		p, err := contextPlace(e.Context)
		return p, errors.Join(err, forget(serverVariables))
	case os.Getenv(RedisVariable) != "" || os.Getenv(variablePrefix+"ADDRS") != "":
		p := place{From: "the environment"}
		if said := os.Getenv(RedisVariable); asURL(said) != said { // as -redis takes it
			p.URL = asURL(said)
		}
		return p, nil
	}
	all, err := readContexts()
	if err != nil {
		return place{}, err
	}
	if all.Current == "" {
		return place{}, Usagef("no Redis is named: %s", howToSay)
	}
	return contextPlace(all.Current)
}

// forget takes variables of Redis out of the environment of this process.
func forget(names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, os.Unsetenv(variablePrefix+name))
	}
	return errors.Join(errs...)
}

var hostAndPort = regexp.MustCompile(`^([^\s/@:]+|\[[0-9a-fA-F:]+\]):[0-9]+$`)

// asURL makes a URL of host:port.
func asURL(address string) string {
	if hostAndPort.MatchString(address) {
		return "redis://" + address
	}
	return address
}

// loginInURL is what stands between a URL's scheme and its host, with any characters
// that were not escaped; where there is no host, all that may be a password.
var loginInURL = regexp.MustCompile(`(redis[a-z]*:)//(?:.*@|[^/\s"]*:[^\s"]*)`)

// WithoutLogin takes the login out of URLs: a mistake on the command line is shown as
// it was typed, and the value of -redis may stand anywhere in it.
func WithoutLogin(text string) string {
	if !strings.Contains(text, "redis") {
		return text
	}
	return loginInURL.ReplaceAllString(text, "$1//(redacted)@")
}
