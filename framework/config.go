package framework

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/registry"
)

// Config holds what the operator of a service sets. The zero value of each field means
// its default. Only Redis has none, since a service that silently talks to the wrong
// server is worse than one that does not start.
//
// The program fills it in, or [LoadConfig] reads it from YAML and the environment. YAML
// keys are the names in the tags. The environment variable of a field is its path in
// capitals after DUEQUEUE_: redis.tls.ca_file is DUEQUEUE_REDIS_TLS_CA_FILE. Durations are
// written as 30s, 5m or 1h30m.
//
// Printing a Config (fmt, slog, encoding/json) never shows a password.
type Config struct {
	// Redis says which server, cluster or Sentinel group to use. Required.
	Redis RedisConfig `yaml:"redis"`

	// Name maps queue codes to Redis names. Defaults to the code itself.
	Name NameConfig `yaml:"name"`

	// Lease is for how long Redis holds a message for the process that took it. After a
	// process has been silent for so long, others get its unfinished messages. At least 1s,
	// longer than Block. Defaults to 30s.
	Lease time.Duration `yaml:"lease"`

	// Block is how long one wait in Redis for a message of an idle queue lasts: whole
	// seconds, since Redis clients round fractions up, and shorter than Lease. Defaults
	// to 5s.
	Block time.Duration `yaml:"block"`

	// BlockingWaits is how many queues of an engine wait in Redis at most, each with a
	// connection of its own: those that got messages last. The ready lists of the others are
	// polled, in one pipeline per node, at least once a second; more than five processes
	// share about five polls a second. At least 1.
	// Defaults to 32; on the embedded server, where connections cost nothing, to the number of
	// queues.
	BlockingWaits int `yaml:"blocking_waits"`

	// Sweep is how often due messages are looked for without a wake-up, and so the
	// longest time by which a lost wake-up can delay a message. From 100ms to 5s; on the
	// embedded server, which loses none, also longer. Defaults to 5s.
	Sweep time.Duration `yaml:"sweep"`

	// NoTransfer keeps clients from transferring the queues that they offer to. Another
	// process must do so: a Go service that handles the queue, or a Java service that
	// called getDelayedQueue on it. The log warns at the first offer to a queue that no
	// process transfers. Engines still transfer the queues that they handle. Defaults to
	// false.
	NoTransfer bool `yaml:"no_transfer"`

	// ForeignPayloads says what becomes of an offer to a queue with payloads that its codec
	// cannot read: refuse, warn or ignore. registry.OnForeign overrides it for one queue.
	// Defaults to refuse.
	ForeignPayloads registry.ForeignMode `yaml:"foreign_payloads"`

	// StartRetryFor is how long Open tries to reach Redis and Engine.Start tries to check the
	// queues, with growing pauses. They try again if no server answers or if the answer is
	// temporary, such as LOADING or BUSY. Defaults to 0: one try, then an error.
	StartRetryFor time.Duration `yaml:"start_retry_for"`

	// ShutdownShare is the part of the time for stopping in which running handlers may
	// finish; messages that are not done by then go back to their queue. Above 0, at
	// most 1. Defaults to 0.8.
	ShutdownShare float64 `yaml:"shutdown_share"`

	// ClientName is what CLIENT LIST shows for this process's connections. No
	// spaces. Defaults to duequeue.
	ClientName string `yaml:"client_name"`

	origin  map[string]string // field path → where LoadConfig read it, for messages
	unknown []string          // variables with our prefix that LoadConfig knows nothing of
}

// RedisConfig says where Redis is and how to log in. URL or Addrs must be set, not
// both.
type RedisConfig struct {
	// URL is redis://[user[:password]@]host[:port][/db], rediss:// for TLS, or the word "embedded"
	// for an in-memory server. For "embedded" the program must also add package embedded.
	URL string `yaml:"url" redact:"url"`

	// Addrs are host:port pairs: one server, several nodes of a cluster, or, with
	// MasterName, the Sentinels. In the environment they are separated by commas.
	Addrs []string `yaml:"addrs"`

	// Mode is standalone, sentinel or cluster. By default it is inferred: sentinel
	// when MasterName is set, cluster when there are several Addrs, else standalone.
	// Set it for a cluster of which you give one address.
	Mode Mode `yaml:"mode"`

	// MasterName is the name of the master that the Sentinels watch.
	MasterName string `yaml:"master_name"`

	// DB is the database index, 0 on a cluster. Defaults to the URL's, or 0.
	DB int `yaml:"db"`

	// Username is the ACL user. Defaults to the URL's, or Redis's default user.
	Username string `yaml:"username"`

	// Password is the user's password. Defaults to the URL's, or none.
	Password string `yaml:"password" redact:"all"`

	// PasswordFile is a file with the user's password, instead of Password: it is read anew
	// for each connection, so that a password may change while the program runs. A line's end
	// behind the password does not count. While the file cannot be read, the password that was
	// read last counts. Connections that are open stay logged in. See also [WithLogin].
	PasswordFile string `yaml:"password_file"`

	// SentinelUsername and SentinelPassword log in to the Sentinels themselves.
	SentinelUsername string `yaml:"sentinel_username"`
	// SentinelPassword belongs to SentinelUsername, or to the Sentinels' default user.
	SentinelPassword string `yaml:"sentinel_password" redact:"all"`

	// TLS is on with rediss:// or TLS.Enabled.
	TLS TLSConfig `yaml:"tls"`

	// DialTimeout bounds one try to connect. Defaults to 5s.
	DialTimeout time.Duration `yaml:"dial_timeout"`

	// ReadTimeout bounds the wait for one reply. A blocking command adds its own time: over a
	// connection that went silent a message can wait for Block and ReadTimeout (at least one
	// second) before it goes to another process. Defaults to 3s.
	ReadTimeout time.Duration `yaml:"read_timeout"`

	// WriteTimeout bounds the sending of one command. Defaults to 3s.
	WriteTimeout time.Duration `yaml:"write_timeout"`

	// PoolSize is the largest number of connections for offers and housekeeping, on a
	// cluster per node. Those of Config.BlockingWaits come on top, and one for announcements.
	// Defaults to 8.
	PoolSize int `yaml:"pool_size"`

	// PoolIdle is how many of those connections stay open when there is nothing to
	// do; those beyond are closed after some seconds. At most PoolSize. Defaults to 2.
	PoolIdle int `yaml:"pool_idle"`
}

