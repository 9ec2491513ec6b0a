package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

var doNothing = handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })

// Whoever comes second with another number of partitions is refused, one among them, whether
// it starts an engine or offers; what a fleet of the last version notes, nothing for one, refuses
// nobody.
func TestOnePartitionIsANumber(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	queue := func(code string, n int) *registry.Queue[string] {
		return stringQueue(code, registry.Partitions(n))
	}
	does := map[string]func(code string, n int) error{
		"start": func(code string, n int) error {
			e, err := framework.New(b.client, []framework.Consumer{framework.Consume(queue(code, n), doNothing)})
			if err == nil {
				err = e.Start(ctx)
			}
			if err == nil {
				t.Cleanup(func() { _ = e.Stop(context.Background()) })
			}
			return err
		},
		"offer": func(code string, n int) error {
			_, err := framework.Bind(b.client, queue(code, n)).Offer(ctx, "x", time.Hour)
			return err
		},
		"push": func(code string, n int) error {
			return framework.Bind(b.client, queue(code, n)).Push(ctx, "x")
		},
		"offer many": func(code string, n int) error {
			_, err := framework.Bind(b.client, queue(code, n)).OfferAll(ctx, slices.Values([]framework.Item[string]{{Value: "x", Delay: time.Hour}}))
			return err
		},
	}
	for first := range does {
		for second, do := range does {
			for _, n := range [][2]int{{1, 4}, {4, 1}} {
				code := fmt.Sprintf("%s, %s %v", first, second, n)
				if err := does[first](code, n[0]); err != nil {
					t.Errorf("%s: %v", code, err)
				}
				for range 2 { // the next one is refused, too
					var differ *fault.PartitionsError
					if err := do(code, n[1]); !errors.As(err, &differ) || differ.Declared != n[1] || differ.Noted != fmt.Sprint(n[0]) {
						t.Errorf("%s: %v", code, err)
					}
				}
				b.redis.HDel(ctx, wire.KeysOf(code).Control, "partitions")
				if err := do(code, n[1]); err != nil {
					t.Errorf("%s, nothing noted: %v", code, err)
				}
			}
		}
	}
}

// Messages in partitions from which no process takes are told of by doctor and queues: those of a
// producer with more partitions than consumers have of a version that noted nothing.
func TestStrandedPartitionsAreTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	one := b.run(t, framework.Consume(stringQueue("stranded"), doNothing))
	b.redis.HDel(ctx, wire.KeysOf("stranded").Control, "partitions")
	q := framework.Bind(b.client, stringQueue("stranded", registry.Partitions(4)))
	for range 8 {
		if _, err := q.Offer(ctx, "x", 0); err != nil {
			t.Fatal(err)
		}
	}
	v, err := admin.DiagnoseQueue(ctx, b.client, "stranded", admin.DiagnoseOptions{})
	told := 0
	for _, f := range v.Findings {
		if f.Check == "partitions" && f.Severity == admin.SeverityError && strings.Contains(f.Message, "no Go process takes from it") {
			told++
		}
	}
	if err != nil || told != 3 {
		t.Errorf("%d told: %+v %v", told, v.Findings, err)
	}
	all, _, err := admin.Queues(ctx, b.client, admin.QueuesOptions{Share: 1})
	if err != nil || len(all) != 1 || all[0].Unserved != 6 {
		t.Errorf("%+v %v", all, err)
	}
	if err := one.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// A message is not offered into a set that Redis deletes before it is due. All else that is known
