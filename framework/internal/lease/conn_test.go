package lease

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Takes and waits go over one connection, and its number is that of the wait: an
// interruption that named another connection would not end it.
func TestSessionUsesOneConnection(t *testing.T) {
	t.Parallel()
	srv := redisserver.Start(t)
	opt := &redis.Options{Addr: srv.Addr(), ClientName: "lane", MaxRetries: -1}
	template := redis.NewClient(opt)
	t.Cleanup(func() { _ = template.Close() })
	s, err := New(template, srv.Client(), redisson.KeysOf("q"), Options{})
	must(t, err)
	_, err = s.Take(t.Context(), 1, nil)
	must(t, err)
	done := waiting(t.Context(), t, s)
	list, err := srv.Client().ClientList(t.Context()).Result()
	must(t, err)
	if n := strings.Count(list, " name=lane "); n != 1 {
		t.Errorf("%d connections, want 1:\n%s", n, list)
	}
	must(t, s.Unblock(t.Context()))
	must(t, <-done)
}
