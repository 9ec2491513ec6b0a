package framework

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// takeMargin is how much longer than its block a blocking take may stay silent at least,
// however short the read timeout is.
const takeMargin = time.Second

// redisMaker builds the clients of one configuration. It holds the configuration
// with defaults, already validated.
type redisMaker struct {
	cfg    Config
	url    redisURL
	dialer func(ctx context.Context, network, addr string) (net.Conn, error) // nil: TCP
}

// shared makes the client for scripts, offers, housekeeping and the subscription.
func (m *redisMaker) shared() redis.UniversalClient {
	o := m.options()
	o.PoolSize = m.cfg.Redis.PoolSize
	o.MaxIdleConns = m.cfg.Redis.PoolIdle
	return m.connect(o)
}

// take makes a client for blocking takes with at most poolSize connections. They are
// opened when first used and then kept.
func (m *redisMaker) take(poolSize int) redis.UniversalClient {
	o := m.options()
	o.PoolSize = poolSize
	o.MaxIdleConns = poolSize
	// A pipeline ignores the blocking command's own time-out, so the client's must hold it.
	o.ReadTimeout = m.cfg.Block + max(m.cfg.Redis.ReadTimeout, takeMargin)
	return m.connect(o)
}

// options are those that all clients share. Nothing is sent twice by the client
// itself: a script that ran although its reply was lost must be repeated knowingly.
func (m *redisMaker) options() *redis.UniversalOptions {
	r := &m.cfg.Redis
	o := &redis.UniversalOptions{
		Addrs: m.addrs(), MasterName: r.MasterName, IsClusterMode: r.Mode == ModeCluster,
		DB: r.DB, Username: r.Username, Password: r.Password,
		SentinelUsername: r.SentinelUsername, SentinelPassword: r.SentinelPassword,
		OnConnect: setName(m.cfg.ClientName), Dialer: m.dialer,
		DialTimeout: r.DialTimeout, ReadTimeout: r.ReadTimeout, WriteTimeout: r.WriteTimeout,
		MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
		// One pool for pipelines too: a second one would double the connections.
		PipelinePoolSize: -1,
		// Fewer words at each new connection; neither is of use here.
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	fill(&o.DB, m.url.db)
	fill(&o.Username, m.url.username)
	fill(&o.Password, m.url.password)
	if r.TLS.Enabled || m.url.tls {
		// Open has built and reported the same settings before.
		o.TLSConfig, _ = r.TLS.build()
	}
	return o
}

// setName names a new connection. A name is not worth a failure: the ClientName of
// go-redis sends CLIENT SETNAME, which Redis before 7 refuses to users who may not
// run dangerous commands, and then gives the connection up. Everybody may say HELLO.
func setName(name string) func(ctx context.Context, cn *redis.Conn) error {
	return func(ctx context.Context, cn *redis.Conn) error {
		err := cn.Hello(ctx, 3, "", "", name).Err()
		var refused redis.Error
		if errors.As(err, &refused) {
			return nil
		}
		return err
	}
}

func (m *redisMaker) addrs() []string {
	switch {
	case m.dialer != nil:
		return []string{EmbeddedURL + ":0"} // a name for messages; the dialer ignores it
	case m.url.addr != "":
		return []string{m.url.addr}
	default:
		return m.cfg.Redis.Addrs
	}
}

// where names the server in messages.
func (m *redisMaker) where() string { return strings.Join(m.addrs(), ",") }

func (m *redisMaker) connect(o *redis.UniversalOptions) redis.UniversalClient {
	switch m.cfg.Redis.Mode {
	case ModeCluster:
		co := o.Cluster()
		co.DisableRoutingPolicies = true // spares COMMAND, which a user may not be allowed
		c := redis.NewClusterClient(co)
		c.AddHook(rediserr.AnswersCut{})
		c.AddHook(sendOnce{reload: c.ReloadState})
		return c
	case ModeSentinel:
		c := redis.NewFailoverClient(o.Failover())
		c.AddHook(rediserr.AnswersCut{})
		return c
	default:
		c := redis.NewClient(o.Simple())
		c.AddHook(rediserr.AnswersCut{})
		return c
	}
}
