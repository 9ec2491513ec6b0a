// Package connect reaches a Redis: it makes clients that send nothing twice, waits for the
// server, checks that it is new enough and that the configured user may do what the scripts
// need, and holds the subscription to the channels of queues.
package connect

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Redis is a server, a cluster or a Sentinel group as it is configured.
type Redis struct {
	Options  Options       // addresses, login, timeouts, TLS, and the pool of the shared client
	Name     string        // of each connection, in CLIENT LIST
	RetryFor time.Duration // how long Await goes on trying
	Embedded bool          // not a Redis with a version and settings
	Log      *slog.Logger
}

// Options are those of redis.UniversalOptions that are configured, by the same names.
type Options struct {
	Addrs                                  []string
	MasterName                             string
	IsClusterMode                          bool
	DB                                     int
	Username, Password                     string
	CredentialsProviderContext             func(ctx context.Context) (username, password string, err error)
	SentinelUsername, SentinelPassword     string
	Dialer                                 func(ctx context.Context, network, addr string) (net.Conn, error)
	DialTimeout, ReadTimeout, WriteTimeout time.Duration
	PoolSize                               int
}

// Shared makes the client of everything but blocking waits.
func (r *Redis) Shared() redisapi.Client { return r.client(r.Options) }

// Where names the server in messages.
func (r *Redis) Where() string { return strings.Join(r.Options.Addrs, ",") }

// Server is the host and port that name the server in spans and metrics, of several the first;
// "" where it is embedded.
func (r *Redis) Server() string {
	if r.Embedded {
		return ""
	}
	return r.Options.Addrs[0]
}

// sentinel reports whether Sentinels name the server.
func (r *Redis) sentinel() bool { return r.Options.MasterName != "" }

// mode names the kind of deployment as the configuration does.
func (r *Redis) mode() string {
	switch {
	case r.Options.IsClusterMode:
		return "cluster"
	case r.sentinel():
		return "sentinel"
	}
	return "standalone"
}

// client makes a client. Nothing is sent twice by the client itself: a script that ran
// although its reply was lost must be repeated knowingly.
func (r *Redis) client(of Options) redisapi.Client {
	o := redis.UniversalOptions{
		Addrs: of.Addrs, MasterName: of.MasterName, IsClusterMode: of.IsClusterMode, DB: of.DB,
		Username: of.Username, Password: of.Password, CredentialsProviderContext: of.CredentialsProviderContext,
		SentinelUsername: of.SentinelUsername, SentinelPassword: of.SentinelPassword, Dialer: of.Dialer,
		DialTimeout: of.DialTimeout, ReadTimeout: of.ReadTimeout, WriteTimeout: of.WriteTimeout, PoolSize: of.PoolSize,
		OnConnect: setName(r.Name),
	}
	o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = -1, 1, true
	o.PipelinePoolSize = -1 // one pool for pipelines too: a second one would double the connections
	// Fewer words at each new connection; neither is of use here.
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch {
	case o.IsClusterMode:
		co := o.Cluster()
		co.DisableRoutingPolicies = true // spares COMMAND, which a user may not be allowed
		c := redis.NewClusterClient(co)
		c.OnNewNode(func(node *redis.Client) { Equip(node) })
		c.AddHook(rediserr.AnswersCut{})
		c.AddHook(sendOnce{reload: c.ReloadState})
		return c
	case r.sentinel():
		return Equip(redis.NewFailoverClient(o.Failover()))
	default:
		return NewClient(o.Simple())
	}
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
