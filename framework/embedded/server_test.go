package embedded_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/embedded"
)

func start(t *testing.T, opts ...embedded.Option) *embedded.Server {
	t.Helper()
	srv, err := embedded.Start(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

func client(t *testing.T, srv *embedded.Server) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{
		Dialer: srv.DialContext, DisableIdentity: true,
		// Its set-up looks up host names, which a bubble of synctest does not survive.
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestTimePassesByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rdb := client(t, start(t))
		if err := rdb.Set(t.Context(), "k", "v", 7*24*time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
		<-time.After(7*24*time.Hour - time.Second)
		if got, err := rdb.Get(t.Context(), "k").Result(); err != nil || got != "v" {
			t.Errorf("a second before: %q, %v", got, err)
		}
		<-time.After(2 * time.Second)
		if err := rdb.Get(t.Context(), "k").Err(); !errors.Is(err, redis.Nil) {
			t.Errorf("a second after: %v", err)
		}
	})
}

func TestBlockingAndSubscribing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rdb := client(t, start(t))
		sub := rdb.Subscribe(t.Context(), "c")
		defer func() { _ = sub.Close() }()
		if _, err := sub.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := rdb.BLMove(t.Context(), "a", "b", "left", "right", 5*time.Second).Err(); !errors.Is(err, redis.Nil) {
			t.Errorf("BLMOVE of nothing: %v", err)
		}
		if waited := time.Since(began); waited != 5*time.Second {
			t.Errorf("waited %v", waited)
		}
		var all sync.WaitGroup
		all.Go(func() {
			if got, err := rdb.BLMove(t.Context(), "a", "b", "left", "right", time.Hour).Result(); err != nil || got != "x" {
				t.Errorf("BLMOVE = %q, %v", got, err)
			}
		})
		synctest.Wait()
		script := redis.NewScript("redis.call('rpush', KEYS[1], 'x'); redis.call('publish', 'c', 'm'); return redis.call('time')[1]")
		sec, err := script.Run(t.Context(), rdb, []string{"a"}).Text()
		if err != nil || sec != fmt.Sprint(time.Now().Unix()) {
			t.Errorf("TIME = %s, want %d (%v)", sec, time.Now().Unix(), err)
		}
		all.Wait()
		if m, err := sub.ReceiveMessage(t.Context()); err != nil || m.Payload != "m" {
			t.Errorf("message %v, %v", m, err)
		}
	})
}

func TestListen(t *testing.T) {
	t.Parallel()
	srv := start(t, embedded.Listen("127.0.0.1:0"))
	if err := client(t, srv).Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	outside := redis.NewClient(&redis.Options{Addr: srv.Addr(), DisableIdentity: true})
	defer func() { _ = outside.Close() }()
	if got, err := outside.Get(t.Context(), "k").Result(); err != nil || got != "v" {
		t.Errorf("seen from outside: %q, %v", got, err)
	}
	if _, err := embedded.Start(embedded.Listen(srv.Addr())); err == nil {
		t.Error("two servers on one address")
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	srv := start(t)
	rdb := client(t, srv)
	if err := rdb.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := rdb.Get(t.Context(), "k").Err(); err == nil {
		t.Error("an open connection outlives Close")
	}
	if _, err := srv.DialContext(t.Context(), "", ""); !errors.Is(err, embedded.ErrClosed) {
		t.Errorf("a new connection after Close: %v", err)
	}
	if srv.Addr() != "" {
		t.Errorf("Addr() = %q", srv.Addr())
	}
}