// TLSConfig describes an encrypted connection. Its zero value is plain TCP, unless
// the URL says rediss://, which is TLS with the system's certificate authorities.
type TLSConfig struct {
	// Enabled turns TLS on for Addrs; with a URL write rediss://. Defaults to false.
	Enabled bool `yaml:"enabled"`

	// CAFile is a PEM file of the authorities to trust. Defaults to the system's. All three
	// files are read anew for each connection, so that certificates may be renewed while the
	// program runs; while they cannot be read, or are no pair, those that were read last count.
	CAFile string `yaml:"ca_file"`

	// CertFile and KeyFile are this client's own certificate and key in PEM.
	CertFile string `yaml:"cert_file"`
	// KeyFile is the private key of CertFile; each needs the other.
	KeyFile string `yaml:"key_file"`

	// ServerName is the name that the server's certificate must carry. Defaults to
	// the host that is connected to.
	ServerName string `yaml:"server_name"`

	// InsecureSkipVerify accepts any certificate: for trials, never in production.
	// Defaults to false.
	InsecureSkipVerify bool `yaml:"insecure_skip_verify"`
}

// NameConfig maps the name of each queue to its name in Redis, as a Redisson
// NameMapper does for Java services that share a Redis between environments.
type NameConfig struct {
	// Prefix goes before each name. Defaults to none.
	Prefix string `yaml:"prefix"`
	// Suffix goes after each name. Defaults to none.
	Suffix string `yaml:"suffix"`
}

// Mode is the kind of Redis deployment.
type Mode string

// The kinds of deployment. The empty Mode means: infer it, see [RedisConfig].
const (
	ModeStandalone Mode = "standalone"
	ModeSentinel   Mode = "sentinel"
	ModeCluster    Mode = "cluster"
)

// EmbeddedURL is the value of RedisConfig.URL that asks for the in-memory server.
const EmbeddedURL = "embedded"

// Defaults of a Config; see the fields for what they mean.
const (
	DefaultLease         = 30 * time.Second
	DefaultBlock         = 5 * time.Second
	DefaultSweep         = watch.DefaultSweep // the longest, too
	DefaultBlockingWaits = 32
	DefaultShutdownShare = 0.8
	DefaultClientName    = "duequeue"
	DefaultDialTimeout   = 5 * time.Second
	DefaultReadTimeout   = 3 * time.Second
	DefaultWriteTimeout  = 3 * time.Second
	DefaultPoolSize      = 8
	DefaultPoolIdle      = 2
)

// withDefaults returns a copy in which each zero field has its default.
func (c Config) withDefaults() Config {
	fill(&c.Lease, DefaultLease)
	fill(&c.Block, min(DefaultBlock, max(time.Second, (c.Lease/2).Truncate(time.Second))))
	fill(&c.Sweep, DefaultSweep)
	if c.Redis.URL != EmbeddedURL {
		fill(&c.BlockingWaits, DefaultBlockingWaits)
	}
	fill(&c.ShutdownShare, DefaultShutdownShare)
	fill(&c.ClientName, DefaultClientName)
	fill(&c.ForeignPayloads, registry.ForeignRefuse)
	r := &c.Redis
	fill(&r.DialTimeout, DefaultDialTimeout)
	fill(&r.ReadTimeout, DefaultReadTimeout)
	fill(&r.WriteTimeout, DefaultWriteTimeout)
	fill(&r.PoolSize, DefaultPoolSize)
	fill(&r.PoolIdle, min(DefaultPoolIdle, r.PoolSize))
	fill(&r.Mode, r.inferredMode())
	return c
}

// inferredMode is the mode that the other fields imply.
func (r *RedisConfig) inferredMode() Mode {
	switch {
	case r.MasterName != "":
		return ModeSentinel
	case len(r.Addrs) > 1:
		return ModeCluster
	default:
		return ModeStandalone
	}
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
