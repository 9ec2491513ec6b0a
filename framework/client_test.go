package framework

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// openFor opens a client that is closed with the test.
func openFor(t *testing.T, cfg Config, opts ...ClientOption) *Client {
	t.Helper()
	c, err := Open(t.Context(), cfg, append([]ClientOption{WithLogger(slog.New(slog.DiscardHandler))}, opts...)...)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c
}

// serves checks that both clients of c reach the same data.
func serves(t *testing.T, c *Client) {
	t.Helper()
	take := c.rdb
	for _, key := range []string{"a", "b", "{c}:d"} {
		if err := c.rdb.RPush(t.Context(), key, "v").Err(); err != nil {
			t.Errorf("RPUSH %s: %v", key, err)
		}
		if got, err := take.BLMove(t.Context(), key, key, "left", "right", time.Second).Result(); err != nil || got != "v" {
			t.Errorf("BLMOVE %s = %q, %v", key, got, err)
		}
		script := redis.NewScript("return redis.call('llen', KEYS[1])")
		if got, err := script.Run(t.Context(), c.rdb, []string{key}).Int(); err != nil || got != 1 {
			t.Errorf("script on %s = %d, %v", key, got, err)
		}
	}
	pipe := take.Pipeline()
	a, b := pipe.LLen(t.Context(), "a"), pipe.EvalSha(t.Context(), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", []string{"b"})
	_, err := pipe.Exec(t.Context())
	if a.Val() != 1 || !redis.HasErrorPrefix(b.Err(), "NOSCRIPT") || !redis.HasErrorPrefix(err, "NOSCRIPT") {
		t.Errorf("pipeline: %v, %v, %v", a, b, err)
	}
}

func TestOpenStandalone(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.Password("geheim#/"), lab.TLS())
	files := srv.TLSFiles()
	admin := srv.Client()
	for user, denied := range map[string]string{"app": "-@dangerous", "bare": "-client"} {
		if err := admin.Do(t.Context(), "acl", "setuser", user, "on", ">pw", "~*", "&*", "+@all", denied).Err(); err != nil {
			t.Fatal(err)
		}
	}
	var next atomic.Int32 // each its own database
	for name, cfg := range map[string]RedisConfig{
		"URL":      {URL: srv.URL()},
		"address":  {Addrs: []string{srv.Addr()}, Password: "geheim#/"},
		"user":     {URL: "redis://app:pw@" + srv.Addr()},  // may not ask INFO
		"bare":     {URL: "redis://bare:pw@" + srv.Addr()}, // may not say CLIENT
		"password": {URL: "redis://app@" + srv.Addr(), Password: "pw"},
		"TLS": {
			URL: "rediss://app:pw@" + srv.TLSAddr(),
			TLS: TLSConfig{CAFile: files.CA, CertFile: files.Cert, KeyFile: files.Key, ServerName: "localhost"},
		},
		"TLS, address": {
			Addrs: []string{srv.TLSAddr()}, Password: "geheim#/",
			TLS: TLSConfig{Enabled: true, InsecureSkipVerify: true, CertFile: files.Cert, KeyFile: files.Key},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.DB = int(next.Add(1))
			c := openFor(t, Config{Redis: cfg, ClientName: "shop-" + strings.ReplaceAll(name, " ", "")})
			serves(t, c)
			db := srv.NewClient(func(o *redis.Options) { o.DB = cfg.DB })
			if n, err := db.Exists(t.Context(), "a", "b").Result(); err != nil || n != 2 {
				t.Errorf("database %d holds %d of the keys (%v)", cfg.DB, n, err)
			}
			list, err := admin.ClientList(t.Context()).Result()
			if err != nil || !strings.Contains(list, "name="+c.cfg.ClientName+" ") {
				t.Errorf("CLIENT LIST lacks %s (%v):\n%s", c.cfg.ClientName, err, list)
			}
		})
	}
}

func TestOpenCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	for name, cfg := range map[string]RedisConfig{
		"addresses":   {Addrs: cluster.Addrs()},
		"one address": {Addrs: cluster.Addrs()[:1], Mode: ModeCluster},
		"URL":         {URL: cluster.URL(), Mode: ModeCluster},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openFor(t, Config{Redis: cfg})
			if !c.cluster {
				t.Error("not seen as a cluster")
			}
			for _, key := range []string{"a", "b", "{c}:d"} {
				if err := cluster.Client().Del(t.Context(), name+key).Err(); err != nil {
					t.Fatal(err)
				}
			}
			if name == "addresses" { // the keys are shared
				serves(t, c)
			}
		})
	}
	_, err := Open(t.Context(), Config{Redis: RedisConfig{URL: cluster.URL()}})
	var refused *fault.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(refused.Hint, "redis.mode to cluster") {
		t.Errorf("a cluster node as standalone: %v", err)
	}
	_, err = Open(t.Context(), Config{Redis: RedisConfig{URL: cluster.URL() + "/3"}})
	if !errors.As(err, &refused) || !strings.Contains(refused.Hint, "redis.mode to cluster") {
		t.Errorf("a cluster node with a database: %v", err)
	}
}

func TestOpenSentinel(t *testing.T) {
	t.Parallel()
	group := lab.StartSentinel(t, lab.Password("geheim"), lab.SentinelPassword("waechter"))
	cfg := RedisConfig{Addrs: group.Addrs(), MasterName: group.MasterName(), Password: "geheim", SentinelPassword: "waechter", DB: 2}
	serves(t, openFor(t, Config{Redis: cfg}))

	var refused *fault.RefusedError
	if _, err := Open(t.Context(), Config{Redis: RedisConfig{Addrs: group.Addrs()[:1], Password: "waechter"}}); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "Sentinel") {
		t.Errorf("a Sentinel as standalone: %v", err)
	}
	without := cfg
	without.SentinelPassword = ""
	if _, err := Open(t.Context(), Config{Redis: without}); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "and redis.sentinel_password") {
		t.Errorf("without the Sentinels' password: %v", err)
	}
	cfg.MasterName = "nobody"
	if _, err := Open(t.Context(), Config{Redis: cfg}); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "check redis.master_name") {
		t.Errorf("unknown master: %v", err)
	}
}

func TestOpenRefused(t *testing.T) {
	t.Parallel()
	open := lab.StartRedis(t)
	locked := lab.StartRedis(t, lab.Password("geheim"))
	for name, tc := range map[string]struct {
		cfg  RedisConfig
		hint string
	}{
		"no password":     {RedisConfig{Addrs: []string{locked.Addr()}}, "set redis.password"},
		"wrong password":  {RedisConfig{Addrs: []string{locked.Addr()}, Password: "x"}, "check redis.username and redis.password"},
		"unknown user":    {RedisConfig{Addrs: []string{open.Addr()}, Username: "u", Password: "x"}, "check redis.username and redis.password"},
		"db out of range": {RedisConfig{Addrs: []string{open.Addr()}, DB: 99}, "beyond the server's number"},
		"no cluster":      {RedisConfig{Addrs: []string{open.Addr()}, Mode: ModeCluster}, "it is no cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Retrying does not help here: the error must come at once.
			_, err := Open(t.Context(), Config{Redis: tc.cfg, StartRetryFor: time.Hour}, WithLogger(slog.New(slog.DiscardHandler)))
			var refused *fault.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(refused.Hint, tc.hint) {
				t.Errorf("error %T: %v", err, err)
			}
			if err != nil && !strings.Contains(err.Error(), tc.cfg.Addrs[0]) {
				t.Errorf("the error does not name the server: %v", err)
			}
		})
	}
}

func TestOpenUnreachable(t *testing.T) {
	t.Parallel()
	const gone = "127.0.0.1:1" // nothing listens there, and no test takes the port
	wantUnreachable(t, map[string]Config{
		"nobody listens":    {Redis: RedisConfig{URL: "redis://" + gone}},
		"cluster, nobody":   {Redis: RedisConfig{Addrs: []string{gone, gone}}},
		"Sentinels, nobody": {Redis: RedisConfig{Addrs: []string{gone}, MasterName: "m"}},
		"unknown host":      {Redis: RedisConfig{URL: "redis://nowhere.invalid"}},
	})
}

