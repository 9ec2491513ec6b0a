package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

func TestErase(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	rdb := srv.Client()
	noError(t, rdb.Set(ctx, "a", "1", 0).Err(), rdb.Set(ctx, "b", "1", 0).Err())
	one, all := fault.DeleteKey(rdb, "a"), fault.FlushAll(rdb)
	noError(t, one.Strike(ctx))
	if err := one.Strike(ctx); !errors.Is(err, fault.ErrNoTarget) {
		t.Errorf("a key that is gone: %v, want ErrNoTarget", err)
	}
	noError(t, all.Strike(ctx))
	if err := all.Strike(ctx); !errors.Is(err, fault.ErrNoTarget) {
		t.Errorf("a server that is empty: %v, want ErrNoTarget", err)
	}
	wantTally(t, one, 1, 1)
	wantTally(t, all, 1, 1)
}

func TestForbid(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	rdb := startServer(t, fault.ServerOptions{Fsync: fault.Nothing}).Client()
	f := fault.Forbid(rdb, "-set")
	strike(t, f)
	if err := rdb.Set(ctx, "a", "1", 0).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOPERM") {
		t.Errorf("SET: %v, want NOPERM", err)
	}
	if err := rdb.Eval(ctx, "return redis.call('SET', 'a', 1)", nil).Err(); err == nil {
		t.Error("SET in a script is permitted")
	}
	heal(t, f)
	noError(t, rdb.Set(ctx, "a", "1", 0).Err())
	wantTally(t, f, 1, 2)
}

// TestPowerLoss: what was written before the power failed stays, the last moments are gone.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Fsync: fault.EverySec})
	noError(t, srv.Client().Set(ctx, "old", "1", 0).Err())
	<-time.After(300 * time.Millisecond) // the file may be that much behind
	writing := make(chan error, 1)
	go func() {
		<-time.After(100 * time.Millisecond)
		var err error
		for i := 0; err == nil && i < 100; i++ {
			err = srv.Client().Set(ctx, fmt.Sprintf("new%d", i), "1", 0).Err()
		}
		writing <- err
	}()
	f := fault.PowerLoss(srv, 500*time.Millisecond)
	before := time.Now()
	strike(t, f)
	noError(t, <-writing)
	heal(t, f)
	if n := srv.Client().Exists(ctx, "old", "new0").Val(); n != 1 {
		t.Errorf("%d of the two keys are there, want the old one alone", n)
	}
	if tally := f.Tally(); tally.Effects < 100 || f.Since().After(before) {
		t.Errorf("%v, since %v, struck %v", tally, f.Since(), before)
	}
}
