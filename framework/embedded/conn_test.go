package embedded_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/embedded"
)

// A pipeline of large commands whose first replies come before the last is
// written: an unbuffered pipe would block both ends.
func TestLongPipelineDoesNotBlock(t *testing.T) {
	t.Parallel()
	srv, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = srv.Close() }()
	rdb := redis.NewClient(&redis.Options{Dialer: srv.DialContext, MaxRetries: -1})
	defer func() { _ = rdb.Close() }()

	big := strings.Repeat("x", 1<<16)
	pipe := rdb.Pipeline()
	for range 32 {
		pipe.Echo(t.Context(), big)
	}
	cmds, err := pipe.Exec(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cmds {
		if got := c.(*redis.StringCmd).Val(); got != big {
			t.Fatalf("reply %d has %d bytes, want %d", i, len(got), len(big))
		}
	}
}