func TestOpenTLSUnreachable(t *testing.T) {
	t.Parallel()
	tls := lab.StartRedis(t, lab.TLS())
	wantUnreachable(t, map[string]Config{
		"TLS to a plain port":   {Redis: RedisConfig{URL: "rediss://" + tls.Addr()}},
		"plain to a TLS port":   {Redis: RedisConfig{URL: "redis://" + tls.TLSAddr()}},
		"certificate unknown":   {Redis: RedisConfig{URL: "rediss://" + tls.TLSAddr()}},
		"no client certificate": {Redis: RedisConfig{URL: "rediss://" + tls.TLSAddr(), TLS: TLSConfig{CAFile: tls.TLSFiles().CA}}},
	})
}

// wantUnreachable opens each configuration, which must fail with an fault.UnreachableError.
func wantUnreachable(t *testing.T, cases map[string]Config) {
	t.Helper()
	for name, cfg := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(t.Context(), cfg)
			var unreachable *fault.UnreachableError
			if !errors.As(err, &unreachable) || unreachable.Tries != 1 || unreachable.Err == nil {
				t.Fatalf("error %T: %v", err, err)
			}
			for _, want := range []string{"no Redis answers on " + unreachable.Addr, "start_retry_for"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\ndoes not say %q", err, want)
				}
			}
		})
	}
}

