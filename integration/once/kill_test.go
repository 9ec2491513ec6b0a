package once_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/once"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

// Payments are handled by two engines while the database and Redis are killed and one
// engine is stopped, in turn; a third of the calls fails. Each message has one effect in the end.
func TestKills(t *testing.T) {
	t.Parallel()
	const messages, kills = 400, 6
	redis := lab.StartRedis(t, lab.AppendOnly())
	db := shop{database.Postgres(t), sqldb.Postgres}
	db.fresh(t)
	queue := registry.Define[string]("PAYMENTS", "", registry.Codec(codecs.String()),
		registry.Backoff(registry.Steps(20*time.Millisecond)), registry.MaxAttempts(registry.Unlimited), registry.Timeout(10*time.Second))
	inbox, err := once.In(t.Context(), db.DB, db.dialect, queue, number)
	if err != nil {
		t.Fatal(err)
	}
	handler := handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		if err := db.effect(ctx, d.Payload); err != nil || rand.IntN(3) > 0 {
			return err
		}
		return fmt.Errorf("%s: the stock is locked", d.Payload)
	})
	consumer := func() framework.Consumer {
		return framework.Consume(queue, handler, framework.Use(inbox.Middleware()), framework.Workers(4))
	}
	rig.Run(t, rig.Open(t, redis.URL()), consumer())
	second := rig.Run(t, rig.Open(t, redis.URL()), consumer())
	producer := rig.Open(t, redis.URL())
	for i := range messages {
		rig.Offer(t, producer, queue, fmt.Sprintf("order-%03d", i), time.Duration(i)*10*time.Millisecond)
	}
	effects := func(want int) func() string {
		return func() string {
			n := 0
			err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM effects").Scan(&n)
			if err == nil && n >= want {
				return ""
			}
			return fmt.Sprintf("%d of %d effects (%v)", n, want, err)
		}
	}
	for i := range kills {
		lab.Wait(t, effects(messages*(i+1)/(kills+2)))
		switch i % 3 {
		case 0:
			db.Restart()
		case 1:
			redis.Kill()
			redis.Restart()
		default:
			rig.Stop(t, second)
			second = rig.Run(t, rig.Open(t, redis.URL()), consumer())
		}
	}
	lab.Wait(t, effects(messages))
	lab.Wait(t, func() string {
		if c := rig.Counts(t, producer, queue); c.Delayed+c.Ready+c.InFlight > 0 {
			return fmt.Sprintf("%+v", c)
		}
		return ""
	})
	if all, different := db.count(t, "SELECT COUNT(*) FROM effects"), db.count(t, "SELECT COUNT(DISTINCT name) FROM effects"); all != messages || different != messages {
		t.Errorf("%d effects of %d messages, want %d of each", all, different, messages)
	}
}
