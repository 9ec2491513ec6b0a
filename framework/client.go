package framework

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/framework/internal/engine/offered"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Client is the connection to Redis. It suffices for a process that only offers, and an
// Engine is built on it. Make it with [Open], once per process. It is safe for concurrent
// use.
//
// From its first offer to a queue until Close it transfers that queue, as every Redisson
// that offers does: it moves due messages to the ready list, for whoever takes them, and
// gives back what dead Go processes held. Config.NoTransfer turns that off.
type Client struct {
	redis    *connect.Redis
	rdb      redisapi.Client // scripts, offers, housekeeping, subscription
	cfg      Config          // with defaults
	names    wire.Mapping    // of queues, to those in Redis
	cluster  bool
	embedded bool
	tel      *telemetry.Telemetry
	targets  sync.Map // registry.Descriptor → *target
	bytesMu  sync.Mutex
	ofBytes  map[byBytes]*registry.Queue[[]byte] // see bytesOf
	oddNames sync.Map                            // *registry.Queue[[]byte] → its name, where no declaration may have it
	moving   *offered.Queues
	offers   *delayed.Offers
	idle     *connect.Idle
	parts    *engine.Client // what an engine needs of it
	log      *slog.Logger
	tracer   trace.TracerProvider // nil: the global one
	meter    metric.MeterProvider // nil: the global one
	unlog    func()               // ends the use of log for go-redis's lines
	closing  func() error
}

// Open validates the configuration, connects, and checks that the server is one that
// can serve: Redis 6.2 or newer, of the configured mode. It returns
//
//   - [fault.ConfigErrors] for a wrong configuration, before anything is connected,
//   - [*fault.UnreachableError] when no server answers, of a Cluster no primary, after
//     cfg.StartRetryFor at the latest,
//   - [*fault.RefusedError] when the server answers with an error: one that stays (login,
//     permission, mode) at once, one that passes by itself (loading, busy, out of memory, too
//     many clients, a disk that is full) after cfg.StartRetryFor,
//   - [*fault.VersionError] when it is too old.
//
// There is no fallback: a Redis that is configured but not there is an error.
func Open(ctx context.Context, cfg Config, opts ...ClientOption) (*Client, error) {
	c, err := newClient(cfg, opts) //nolint:contextcheck // closing it has contexts of its own
	if err != nil {
		return nil, err
	}
	if err := c.connect(ctx); err != nil {
		_ = c.Close() // the reason why Open fails says more
		return nil, err
	}
	return c, nil
}

// newClient is Open without connecting, for a graph that is only built. It
// returns fault.ConfigErrors.
func newClient(cfg Config, opts []ClientOption) (*Client, error) {
	set, err := newClientSettings(cfg, opts)
	if err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	server := redisOf(&cfg, set)
	tel, err := telemetry.New(set.tracer, set.meter, server.Server())
	if err != nil {
		return nil, err
	}
	c := &Client{
		redis: server, rdb: server.Shared(), cfg: cfg, names: set.mapping, ofBytes: map[byBytes]*registry.Queue[[]byte]{},
		cluster: cfg.Redis.Mode == ModeCluster, embedded: set.embedded != nil, tel: tel, log: set.log, tracer: set.tracer, meter: set.meter,
	}
	c.parts = &engine.Client{
		Panics: background.NewPanics(c.log), Redis: c.rdb, Name: c.names.To, Telemetry: c.tel, Log: c.log, Embedded: c.embedded,
		Lease: c.cfg.Lease, Block: c.cfg.Block, Sweep: c.cfg.Sweep, ShutdownShare: c.cfg.ShutdownShare, StartRetryFor: c.cfg.StartRetryFor,
		BlockingWaits: c.cfg.BlockingWaits, ConnectionName: c.cfg.ClientName,
		Foreign: c.foreignMode, Explain: set.explainer,
	}
	c.moving = offered.New(offered.Settings{
		Panics: c.parts.Panics, Redis: c.rdb, Log: c.log, Lease: c.cfg.Lease, Sweep: c.cfg.Sweep, Embedded: c.embedded, NoTransfer: c.cfg.NoTransfer,
	})
	c.parts.Transfers = c.moving
	c.offers = delayed.NewOffers(c.parts.Panics.In(c.moving.Context()), c.rdb)
	c.idle = connect.NewIdle(c.rdb, cfg.Redis.PoolIdle)
	c.unlog = func() {}
	c.closing = sync.OnceValue(func() error {
		defer c.unlog()
		drain, done := context.WithTimeout(c.moving.Context(), offersWithin)
		c.offers.Close(drain)
		done()
		c.moving.Close()
		c.idle.Stop()
		err := c.rdb.Close()
		c.moving.AwaitEnd() // what hung has ended with its connection
		return err
	})
	tel.OnPanic(func(who string, value any, stack []byte) {
		c.log.Error("telemetry panics: some of its data is lost, now and at each later panic; messages are not affected",
			"who", who, "panic", value, "stack", string(stack))
	})
	return c, nil
}

