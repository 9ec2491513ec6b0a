package framework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// ClientOption changes what [Open] builds. Options are the programmer's decisions, [Config]
// holds the operator's.
type ClientOption interface {
	applyClient(*clientSettings)
	String() string
}

// EmbeddedServer is a Redis inside this process; package embedded makes one.
type EmbeddedServer interface {
	// DialContext connects to the server, whatever the address says.
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

// WithEmbedded runs the client on an embedded server. The configuration must ask for it
// as well, by redis.url: embedded. One without the other is an error, so that a forgotten
// option or setting is noticed.
func WithEmbedded(srv EmbeddedServer) ClientOption { return embeddedOption{srv} }

type embeddedOption struct{ srv EmbeddedServer }

func (o embeddedOption) applyClient(s *clientSettings) { s.embedded, s.embeddedGiven = o.srv, true }
func (o embeddedOption) String() string                { return fmt.Sprintf("WithEmbedded(%T)", o.srv) }

// WithLogger sets where the client and all that is built on it log. Defaults to
// slog.Default().
//
// The lines of go-redis go there too, mostly at DEBUG. go-redis has one logger for the whole
// process: the first Open sets it, and the client that was opened last gets the lines until
// it is closed. To use another logger, call redis.SetLogger after the first Open.
func WithLogger(log *slog.Logger) ClientOption { return loggerOption{log} }

type loggerOption struct{ log *slog.Logger }

func (o loggerOption) applyClient(s *clientSettings) { s.log = o.log }
func (o loggerOption) String() string                { return "WithLogger(…)" }

// WithTracerProvider sets where spans go. Defaults to OpenTelemetry's global provider.
func WithTracerProvider(p trace.TracerProvider) ClientOption { return tracerOption{p} }

type tracerOption struct{ p trace.TracerProvider }

func (o tracerOption) applyClient(s *clientSettings) { s.tracer = o.p }
func (o tracerOption) String() string                { return "WithTracerProvider(…)" }

// WithMeterProvider sets where metrics go. Defaults to OpenTelemetry's global provider.
func WithMeterProvider(p metric.MeterProvider) ClientOption { return meterOption{p} }

type meterOption struct{ p metric.MeterProvider }

func (o meterOption) applyClient(s *clientSettings) { s.meter = o.p }
func (o meterOption) String() string                { return "WithMeterProvider(…)" }

// WithNameMapper sets the functions that map the name of each queue to its name in Redis and
// back, as map and unmap of Redisson's NameMapper do. Lists of queues name those that
// fromRedis leads to and toRedis leads back from, and leave the others out; fromRedis is
// called with any name that Redis holds. Both must give the same answer each time and be safe
// for concurrent use. For a prefix or suffix set Config.Name; both together are an error.
// Defaults to the queue's own name.
func WithNameMapper(toRedis, fromRedis func(name string) string) ClientOption {
	return mapperOption{wire.Mapping{To: toRedis, From: fromRedis}}
}

type mapperOption struct{ m wire.Mapping }

func (o mapperOption) applyClient(s *clientSettings) { s.mapping, s.mapped = o.m, true }
func (o mapperOption) String() string                { return "WithNameMapper(…)" }

// WithLogin sets the function that returns the user and the password for a new connection, such
// as the token of a cloud's identity, in place of redis.username, redis.password and
// redis.password_file; the user "" is Redis's default one. It is called for each new connection,
// must be safe for concurrent use, and should return soon: the connection waits for it. With an
// error there is no connection, and the next one asks again. Sentinels have a login of their own,
// redis.sentinel_password.
func WithLogin(login func(ctx context.Context) (user, password string, err error)) ClientOption {
	return loginOption{login}
}

type loginOption struct{ login connect.Login }

func (o loginOption) applyClient(s *clientSettings) { s.login, s.loginGiven = o.login, true }
func (o loginOption) String() string                { return "WithLogin(…)" }

// ExplainPayloads sets the function that explains payloads which a queue's codec cannot
// read. f gets the bytes and the codec's canonical name, and returns what the bytes may be
// instead; health, the log and the dead store show it. It must be safe for concurrent use.
// sniff.Explain is such a function; a program that uses it links every codec. Without f,
// the first bytes and the codec's error are shown.
func ExplainPayloads(f func(payload []byte, codec string) string) ClientOption {
	return explainOption{f}
}

type explainOption struct {
	f func([]byte, string) string
}

func (o explainOption) applyClient(s *clientSettings) { s.explainer = o.f }
func (o explainOption) String() string                { return "ExplainPayloads(…)" }

// clientSettings is what the options fill in.
type clientSettings struct {
	embedded      EmbeddedServer
	embeddedGiven bool
	mapping       wire.Mapping
	mapped        bool // by the program
	explainer     func([]byte, string) string
	login         connect.Login
	loginGiven    bool
	log           *slog.Logger
	tracer        trace.TracerProvider
	meter         metric.MeterProvider
}

// newClientSettings applies the options and validates them together with cfg.
func newClientSettings(cfg Config, opts []ClientOption) (clientSettings, error) {
	var set clientSettings
	errs := cfg.mistakes()
	for i, o := range opts {
		if o == nil {
			errs = append(errs, &fault.ConfigError{Reason: fmt.Sprintf("client option %d is nil", i+1)})
			continue
		}
		o.applyClient(&set)
	}
	set.log = errtext.Guard(set.log)
	switch {
	case !set.mapped:
		set.mapping = wire.Affixes(cfg.Name.Prefix, cfg.Name.Suffix)
	case set.mapping.To == nil || set.mapping.From == nil:
		errs = append(errs, &fault.ConfigError{Reason: "WithNameMapper: give both functions, from a queue's name to that in Redis and back"})
	case cfg.Name != (NameConfig{}):
		errs = append(errs, &fault.ConfigError{
			Field: "name", Origin: cmp.Or(cfg.origin["name.prefix"], cfg.origin["name.suffix"]),
			Reason: "the program maps names by WithNameMapper: use one of the two",
		})
	}
	switch r, url := cfg.Redis, loginOf(cfg.Redis.URL); {
	case !set.loginGiven:
	case set.login == nil:
		errs = append(errs, &fault.ConfigError{Reason: "WithLogin: the function is nil"})
	case r.Username != "" || r.Password != "" || r.PasswordFile != "" || url:
		errs = append(errs, &fault.ConfigError{Field: "redis.username", Reason: "the program logs in by WithLogin: leave redis.username, redis.password, redis.password_file and the login in redis.url out"})
	}
	wanted := cfg.Redis.URL == EmbeddedURL
	field := fault.ConfigError{Field: "redis.url", Origin: cfg.origin["redis.url"], Value: config.HideURL(cfg.Redis.URL)}
	switch {
	case set.embeddedGiven && set.embedded == nil:
		field.Reason, field.Err = "the embedded server of WithEmbedded is nil", errEmbedded
	case wanted && set.embedded == nil:
		field.Reason, field.Err = "the program has no embedded Redis: add embedded.Module to the fx graph, or framework.WithEmbedded(srv) with the server of embedded.Start", errEmbedded
	case !wanted && set.embedded != nil:
		field.Reason, field.Err = fmt.Sprintf("the program carries an embedded Redis (embedded.Module or WithEmbedded), so this must be %q; or take it out of the program", EmbeddedURL), errEmbedded
	}
	if field.Reason != "" {
		if cfg.Redis.URL == "" && len(cfg.Redis.Addrs) == 0 { // says more than "no Redis is configured"
			errs = withoutField(errs, field.Field)
		}
		errs = append(errs, &field)
	}
	return set, orNil(errs)
}

// loginOf reports whether a URL has a login.
func loginOf(text string) bool {
	url, err := config.ParseURL(text)
	return err == nil && (url.Username != "" || url.Password != "")
}

var errEmbedded = errors.New("redis.url is embedded but WithEmbedded was not given, or the reverse: set both or neither")

func withoutField(errs fault.ConfigErrors, field string) fault.ConfigErrors {
	var out fault.ConfigErrors
	for _, e := range errs {
		if e.Field != field {
			out = append(out, e)
		}
	}
	return out
}
