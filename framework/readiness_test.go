package framework_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
)

// idle is a consumer of a queue to which nothing ever comes.
func idle(code string) framework.Consumer {
	return framework.Consume(stringQueue(code), handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		return errors.New("nothing should come")
	}))
}

func ready(t *testing.T, e *framework.Engine) {
	t.Helper()
	lab.Wait(t, func() string { return strings.Join(e.Health().Reasons, "; ") })
}

func unready(t *testing.T, e *framework.Engine) {
	t.Helper()
	lab.WaitFor(t, "readiness tells the trouble", func() bool { return !e.Health().Ready })
}

// What is over must be over for readiness too, on queues on which nothing happens.
func TestReadyAgainAfterAnOutage(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]time.Duration{"short": 300 * time.Millisecond, "longer than the lease": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, short)
			e := b.run(t, idle("outage1"), idle("outage2"), framework.TransferOnly(stringQueue("outage3")))
			ready(t, e)
			for range 2 {
				b.server.Kill()
				unready(t, e)
				<-time.After(down)
				b.server.Restart()
				ready(t, e)
			}
		})
	}
}

func TestReadyAgainAfterAWrongTypeIsMended(t *testing.T) {
	t.Parallel()
	b := setup(t, short)
	for _, key := range []string{"mended", "redisson_delay_queue_timeout:{mended}", "duequeue:sessions:{mended}"} {
		e := b.run(t, idle("mended"))
		ready(t, e)
		rdb := b.redis
		if err := rdb.Del(t.Context(), key).Err(); err != nil {
			t.Fatal(err)
		}
		if err := rdb.Set(t.Context(), key, "somebody else's", 0).Err(); err != nil {
			t.Fatal(err)
		}
		unready(t, e)
		if err := rdb.Rename(t.Context(), key, "away").Err(); err != nil {
			t.Fatal(err)
		}
		ready(t, e)
		if err := e.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadyAgainAfterAPermissionIsGivenBack(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{"-blmove", "-evalsha", "-@all", "resetkeys", "-lmove -blmove -zadd"} {
		t.Run(lost, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t)
			set := func(rules ...any) {
				if err := srv.Client().Do(t.Context(), append([]any{"acl", "setuser", "worker"}, rules...)...).Err(); err != nil {
					t.Fatal(err)
				}
			}
			set("on", ">geheim", "~*", "&*", "+@all")
			b := setupOn(t, srv, short, func(c *framework.Config) {
				c.Redis.URL = "redis://worker:geheim@" + srv.Addr()
			})
			e := b.run(t, idle("permitted"))
			ready(t, e)
			for _, rule := range strings.Fields(lost) {
				set(rule)
			}
			unready(t, e)
			set("~*", "+@all")
			ready(t, e)
		})
	}
}

// What holds messages up though the queue is served leaves the process ready, unless the
// program wants it otherwise.
func TestAnOpenBreakerARateLimitAndAPauseDegrade(t *testing.T) {
	t.Parallel()
	down := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return errors.New("mail server is down") })
	breaker := framework.Breaker(framework.BreakerConfig{Failures: 2, OpenFor: time.Hour, MaxOpenFor: time.Hour})
	breakerUnready := framework.Breaker(framework.BreakerConfig{Failures: 2, OpenFor: time.Hour, MaxOpenFor: time.Hour, Unready: true})
	for name, c := range map[string]struct {
		opts   []framework.ConsumeOption
		want   string
		ready  bool
		paused bool
	}{
		"breaker":         {[]framework.ConsumeOption{breaker}, "degrades: intake closed (breaker): handlers fail one after the other, and their breaker is open: *errors.errorString (the log has its text)", true, false},
		"breaker unready": {[]framework.ConsumeOption{breakerUnready}, "degrades: intake closed (breaker): handlers fail one after the other, and their breaker is open: *errors.errorString (the log has its text)", false, false},
		"rate":            {[]framework.ConsumeOption{framework.RateLimit(0.001, 1)}, "degrades: the rate limit lets no more through: this process handles at most 0.001 a second, as the program declares (rate_limited)", true, false},
		"paused": {
			[]framework.ConsumeOption{breakerUnready}, "degrades: paused by ops", true, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
				q := stringQueue("degrades")
				frameworktest.Handle(k, q, down, c.opts...)
				for _, v := range []string{"a", "b", "c", "d"} {
					frameworktest.Offer(k, q, v, 0)
				}
				k.Advance(time.Second)
				if c.paused {
					if err := k.Engine().Pause("no reason", "ops", q); err != nil {
						t.Fatal(err)
					}
				}
				h := k.Engine().Health()
				lines := h.Degraded
				if !c.ready {
					lines = h.Reasons
				}
				if h.Ready != c.ready || len(h.Degraded)+len(h.Reasons) != 1 || len(lines) != 1 || !strings.HasPrefix(lines[0], c.want) {
					t.Errorf("ready %v, reasons %q, degraded %q", h.Ready, h.Reasons, h.Degraded)
				}
			})
		})
	}
}

// Each trouble that has a line in the log at its beginning has one at its end.
func TestEachTroubleIsToldAtItsBeginningAndAtItsEnd(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	logs := &logLines{}
	cfg := framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}}
	short(&cfg)
	c, err := framework.Open(t.Context(), cfg, framework.WithLogger(slog.New(slog.NewTextHandler(logs, nil))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	b := &bundle{server: srv, redis: srv.Client(), client: c}
	b.run(t, idle("told"))
	lab.WaitFor(t, "the queue is served", func() bool {
		blocked, err := srv.Client().Info(t.Context(), "clients").Result()
		channels, err2 := srv.Client().PubSubNumSub(t.Context(), "redisson_delay_queue_channel:{told}").Result()
		return err == nil && err2 == nil && strings.Contains(blocked, "blocked_clients:1") && channels["redisson_delay_queue_channel:{told}"] == 1
	})
	defer func() {
		if t.Failed() {
			t.Log(logs.String())
		}
	}()
	srv.Kill()
	pairs := [][2]string{
		{"cannot move due messages", "moving due messages again"},
		{"cannot take messages", "takes messages again"},
		{"could not renew the lease", "the lease is renewed again"},
		{"could not look for ended sessions", "ended sessions are looked for again"},
		{"lost the subscription to announcements", "the subscription to announcements is back"},
		{"lease not renewed for two thirds of its time", "the lease is confirmed again"},
	}
	for _, p := range pairs {
		lab.WaitFor(t, p[0], func() bool { return logs.count(p[0]) > 0 })
	}
	srv.Restart()
	for _, p := range pairs {
		lab.WaitFor(t, p[1], func() bool { return logs.count(p[1]) > 0 })
	}
	for _, p := range pairs {
		if n := logs.count(p[0]); n != 1 {
			t.Errorf("%d lines %q in one outage", n, p[0])
		}
	}
}

// logLines is a log that tests read.
type logLines struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write drops what go-redis logs: a process has one logger of go-redis, so those lines may
// come from the connections of another test.
func (l *logLines) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`msg="go-redis has logged a line"`)) {
		return len(p), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logLines) count(s string) int { return strings.Count(l.String(), s) }
