package lab_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

func TestStartServes(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	ctx := t.Context()
	if err := srv.Client().Set(ctx, "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	o, err := redis.ParseURL(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	if o.Addr != srv.Addr() {
		t.Errorf("URL %s names %s, want %s", srv.URL(), o.Addr, srv.Addr())
	}
	if first, second := srv.Client(), srv.Client(); first != second {
		t.Error("Client() is another one at each call")
	}
}

func TestArgsAndPassword(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.Args("--maxmemory", "10mb"), lab.Password("geheim"))
	got, err := srv.Client().ConfigGet(t.Context(), "maxmemory").Result()
	if err != nil {
		t.Fatal(err)
	}
	if got["maxmemory"] != "10485760" {
		t.Errorf("maxmemory = %v", got)
	}
	o, err := redis.ParseURL(srv.URL())
	if err != nil || o.Password != "geheim" {
		t.Errorf("URL carries password %q, err %v", o.Password, err)
	}
}

func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opts []lab.Option
		want string
	}{
		"in memory":   {nil, ""},
		"append only": {[]lab.Option{lab.AppendOnly()}, "v"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t, tc.opts...)
			addr, pid := srv.Addr(), srv.PID()
			if err := srv.Client().Set(t.Context(), "k", "v", 0).Err(); err != nil {
				t.Fatal(err)
			}
			srv.Kill()
			if err := srv.Client().Ping(t.Context()).Err(); err == nil {
				t.Error("a killed server answers")
			}
			srv.Restart()
			if srv.Addr() != addr || srv.PID() == pid {
				t.Errorf("restarted on %s as %d, was %s as %d", srv.Addr(), srv.PID(), addr, pid)
			}
			got, err := srv.Client().Get(t.Context(), "k").Result()
			if err != nil && !errors.Is(err, redis.Nil) {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("after restart k = %q, want %q", got, tc.want)
			}
			srv.Restart() // a running one too
			if err := srv.Client().Ping(t.Context()).Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

// answers reports whether a server answers within 100 ms: not for a server that should.
func answers(t *testing.T, rdb *redis.Client) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	return rdb.Ping(ctx).Err() == nil
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := lab.Connect(t, srv.Addr())
	srv.Pause()
	if answers(t, rdb) {
		t.Error("a paused server answers")
	}
	srv.Resume()
	if err := rdb.Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
}

func TestRunAndStop(t *testing.T) {
	t.Parallel()
	srv, err := lab.RunRedis()
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Client().Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := srv.Stop(); err != nil {
			t.Errorf("Stop: %v", err)
		}
	}
}

func TestRunRefusesBadArguments(t *testing.T) {
	t.Parallel()
	srv, err := lab.RunRedis(lab.Args("--maxmemory", "plenty"))
	if err == nil {
		t.Fatal(errors.Join(errors.New("no error"), srv.Stop()))
	}
	if !strings.Contains(err.Error(), "maxmemory") {
		t.Errorf("the error does not show the server's log: %v", err)
	}
}

func TestMissingBinary(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"not in PATH": {lab.EnvBinary: "", "PATH": t.TempDir()},
		"bad path":    {lab.EnvBinary: "/nonexistent/redis-server"},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range env {
				t.Setenv(k, v)
			}
			_, err := lab.RunRedis()
			if !errors.Is(err, lab.ErrNoBinary) {
				t.Fatalf("err = %v", err)
			}
			for _, want := range []string{"apt-get install redis-server", lab.EnvBinary} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\ndoes not say %q", err, want)
				}
			}
		})
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	c := lab.StartCluster(t)
	if len(c.Addrs()) != 3 || len(c.Nodes()) != 3 {
		t.Fatalf("Addrs() = %v", c.Addrs())
	}
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "{q}:x", "{q}:y"} {
		if err := c.Client().Set(t.Context(), key, key, 0).Err(); err != nil {
			t.Errorf("SET %s: %v", key, err)
		}
	}
	total := int64(0)
	for i, n := range c.Nodes() {
		size, err := n.Client().DBSize(t.Context()).Result()
		if err != nil {
			t.Fatal(err)
		}
		if size == 0 {
			t.Errorf("node %d holds nothing", i)
		}
		total += size
	}
	if total != 8 {
		t.Errorf("the nodes hold %d keys, want 8", total)
	}
}

func TestSentinelFailsOver(t *testing.T) {
	t.Parallel()
	g := lab.StartSentinel(t, lab.Password("geheim"))
	if err := g.Client().Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if n, err := g.Client().Wait(t.Context(), 1, 0).Result(); err != nil || n != 1 {
		t.Fatalf("WAIT = %d, %v", n, err)
	}
	g.Master().Kill()
	lab.WaitFor(t, "a new master", func() bool { return g.Client().Set(t.Context(), "l", "w", 0).Err() == nil })
	if got, err := g.Client().Get(t.Context(), "k").Result(); got != "v" {
		t.Errorf("k = %q, %v after the failover", got, err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.TLS())
	files := srv.TLSFiles()
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(files.CA)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	for name, tc := range map[string]struct {
		conf *tls.Config
		ok   bool
	}{
		"with certificate":    {&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}, true},
		"without certificate": {&tls.Config{RootCAs: pool}, false},
		"plain":               {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rdb := srv.NewClient(func(o *redis.Options) { o.Addr, o.TLSConfig = srv.TLSAddr(), tc.conf })
			if err := rdb.Ping(t.Context()).Err(); (err == nil) != tc.ok {
				t.Errorf("PING: %v", err)
			}
		})
	}
}

func TestProxy(t *testing.T) {
	t.Parallel()
	p := lab.StartProxy(t, lab.StartRedis(t).Addr())
	rdb := lab.Connect(t, p.Addr())
	pings := func(when string) {
		t.Helper()
		if err := rdb.Ping(t.Context()).Err(); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	pings("at first")
	p.Sever()
	lab.WaitFor(t, "the end of the connection", func() bool { return p.Connections() == 0 })
	pings("after Sever")
	p.Mute()
	if answers(t, rdb) {
		t.Error("a muted connection answers")
	}
	pings("after Mute")
	p.Hold()
	held := make(chan error)
	go func() { held <- rdb.Ping(t.Context()).Err() }()
	select {
	case err := <-held:
		t.Errorf("a held reply came: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	p.Release()
	if err := <-held; err != nil {
		t.Errorf("after Release: %v", err)
	}
	p.Cut()
	if answers(t, rdb) {
		t.Error("a cut proxy answers")
	}
	p.Mend()
	pings("after Mend")
}
