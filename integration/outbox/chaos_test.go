package outbox_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers/once"
)

// Settings of the chaos: make effects gives them.
const (
	envSeed   = "DUEQUEUE_TEST_SEED"
	envOrders = "DUEQUEUE_TEST_ORDERS"
	envKills  = "DUEQUEUE_TEST_KILLS"
)

func setting(t *testing.T, name string, fallback int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Orders are written, paid and cancelled while the processes that write, relay and handle
// them, Redis and the database are killed in turn. In the end each order that was saved has
// had its message, once by effect, and none before it was due.
func TestChaos(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) *database.Server{"postgres": database.Postgres, "mysql": database.MariaDB} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChaos(t, start(t), uint64(setting(t, envSeed, 1)))
			c.run(setting(t, envOrders, 500), setting(t, envKills, 12))
		})
	}
}

// chaos is one run. The goroutine of the test owns it.
type chaos struct {
	*stand

	random *rand.Rand
	cast   []*actor
	told   map[string]int // kills, by what was killed
	named  int
}

// actor is a process that is started anew whenever it was killed.
type actor struct {
	role  string
	child *lab.Process
	said  *rig.Output
}

func newChaos(t *testing.T, db *database.Server, seed uint64) *chaos {
	t.Helper()
	c := &chaos{
		stand:  newStand(t, db, lab.StartRedis(t, lab.AppendOnly()), outbox.DefaultTable),
		random: rand.New(rand.NewPCG(seed, seed)), told: map[string]int{},
	}
	c.queue = unpaid
	schema, err := once.Schema(dialects[db.Name], "")
	if err != nil {
		t.Fatal(err)
	}
	c.exec(schema)
	c.exec("CREATE TABLE orders (number VARCHAR(64) NOT NULL PRIMARY KEY, state VARCHAR(16) NOT NULL, due_ms BIGINT NOT NULL)")
	c.exec("CREATE TABLE effects (number VARCHAR(64) NOT NULL, changed BIGINT NOT NULL, started_ms BIGINT NOT NULL)")
	c.exec("CREATE INDEX effects_number ON effects (number)")
	c.exec("CREATE TABLE refusals (kind VARCHAR(32) NOT NULL)")
	c.exec("CREATE TABLE stock (item BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)")
	for i := range items {
		c.exec("INSERT INTO stock (item, n) VALUES (" + strconv.Itoa(i) + ", 0)")
	}
	if db.Name == "postgres" {
		// The database's clock is an hour and a bit ahead of Redis's.
		c.exec("CREATE SCHEMA skewed")
		c.exec("CREATE FUNCTION skewed.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '3617.5 seconds' $$")
		c.exec("ALTER DATABASE postgres SET search_path = skewed, pg_catalog, public")
	}
	for _, role := range []string{"shop", "shop", "relay", "relay", "worker", "worker"} {
		a := &actor{role: role}
		c.cast = append(c.cast, a)
		c.raise(a)
	}
	t.Cleanup(func() {
		for _, a := range c.cast {
			c.kill(a)
		}
	})
	return c
}

// raise starts the process of an actor.
func (c *chaos) raise(a *actor) {
	c.Helper()
	c.named++
	spec, err := json.Marshal(part{
		Role: a.role, Name: fmt.Sprintf("%s%d", a.role, c.named), Redis: c.redis.URL(),
		Driver: c.db.Driver, DSN: c.db.DSN, Dialect: dialects[c.db.Name],
	})
	if err != nil {
		c.Fatal(err)
	}
	cmd := exec.Command(os.Args[0]) //nolint:noctx // killed by its pid
	cmd.Env = append(os.Environ(), envRole+"="+string(spec))
	a.said = &rig.Output{Most: 1 << 14}
	cmd.Stdout, cmd.Stderr = a.said, a.said
	if a.child, err = lab.StartProcess(cmd); err != nil {
		c.Fatal(err)
	}
}

func (c *chaos) kill(a *actor) {
	if err := a.child.Kill(); err != nil {
		c.Error(err)
	}
}

// keepUp starts those again that ended by themselves, such as while the database was away at
// their start.
func (c *chaos) keepUp() {
	for _, a := range c.cast {
		if !a.child.Running() {
			c.raise(a)
		}
	}
}

