package rig

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
)

// EnvACL makes the tests run as a Redis user who has nothing but what ACLRules prints:
// set it to anything. A test fails where Redis refused that user something.
const EnvACL = "DUEQUEUE_TEST_ACL"

const (
	aclUser     = "duequeue-test"
	aclPassword = "not a secret"
)

// ACLQueues are names of queues that tests use besides those of QueueName. Set it
// before tests run.
var ACLQueues []string

// ACLOperators is how the names of tests begin that do what operators do. Set it before
// tests run.
var ACLOperators []string

// AsUser returns the configuration of the user under test; without [EnvACL] it is cfg.
// It makes no user: [OpenConfig] does, in the process of the test.
func AsUser(cfg framework.Config) framework.Config {
	if os.Getenv(EnvACL) == "" {
		return cfg
	}
	u, err := url.Parse(cfg.Redis.URL)
	if cfg.Redis.URL == "" || err != nil {
		cfg.Redis.Username, cfg.Redis.Password = aclUser, aclPassword
		return cfg
	}
	u.User = url.UserPassword(aclUser, aclPassword)
	cfg.Redis.URL = u.String()
	return cfg
}

// makeUser makes the user on every server behind cfg, and at the end of the test looks
// into their logs of refusals.
func makeUser(tb testing.TB, cfg framework.Config) {
	tb.Helper()
	name, _, _ := strings.Cut(tb.Name(), "/")
	role := admin.RoleServe
	for _, prefix := range ACLOperators {
		if strings.HasPrefix(name, prefix) {
			role = admin.RoleOperate
		}
	}
	rules, err := admin.ACLRules(role, append([]string{name + "*"}, ACLQueues...)...)
	if err != nil {
		tb.Fatal(err)
	}
	args := []any{"ACL", "SETUSER", aclUser, "reset", "on", ">" + aclPassword}
	for _, r := range rules {
		args = append(args, r)
	}
	admins, err := administrators(tb.Context(), cfg)
	if err != nil {
		tb.Fatalf("find the servers: %v", err)
	}
	for _, admin := range admins {
		if err := admin.Do(tb.Context(), args...).Err(); err != nil {
			tb.Fatalf("make the user on %s: %v", admin.Options().Addr, err)
		}
	}
	tb.Cleanup(func() {
		for _, admin := range admins {
			reportRefusals(tb, admin)
			_ = admin.Close()
		}
	})
}

func reportRefusals(tb testing.TB, admin *redis.Client) {
	tb.Helper()
	log, err := admin.ACLLog(context.WithoutCancel(tb.Context()), 128).Result()
	if err != nil {
		tb.Logf("refusals of %s are not known: %v", admin.Options().Addr, err) // the test took it down
	}
	for _, e := range log {
		// At its start a client asks for settings, and does without where it may not.
		if e.Username == aclUser && e.Object != "config|get" {
			tb.Errorf("Redis refused: %s of %q (%s, %d times)", e.Reason, e.Object, e.Context, e.Count)
		}
	}
}

// administrators connects to every server behind cfg as its default user.
func administrators(ctx context.Context, cfg framework.Config) ([]*redis.Client, error) {
	r := cfg.Redis
	if r.URL != "" {
		o, err := redis.ParseURL(r.URL)
		if err != nil {
			return nil, err
		}
		return []*redis.Client{redis.NewClient(o)}, nil
	}
	addrs := r.Addrs
	if r.MasterName != "" {
		var err error
		if addrs, err = behindSentinel(ctx, r); err != nil {
			return nil, err
		}
	}
	var out []*redis.Client
	for _, addr := range addrs {
		out = append(out, redis.NewClient(&redis.Options{Addr: addr, Username: r.Username, Password: r.Password}))
	}
	return out, nil
}

// behindSentinel asks for master and replicas: users are not replicated.
func behindSentinel(ctx context.Context, r framework.RedisConfig) ([]string, error) {
	s := redis.NewSentinelClient(&redis.Options{Addr: r.Addrs[0], Password: r.SentinelPassword})
	defer func() { _ = s.Close() }()
	master, err := s.GetMasterAddrByName(ctx, r.MasterName).Result()
	if err != nil {
		return nil, err
	}
	if len(master) != 2 {
		return nil, errors.New("the Sentinel knows no master")
	}
	replicas, err := s.Replicas(ctx, r.MasterName).Result()
	addrs := []string{net.JoinHostPort(master[0], master[1])}
	for _, replica := range replicas {
		addrs = append(addrs, net.JoinHostPort(replica["ip"], replica["port"]))
	}
	return addrs, err
}