// of keys with an end is a warning, and costs an offer no trip of its own.
func TestOffersIntoKeysWithAnEnd(t *testing.T) {
	t.Parallel()
	b, book := setupLogged(t)
	ctx, k := t.Context(), wire.KeysOf("ends")
	other := framework.Bind(b.client, stringQueue("ends"))
	if _, err := other.Offer(ctx, "first", time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{k.Timeout, k.Pending} { // as Redisson's expire does
		b.redis.PExpire(ctx, key, 10*time.Minute)
	}
	q := framework.Bind(b.client, stringQueue("ends"))
	var ends *fault.ExpiryError
	if _, err := q.Offer(ctx, "long", 30*time.Minute); !errors.As(err, &ends) || ends.Key != k.Timeout || ends.Left > 10*time.Minute || !strings.Contains(err.Error(), "doctor -fix") {
		t.Errorf("due behind the end: %v", err)
	}
	if _, err := q.Offer(ctx, "short", time.Minute); err != nil {
		t.Errorf("due before the end: %v", err)
	}
	var results []error
	_, _ = q.OfferAll(ctx, slices.Values([]framework.Item[string]{{Value: "long", Delay: time.Hour}, {Value: "short", Delay: time.Minute}}),
		framework.OnResult(func(_ int, _ framework.Receipt, err error) { results = append(results, err) }))
	if len(results) != 2 || !errors.As(results[0], &ends) || results[1] != nil {
		t.Errorf("of many: %v", results)
	}
	if lines := book.with("Redis is going to delete a key"); len(lines) != 2 || lines[0].attrs["queue"] != "ends" || lines[0].attrs["key"] != k.Timeout {
		t.Errorf("the log: %+v", lines)
	}

	// An engine says so in its health, and goes on.
	e := b.run(t, framework.Consume(stringQueue("ends"), doNothing))
	lab.WaitFor(t, "health tells of both keys", func() bool {
		h := e.Health()
		return len(h.Degraded) == 2 && h.Ready && strings.Contains(h.Degraded[0], k.Timeout) && strings.Contains(h.Degraded[1], k.Pending)
	})
	state, err := admin.StatusOf(ctx, b.client, "ends")
	if err != nil || len(state) != 1 || len(state[0].Expiring) != 2 {
		t.Errorf("%+v %v", state, err)
	}

	fixed := int64(0)
	v, err := admin.DiagnoseQueue(ctx, b.client, "ends", admin.DiagnoseOptions{Fix: true})
	for _, f := range v.Findings {
		if f.Check == "expiry" {
			fixed += f.Fixed
		}
	}
	if err != nil || fixed != 2 || b.redis.PTTL(ctx, k.Timeout).Val() != -1 || b.redis.PTTL(ctx, k.Pending).Val() != -1 {
		t.Errorf("fixed %d: %+v %v", fixed, v.Findings, err)
	}
	if _, err := q.Offer(ctx, "long", 30*time.Minute); err != nil {
		t.Errorf("the next offer: %v", err)
	}
}

// The looks before the first offer of a queue share a trip, and later offers make none.
func TestLooksBeforeAnOffer(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *framework.Config) { c.NoTransfer = true })
	ctx := t.Context()
	q := framework.Bind(b.client, stringQueue("looks"))
	before := lab.Commands(t, b.redis)
	for range 5 {
		if _, err := q.Offer(ctx, "x", time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	after := lab.Commands(t, b.redis)
	if n := after["pttl"].Calls - before["pttl"].Calls; n != 3 {
		t.Errorf("PTTL ran %d times, want once for each of Java's keys", n)
	}
	if n := after["hget"].Calls - before["hget"].Calls; n != 1 {
		t.Errorf("the note was read %d times", n)
	}
}

// A process that declares a queue otherwise than one that serves it says so when it starts, and
// doctor does.
func TestDeclarationsThatDifferAreTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.run(t, framework.Consume(stringQueue("differ", registry.MaxAttempts(3), registry.Timeout(time.Second)), doNothing))
	k := wire.KeysOf("differ")
	lab.WaitFor(t, "the first shows itself", func() bool { return b.redis.HLen(t.Context(), k.Processes).Val() == 1 })
	second, book := setupLogged(t, func(c *framework.Config) { c.Redis.URL = b.server.URL() })
	second.run(t, framework.Consume(stringQueue("differ", registry.MaxAttempts(10), registry.Timeout(time.Second), registry.View(registry.ViewOff), registry.MaxPayload(1000)), doNothing))
	lab.WaitFor(t, "the second warns", func() bool { return len(book.with("declares this queue differently")) == 3 })
	for i, want := range [][3]string{{"MaxAttempts", "10", "3 in one process"}, {"MaxPayload", "1000", "16777216 in one"}, {"View", "ViewOff", "ViewExact in one"}} {
		got := book.with("declares this queue differently")[i].attrs
		if got["queue"] != "differ" || got["setting"] != want[0] || got["here"] != want[1] || i != 1 && !strings.HasPrefix(got["there"], want[2]) || !strings.Contains(got["there"], "pid ") {
			t.Errorf("%+v", got)
		}
	}
	found := queuetest.Must[admin.Verdict](t)(admin.DiagnoseQueue(t.Context(), b.client, "differ", admin.DiagnoseOptions{})).Findings
	told := 0
	for _, f := range found {
		if f.Check == "policies" && f.Count == 2 {
			told++
		}
	}
	if told != 3 {
		t.Errorf("%+v", found)
	}
	for _, p := range queuetest.Must[[]admin.Process](t)(admin.ProcessesNow(t.Context(), b.client, "differ")) {
		if !strings.Contains(p.Policy, "MaxAttempts ") || !strings.Contains(p.Policy, "Timeout 1s") {
			t.Errorf("%q", p.Policy)
		}
	}
}