// redisOf says where Redis is, from a configuration with defaults that was checked.
func redisOf(cfg *Config, set clientSettings) *connect.Redis {
	of := &cfg.Redis
	out := &connect.Redis{
		Name: cfg.ClientName, RetryFor: cfg.StartRetryFor, Log: set.log,
		Options: connect.Options{
			Addrs: of.Addrs, MasterName: of.MasterName, IsClusterMode: of.Mode == ModeCluster,
			SentinelUsername: of.SentinelUsername, SentinelPassword: of.SentinelPassword,
			DialTimeout: of.DialTimeout, ReadTimeout: of.ReadTimeout, WriteTimeout: of.WriteTimeout,
			PoolSize: of.PoolSize,
		},
	}
	o := &out.Options
	var url config.URL
	switch {
	case set.embedded != nil:
		out.Embedded, o.Dialer = true, set.embedded.DialContext
		o.Addrs = []string{EmbeddedURL + ":0"} // a name for messages; the dialer ignores it
	case of.URL != "":
		url, _ = config.ParseURL(of.URL)
		o.Addrs = []string{url.Addr}
	}
	o.DB, o.Username, o.Password = cmp.Or(of.DB, url.DB), cmp.Or(of.Username, url.Username), cmp.Or(of.Password, url.Password)
	switch {
	case set.login != nil:
		o.CredentialsProviderContext = set.login
	case of.PasswordFile != "":
		o.CredentialsProviderContext = connect.LoginByFile(set.log, o.Username, of.PasswordFile)
	}
	if of.TLS.Enabled || url.TLS {
		o.Dialer = connect.TLS(of.TLS).Dialer(set.log, of.DialTimeout)
	}
	return out
}

// connect reaches the server and checks it. It returns the errors of Open.
func (c *Client) connect(ctx context.Context) error {
	c.unlog = connect.Log(c.log)
	for _, name := range c.cfg.unknown {
		c.log.WarnContext(ctx, "unknown environment variable with the prefix of this library: it is ignored", "variable", name)
	}
	if c.embedded {
		c.log.WarnContext(ctx, "embedded Redis: in-memory, nothing survives this process")
	}
	if err := c.redis.Await(ctx, c.rdb); err != nil {
		return err
	}
	c.idle.Start(c.parts.Panics.In(ctx))
	return nil
}

// offersWithin is how long Close waits for offers that came before it.
const offersWithin = 2 * time.Second

// Close waits for offers that came before it, ends the transfers of the queues that were
// offered to and closes the connections. Offers that come later, or find no answer in two
// seconds, end with a [*fault.ClosedError] or an unknown outcome. Close takes seconds at
// most, even if Redis does not answer. Calling it again returns the same result. Stop the
// Engine first: its last calls of Redis go through this client.
func (c *Client) Close() error { return c.closing() }

// Config returns the configuration in force, with defaults and without passwords.
func (c *Client) Config() Config { return c.cfg.Redacted() }

// String names the server. Printing a client must not print what it logs in with.
func (c *Client) String() string { return "duequeue client of Redis on " + c.redis.Where() }

// GoString prints as String does, for %#v.
func (c *Client) GoString() string { return c.String() }