// TestOpenWaitsForServer starts the server only after the first failed try.
func TestOpenWaitsForServer(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	srv.Kill()
	var once sync.Once
	log := slog.New(hookHandler{slog.DiscardHandler, func() { once.Do(srv.Restart) }})
	c, err := Open(t.Context(), Config{Redis: RedisConfig{URL: srv.URL()}, StartRetryFor: time.Minute}, WithLogger(log))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// hookHandler calls a function for each record.
type hookHandler struct {
	slog.Handler
	hook func()
}

func (h hookHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h hookHandler) Handle(context.Context, slog.Record) error {
	h.hook()
	return nil
}

func TestOpenGivesUp(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	srv.Kill()
	cfg := Config{Redis: RedisConfig{URL: srv.URL()}, StartRetryFor: 250 * time.Millisecond}
	quiet := WithLogger(slog.New(slog.DiscardHandler))
	var unreachable *fault.UnreachableError
	if _, err := Open(t.Context(), cfg, quiet); !errors.As(err, &unreachable) || unreachable.Tries < 2 {
		t.Errorf("error %T: %v", err, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the operator lost patience")
	log := WithLogger(slog.New(hookHandler{slog.DiscardHandler, func() { cancel(why) }}))
	cfg.StartRetryFor = time.Hour
	if _, err := Open(ctx, cfg, log); !errors.As(err, &unreachable) || !errors.Is(err, why) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestFirstWords pins what a new connection says, so that a change of the library's
// habits is noticed.
func TestFirstWords(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	conn, err := net.Dial("tcp", srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "MONITOR\r\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(conn)
	lines.Scan() // +OK
	c := openFor(t, Config{Redis: RedisConfig{URL: srv.URL() + "/1"}})
	if err := c.rdb.Echo(t.Context(), "end").Err(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for lines.Scan() && !strings.Contains(lines.Text(), `"echo"`) {
		_, words, _ := strings.Cut(lines.Text(), "] ")
		got = append(got, words)
	}
	want := []string{`"hello" "3"`, `"select" "1"`, `"hello" "3" "setname" "duequeue"`, `"ping"`, `"info" "server"`, `"info" "server"`, `"info"`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What a rush of callers needed is closed after some seconds: two are kept, beside that of the
// subscription.
func TestConnectionsAtRest(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openFor(t, Config{Redis: RedisConfig{URL: srv.URL()}})
	sub := redisapi.Subscribe(t.Context(), c.rdb, "x")
	defer func() { _ = sub.Close() }()
	if _, err := sub.ReceiveTimeout(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for range 20 {
				if err := c.rdb.Ping(t.Context()).Err(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	admin := srv.Client()
	lab.WaitFor(t, "at most three connections", func() bool {
		list := queuetest.Must[string](t)(admin.ClientList(t.Context()).Result())
		return strings.Count(list, "name=duequeue ") <= 3
	})
}

// TestGoRedisLogsToTheClientsLogger opens a client: not in parallel, since the process has
// one logger of go-redis.
func TestGoRedisLogsToTheClientsLogger(t *testing.T) { //nolint:paralleltest // see there
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, err := Open(t.Context(), Config{Redis: RedisConfig{URL: "redis://127.0.0.1:1"}}, WithLogger(logger))
	if err == nil || !strings.Contains(log.String(), "level=DEBUG msg=\"go-redis has logged a line\" said=\"redis: connection pool: failed to dial") {
		t.Errorf("%v\n%s", err, &log)
	}
	before := log.Len()
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	defer func() { _ = c.Close() }()
	if err := c.Ping(t.Context()).Err(); err == nil || log.Len() != before {
		t.Errorf("%v; the client is closed, and its logger gets %s", err, log.String()[before:])
	}
}

func TestCloseTwice(t *testing.T) {
	t.Parallel()
	c := openFor(t, Config{Redis: RedisConfig{URL: lab.StartRedis(t).URL()}})
	for range 2 {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if err := c.rdb.Ping(t.Context()).Err(); !errors.Is(err, redis.ErrClosed) {
		t.Errorf("PING after Close: %v", err)
	}
}

func TestClientConfigAndNames(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.Password("geheim"))
	c := openFor(t, Config{
		Redis: RedisConfig{URL: srv.URL()}, Name: NameConfig{Prefix: "prod:", Suffix: ":v1"},
	})
	if got := c.Config(); got.Lease != DefaultLease || strings.Contains(got.Redis.URL, "geheim") {
		t.Errorf("Config() = %v", got)
	}
	if got := c.names.To("ORDER"); got != "prod:ORDER:v1" {
		t.Errorf("mapped to %q", got)
	}
	lower := WithNameMapper(strings.ToLower, strings.ToUpper)
	if got := openFor(t, Config{Redis: RedisConfig{URL: srv.URL()}}, lower).names.To("ORDER"); got != "order" {
		t.Errorf("mapped to %q", got)
	}
	_, err := Open(t.Context(), Config{Redis: RedisConfig{URL: srv.URL()}, Name: NameConfig{Prefix: "x"}}, lower)
	checkMistakes(t, err, []wantMistake{{"name", "", "", "WithNameMapper"}})
}

// TestOpenTooOld talks to a server that says it is Redis 6.0.
func TestOpenTooOld(t *testing.T) {
	t.Parallel()
	srv, err := server.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	for name, reply := range map[string]func(*server.Peer){
		"PING": func(p *server.Peer) { p.WriteInline("PONG") },
		"INFO": func(p *server.Peer) {
			p.WriteBulk("# Server\r\nredis_version:6.0.16\r\nredis_mode:standalone\r\n")
		},
	} {
		if err := srv.Register(name, func(p *server.Peer, _ string, _ []string) { reply(p) }); err != nil {
			t.Fatal(err)
		}
	}
	_, err = Open(t.Context(), Config{Redis: RedisConfig{Addrs: []string{srv.Addr().String()}}})
	var old *fault.VersionError
	if !errors.As(err, &old) || old.Version != "6.0.16" || old.Addr != srv.Addr().String() {
		t.Errorf("error %T: %v", err, err)
	}
}

func TestVersionErrorText(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"5.0.1": "is version 5.0.1: 6.2 or newer", "": "unknown, but too old"} {
		if text := (&fault.VersionError{Addr: "h:1", Version: version}).Error(); !strings.Contains(text, want) || !strings.Contains(text, "h:1") {
			t.Error(text)
		}
	}
}
