package queuetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// TestWhereTheFakeDiffers names what the in-memory server does otherwise than Redis and the
// engine or the simulator knows of. A row that fails on the fake tells that it has learnt
// something: then whoever works around it need not any more.
func TestWhereTheFakeDiffers(t *testing.T) {
	t.Parallel()
	mini := lab.Connect(t, miniredis.RunT(t).Addr())
	server := lab.Connect(t, lab.Shared.Addr())
	for _, row := range []struct {
		what        string
		ask         func(ctx context.Context, rdb *redis.Client) string
		redis, fake string // how the answer begins
	}{
		{
			"who waits is interrupted by the id of its connection (lease.waiter; elsewhere the connection is closed)",
			func(ctx context.Context, rdb *redis.Client) string { return text(rdb.ClientID(ctx).Err()) },
			"fine", "ERR unknown subcommand 'ID'",
		},
		{
			"CLIENT UNBLOCK ends a wait",
			func(ctx context.Context, rdb *redis.Client) string { return text(rdb.ClientUnblock(ctx, 1).Err()) },
			"fine", "ERR unknown subcommand 'UNBLOCK'",
		},
		{
			"CONFIG tells what evicts (doctor)",
			func(ctx context.Context, rdb *redis.Client) string {
				return text(rdb.ConfigGet(ctx, "maxmemory-policy").Err())
			},
			"fine", "ERR unknown command",
		},
		{
			"users have permissions (Open's probe)",
			func(ctx context.Context, rdb *redis.Client) string { return text(rdb.Do(ctx, "ACL", "WHOAMI").Err()) },
			"fine", "ERR unknown command",
		},
	} {
		for rdb, want := range map[*redis.Client]string{server: row.redis, mini: row.fake} {
			if got := row.ask(t.Context(), rdb); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q…", row.what, got, want)
			}
		}
	}
}

func text(err error) string {
	if err == nil {
		return "fine"
	}
	return err.Error()
}

// Redis serves who waits longest; the in-memory server wakes all, and any may win. The
// simulator therefore serves BLMOVE itself.
func TestBlockingMovesAreServedInOrder(t *testing.T) {
	t.Parallel()
	srv, key := lab.Start(t), NewQueue().Queue
	rdb := srv.Client()
	var all []string
	for i := range 20 {
		own := lab.Connect(t, srv.Addr())
		to := fmt.Sprint(key, ":", i)
		all = append(all, to)
		done := make(chan struct{})
		go func() {
			defer close(done)
			own.BLMove(t.Context(), key, to, "LEFT", "RIGHT", 10*time.Second)
		}()
		t.Cleanup(func() { <-done })
		lab.WaitFor(t, "one more waits", func() bool {
			return rdb.InfoMap(t.Context(), "clients").Item("Clients", "blocked_clients") == fmt.Sprint(i+1)
		})
	}
	for i, to := range all {
		if err := rdb.RPush(t.Context(), key, i).Err(); err != nil {
			t.Fatal(err)
		}
		if got := rdb.LRange(t.Context(), to, 0, -1).Val(); !slices.Equal(got, []string{fmt.Sprint(i)}) {
			t.Fatalf("the one that waited as number %d got %q", i, got)
		}
	}
}
