package delayed

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Each key of Java's that has an end is found, and kept when it is removed.
func TestKeysWithAnEnd(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ctx, k := t.Context(), queuetest.NewQueue()
	if f := queuetest.Must[Expiring](t)(LookExpiry(ctx, rdb, k)); len(f.Keys) > 0 || f.Refused {
		t.Errorf("no keys: %+v", f)
	}
	queuetest.Put(t, rdb, k, 4e12, []byte("element"))
	rdb.RPush(ctx, k.Queue, "ready")
	if f := queuetest.Must[Expiring](t)(LookExpiry(ctx, rdb, k)); len(f.Keys) > 0 || f.Names() != "" {
		t.Errorf("no end: %+v", f)
	}
	for _, c := range []struct{ key, holds string }{{k.Timeout, HoldsPending}, {k.Pending, HoldsView}, {k.Queue, HoldsReady}} {
		rdb.PExpire(ctx, c.key, time.Hour)
		f := queuetest.Must[Expiring](t)(LookExpiry(ctx, rdb, k))
		if len(f.Keys) != 1 || f.Keys[0].Name != c.key || f.Keys[0].Holds != c.holds || f.Keys[0].Left <= 0 || f.Keys[0].Left > time.Hour {
			t.Errorf("%s: %+v", c.key, f)
		}
		_, ends := f.Due(time.Hour)
		_, soon := f.Due(0)
		if ends != (c.holds == HoldsPending) || soon {
			t.Errorf("%s: due in an hour: %v, now: %v", c.key, ends, soon)
		}
		if n, err := KeepKeys(ctx, rdb, f.Keys); n != 1 || err != nil || rdb.PTTL(ctx, c.key).Val() != -1 {
			t.Errorf("%s: %d %v", c.key, n, err)
		}
	}
	refused := lab.AsUser(t, lab.StartRedis(t), "-pttl")
	if f := queuetest.Must[Expiring](t)(LookExpiry(ctx, refused, k)); !f.Refused || len(f.Keys) > 0 {
		t.Errorf("refused: %+v", f)
	}
}

// The script does on the embedded server what it does on Redis.
func TestExpiryOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, k := queuetest.Twin(t), queuetest.NewQueue()
	queuetest.Put(t, rdb, k, 4e12, []byte("element"))
	queuetest.Must[Expiring](t)(LookExpiry(t.Context(), rdb, k))
}
