package admin_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// transferClient is one of a user, or with "" of the default one.
func transferClient(t *testing.T, srv *lab.Server, user string) *framework.Client {
	t.Helper()
	cfg := framework.Config{Redis: framework.RedisConfig{URL: srv.URL(), Username: user}}
	if user != "" {
		cfg.Redis.Password = "secret"
	}
	client, err := framework.Open(t.Context(), cfg, framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// transferring runs a Transferer until the test ends or stop is called, which returns its
// error.
func transferring(t *testing.T, client *framework.Client, o admin.TransferOptions) (run *admin.Transferer, stop func() error) {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	run, err := admin.NewTransferer(client, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run.Run(ctx) }()
	stopped := false
	stop = func() error {
		cancel()
		if stopped {
			return nil
		}
		stopped = true
		return <-ended
	}
	t.Cleanup(func() { _ = stop() })
	return run, stop
}

// javaOffers puts what Redisson since 3.21.1 offers, and tells its channel.
func javaOffers(t *testing.T, rdb *redis.Client, k wire.Keys, id, payload string, due time.Time) {
	t.Helper()
	queuetest.Put(t, rdb, k, due.UnixMilli(), queuetest.JavaNew([]byte(id), []byte(payload)))
}

func ready(t *testing.T, rdb *redis.Client, k wire.Keys) string {
	return strings.Join(queuetest.Ready(t, rdb, k), " ")
}

// What is due moves on time, and what no Redisson can read goes to the dead store.
func TestTransfererMovesWhatIsDue(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, orders, bills := srv.Client(), wire.KeysOf("ORDERS"), wire.KeysOf("BILLS")
	overdue := time.Now().Add(-time.Minute)
	javaOffers(t, rdb, orders, "00000001", "one", overdue)
	queuetest.Put(t, rdb, orders, overdue.UnixMilli()-1, []byte("no layout at all"))
	javaOffers(t, rdb, bills, "00000002", "two", time.Now().Add(300*time.Millisecond))
	run, stop := transferring(t, transferClient(t, srv, ""), admin.TransferOptions{Queues: []string{"ORDERS", "BILLS", "ORDERS"}})
	lab.WaitFor(t, "all that is due", func() bool { return ready(t, rdb, orders) == "one" && ready(t, rdb, bills) == "two" })
	if n := rdb.XLen(t.Context(), orders.Dead).Val(); n != 1 {
		t.Errorf("%d dead letters", n)
	}
	if h := run.Health(); !h.Live || !h.Ready || len(h.Queues) != 2 || !h.Queues[0].TransferOnly || len(h.Degraded) != 0 {
		t.Errorf("health %+v", h)
	}
	if got := run.Queues(); !slices.Equal(got, []string{"BILLS", "ORDERS"}) {
		t.Errorf("queues %q", got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if h := run.Health(); h.Live || h.Ready {
		t.Errorf("health after the stop %+v", h)
	}
}

// Queues are found as they come. One that cannot be transferred harms no other, and is tried
// again.
func TestTransfererDiscovers(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, first, later, secret := srv.Client(), wire.KeysOf("FIRST"), wire.KeysOf("{la}ter"), wire.KeysOf("SECRET")
	may := func(queues ...string) {
		rules, err := admin.ACLRules(admin.RoleOperate, queues...)
		if err != nil {
			t.Fatal(err)
		}
		args := []any{"ACL", "SETUSER", "some", "on", ">secret"}
		for _, rule := range rules {
			args = append(args, rule)
		}
		if err := rdb.Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	may("FIRST", "{la}ter")
	javaOffers(t, rdb, first, "00000001", "one", time.Now())
	run, _ := transferring(t, transferClient(t, srv, "some"), admin.TransferOptions{Discover: true, DiscoverEvery: time.Second})
	lab.WaitFor(t, "the first queue", func() bool { return ready(t, rdb, first) == "one" })
	javaOffers(t, rdb, secret, "00000003", "three", time.Now())
	javaOffers(t, rdb, later, "00000002", "two", time.Now())
	lab.WaitFor(t, "a later queue", func() bool { return ready(t, rdb, later) == "two" })
	lab.Wait(t, func() string {
		h := run.Health()
		if h.Ready && len(h.Degraded) == 1 && strings.Contains(h.Degraded[0], `"SECRET"`) {
			return ""
		}
		return fmt.Sprintf("no word of the one that is not transferred: ready %v, degraded %q", h.Ready, h.Degraded)
	})
	may("FIRST", "{la}ter", "SECRET")
	lab.WaitFor(t, "the one that was refused", func() bool { return ready(t, rdb, secret) == "three" && len(run.Health().Degraded) == 0 })
	javaOffers(t, rdb, first, "00000004", "four", time.Now())
	lab.WaitFor(t, "the first queue again", func() bool { return ready(t, rdb, first) == "one four" })
}

// What only some Redissons read is rewritten.
func TestTransfererMigrates(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, k := srv.Client(), wire.KeysOf("ORDERS")
	javaOffers(t, rdb, k, "00000001", "one", time.Now().Add(time.Hour))
	transferring(t, transferClient(t, srv, ""), admin.TransferOptions{Queues: []string{"ORDERS"}, Migrate: true})
	universal := func() bool {
		for _, e := range rdb.ZRange(t.Context(), k.Timeout, 0, -1).Val() {
			if e[0] != 7 {
				return false
			}
		}
		return true
	}
	lab.WaitFor(t, "the first element", universal)
	javaOffers(t, rdb, k, "00000002", "two", time.Now().Add(2*time.Hour))
	lab.WaitFor(t, "a later element", universal)
}

// Mistakes are told together, before anything runs; what Redis refuses ends the first start.
func TestTransfererRefuses(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	client := transferClient(t, srv, "")
	var name *fault.NameError
	if _, err := admin.NewTransferer(client, admin.TransferOptions{Queues: []string{"a\n"}, DiscoverEvery: time.Millisecond}); !errors.As(err, &name) || !strings.Contains(err.Error(), "DiscoverEvery") {
		t.Errorf("error %v", err)
	}
	if _, err := admin.NewTransferer(client, admin.TransferOptions{}); err == nil || !strings.Contains(err.Error(), "Discover") {
		t.Errorf("error %v", err)
	}
	if err := srv.Client().Do(t.Context(), "ACL", "SETUSER", "some", "on", ">secret", "+@all", "&*", "~*FIRST*").Err(); err != nil {
		t.Fatal(err)
	}
	run, err := admin.NewTransferer(transferClient(t, srv, "some"), admin.TransferOptions{Queues: []string{"OTHER", "SECRET"}})
	if err != nil {
		t.Fatal(err)
	}
	var registration *fault.RegistrationError
	if err := run.Run(t.Context()); !errors.As(err, &registration) || registration.Code != "OTHER" && registration.Code != "SECRET" {
		t.Errorf("error %v", err)
	}
	if h := run.Health(); h.Ready {
		t.Errorf("health %+v", h)
	}
}

// A wrong name, and one that the user may not touch, keep no other queue from being transferred.
func TestTransfererLeavesWrongNamesOut(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, first, secret := srv.Client(), wire.KeysOf("FIRST"), wire.KeysOf("SECRET")
	may := func(keys string) {
		if err := rdb.Do(t.Context(), "ACL", "SETUSER", "some", "on", ">secret", "+@all", "&*", keys).Err(); err != nil {
			t.Fatal(err)
		}
	}
	may("~*FIRST*")
	javaOffers(t, rdb, first, "00000001", "one", time.Now())
	javaOffers(t, rdb, secret, "00000002", "two", time.Now())
	run, _ := transferring(t, transferClient(t, srv, "some"), admin.TransferOptions{Queues: []string{"FIRST", "a\n", "SECRET"}, DiscoverEvery: time.Second})
	lab.WaitFor(t, "the right queue", func() bool { return ready(t, rdb, first) == "one" })
	lab.WaitFor(t, "word of the others", func() bool {
		h := run.Health()
		return h.Ready && len(h.Degraded) == 2 && strings.Contains(h.Degraded[0], "SECRET")
	})
	may("~*SECRET*")
	lab.WaitFor(t, "the queue that was refused", func() bool { return ready(t, rdb, secret) == "two" && len(run.Health().Degraded) == 1 })
}

// All partitions that processes have noted are transferred, named or found, and listed as
// one queue.
func TestTransfererKnowsPartitions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]admin.TransferOptions{
		"named": {Queues: []string{"SPREAD"}},
		"found": {Discover: true, DiscoverEvery: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t)
			rdb := srv.Client()
			if err := rdb.HSet(t.Context(), wire.KeysOf("SPREAD").Control, "partitions", "3").Err(); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				javaOffers(t, rdb, wire.KeysOf(wire.PartitionName("SPREAD", i)), "0000000"+strconv.Itoa(i), "body", time.Now())
			}
			client := transferClient(t, srv, "")
			run, _ := transferring(t, client, o)
			for i := range 3 {
				lab.WaitFor(t, "partition "+strconv.Itoa(i), func() bool {
					return ready(t, rdb, wire.KeysOf(wire.PartitionName("SPREAD", i))) == "body"
				})
			}
			if h := run.Health(); len(h.Queues) != 1 || h.Queues[0].Code != "SPREAD" {
				t.Errorf("%+v", h)
			}
			found, _, err := admin.Queues(t.Context(), client, admin.QueuesOptions{Share: 1})
			if err != nil || len(found) != 1 || found[0].Queue != "SPREAD" || found[0].Ready != 3 {
				t.Errorf("%+v %v", found, err)
			}
		})
	}
}