// strike kills something, and lets it come back after a while.
func (c *chaos) strike() {
	c.Helper()
	switch n := c.random.IntN(10); {
	case n < 6: // a process, or the one beside it as well
		a := c.cast[c.random.IntN(len(c.cast))]
		c.told[a.role]++
		c.kill(a)
		c.raise(a)
	case n < 8:
		c.told["redis"]++
		c.redis.Kill()
		c.pause(c.random.IntN(1500))
		c.redis.Restart()
	case n < 9 && c.random.IntN(2) == 0:
		c.told["database"]++
		c.db.Restart()
	case n < 9: // no relay works for a while: the outbox fills
		c.told["all relays"]++
		for _, a := range c.cast[2:4] {
			c.kill(a)
		}
		c.pause(3000)
		for _, a := range c.cast[2:4] {
			c.raise(a)
		}
	default: // a relay stands still while the database goes: it comes back without its locks
		a := c.cast[2+c.random.IntN(2)]
		c.told["zombie relay"]++
		_ = a.child.Pause()
		c.db.Restart()
		c.pause(500)
		_ = a.child.Resume()
	}
}

func (c *chaos) pause(ms int) {
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
	case <-c.Context().Done():
	}
}

func (c *chaos) run(orders, kills int) {
	c.Helper()
	began, struck, saved := time.Now(), 0, 0
	for struck < kills || saved < orders {
		if struck < kills {
			c.strike()
			struck++
		}
		c.pause(200 + c.random.IntN(600))
		c.keepUp()
		saved = c.count("SELECT COUNT(*) FROM orders")
	}
	for _, a := range c.cast[:2] {
		c.kill(a)
	}
	saved = c.count("SELECT COUNT(*) FROM orders")
	lab.Wait(c, func() string {
		for _, a := range c.cast[2:] {
			if !a.child.Running() {
				c.raise(a)
			}
		}
		return c.left()
	})
	c.Logf("%d orders saved, %d kills in %v (%v); %d deadlocks, %d serialization failures; %d paid in time, %d messages handled", saved, struck, time.Since(began).Round(time.Second), c.told,
		c.count("SELECT COUNT(*) FROM refusals WHERE kind = 'deadlock'"), c.count("SELECT COUNT(*) FROM refusals WHERE kind = 'serialization'"),
		c.count("SELECT COUNT(*) FROM orders WHERE state = 'paid'"), c.count("SELECT COUNT(*) FROM effects"))
	for what, query := range map[string]string{
		"orders without their message":       "SELECT COUNT(*) FROM orders WHERE state = 'unpaid'",
		"messages that had an effect twice":  "SELECT COUNT(*) FROM (SELECT number FROM effects GROUP BY number HAVING COUNT(*) > 1) doubled",
		"messages without an order":          "SELECT COUNT(*) FROM effects e LEFT JOIN orders o ON o.number = e.number WHERE o.number IS NULL",
		"cancelled orders without a message": "SELECT COUNT(*) FROM orders o WHERE o.state = 'cancelled' AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.number = o.number AND e.changed = 1)",
		"messages that came early":           "SELECT COUNT(*) FROM effects e JOIN orders o ON o.number = e.number WHERE e.started_ms < o.due_ms",
		"rows set aside":                     "SELECT COUNT(*) FROM duequeue_outbox",
	} {
		if n := c.count(query); n != 0 {
			c.Errorf("%d %s", n, what)
			c.tell()
		}
	}
}

// left says what is still on its way.
func (c *chaos) left() string {
	state, err := c.box.State(c.Context(), c.db.DB)
	if err != nil {
		return err.Error()
	}
	n, err := framework.Bind(c.client, unpaid).Counts(c.Context())
	if err != nil {
		return err.Error()
	}
	if state.Waiting+n.Delayed+n.Ready+n.InFlight+n.Dead > 0 {
		return fmt.Sprintf("outbox %+v, queue %+v", state, n)
	}
	if unpaid := c.count("SELECT COUNT(*) FROM orders WHERE state = 'unpaid'"); unpaid > 0 {
		return fmt.Sprintf("%d orders without their message", unpaid)
	}
	return ""
}

// tell logs what the processes said last, and which order is the first without its message.
func (c *chaos) tell() {
	var number sql.NullString
	err := c.db.DB.QueryRowContext(c.Context(), "SELECT MIN(number) FROM orders WHERE state = 'unpaid'").Scan(&number)
	c.Logf("the first unpaid order: %q %v", number.String, err)
	for _, a := range c.cast {
		c.Logf("%s: %s", a.role, a.said)
	}
}
