package framework_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// asACLUser makes a user with the printed rules and opens a client as that user.
func asACLUser(t *testing.T, srv *lab.Server, role admin.Role, queues ...string) *framework.Client {
	t.Helper()
	rules, err := admin.ACLRules(role, queues...)
	if err != nil {
		t.Fatal(err)
	}
	args := []any{"ACL", "SETUSER", role.String(), "reset", "on", ">pw"}
	for _, r := range rules {
		args = append(args, r)
	}
	root := srv.Client()
	if err := root.Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	url := strings.Replace(srv.URL(), "redis://", "redis://"+role.String()+":pw@", 1)
	cfg := framework.Config{Redis: framework.RedisConfig{URL: url}, NoTransfer: role == admin.RoleOffer}
	client, err := framework.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// noRefusals fails where Redis refused a user anything.
func noRefusals(t *testing.T, root *redis.Client) {
	t.Helper()
	log, err := root.ACLLog(t.Context(), 20).Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log {
		if strings.HasPrefix(e.Object, "config") { // CONFIG GET, asked at the start, to warn of settings: it may be refused
			continue
		}
		t.Errorf("refused to %s: %s of %s (%s)", e.Username, e.Reason, e.Object, e.Context)
	}
}

// A user with nothing but what "duequeue acl" prints offers, looks and cancels; one that
// serves handles, retries, buries and redrives; and neither touches other queues.
func TestACLRulesSuffice(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	q := registry.Define[string]("ORDERS", "orders", registry.Codec(codecs.String()), registry.MaxAttempts(2),
		registry.Backoff(registry.Steps(time.Millisecond)), registry.Journal(time.Hour))
	offers := asACLUser(t, srv, admin.RoleOffer, "ORDERS")
	serves := asACLUser(t, srv, admin.RoleServe, "ORD*")

	ctx := t.Context()
	receipt, err := framework.Bind(offers, q).Offer(ctx, "later", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err = framework.Bind(offers, q).Reschedule(ctx, receipt.ID, time.Now().Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := framework.Bind(offers, q).Cancel(ctx, receipt.ID); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := framework.Bind(offers, q).Offer(ctx, "keyed", 0, framework.Key("k").Within(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := framework.Bind(offers, q).OfferAll(ctx, slices.Values([]framework.Item[string]{{Value: "a"}, {Value: "b"}})); err != nil {
		t.Fatal(err)
	}
	if err := framework.Bind(offers, q).Push(ctx, "pushed"); err != nil {
		t.Fatal(err)
	}
	if _, err := framework.Bind(offers, q).Counts(ctx); err != nil {
		t.Fatal(err)
	}

	handled := make(chan string, 10)
	engine, err := framework.New(serves, []framework.Consumer{framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if d.Payload == "b" {
			return errors.New("no")
		}
		handled <- d.Payload
		return nil
	}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(ctx); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-handled
	}
	dead := func() int64 {
		c, err := framework.Bind(serves, q).Counts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return c.Dead
	}
	lab.WaitFor(t, "one is dead", func() bool { return dead() == 1 })
	if err := engine.Stop(ctx); err != nil {
		t.Error(err)
	}
	operate := asACLUser(t, srv, admin.RoleOperate, "ORDERS")
	operations(ctx, t, operate, q)
	noRefusals(t, srv.Client())

	// What is not granted is refused: another queue, and queues to who only offers.
	other := registry.Define[string]("ELSE", "else", registry.Codec(codecs.String()))
	if _, err := framework.Bind(serves, other).Offer(ctx, "x", 0); err == nil {
		t.Error("offered to another queue")
	}
	for _, user := range []string{"offer", "serve", "operate"} {
		for _, forbidden := range [][]any{
			{"flushall"},
			{"keys", "*"},
			{"config", "set", "save", ""},
			{"lrange", "ELSE", 0, 1},
			{"acl", "list"},
			{"client", "list"},
			{"zcard", "duequeue:sessions:other:{ORDERS}"},
			{"xrange", "duequeue:dead:other:{ORDERS}", "-", "+"},
		} {
			refused(t, srv, user, forbidden)
		}
	}
}

// refused asks as the user.
func refused(t *testing.T, srv *lab.Server, user string, command []any) {
	t.Helper()
	opts := *srv.Client().Options()
	opts.Username, opts.Password = user, "pw"
	c := redis.NewClient(&opts)
	defer func() { _ = c.Close() }()
	if err := c.Do(t.Context(), command...).Err(); err == nil || !strings.Contains(err.Error(), "NOPERM") {
		t.Errorf("%s may run %v: %v", user, command, err)
	}
}

// operations are what people do on the command line.
func operations(ctx context.Context, t *testing.T, c *framework.Client, q *registry.Queue[string]) {
	t.Helper()
	if r, err := framework.Bind(c, q).Dead().RedriveAll(ctx, framework.RedriveOptions{}); err != nil || r.Redriven != 1 {
		t.Errorf("redriven %+v: %v", r, err)
	}
	if _, err := admin.Diagnose(ctx, c, []string{"ORDERS"}, admin.DiagnoseOptions{}); err != nil {
		t.Error(err)
	}
	if found, err := admin.Search(ctx, c, "ORDERS", "k", admin.SearchOptions{}); err != nil || len(found.Matches) != 1 || found.Matches[0].Journal == nil {
		t.Errorf("%+v, %v", found, err)
	}
	if forgotten, err := admin.Forget(ctx, c, "ORDERS", "k", admin.ForgetOptions{Share: 1}); err != nil || forgotten.Records != 1 || forgotten.Kept == 0 {
		t.Errorf("%+v, %v", forgotten, err)
	}
	if _, err := admin.MigrateLayout(ctx, c, "ORDERS", admin.MigrateOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := framework.Bind(c, q).Pending().Clear(ctx); err != nil {
		t.Error(err)
	}
	_, paused := admin.Pause(ctx, c, "ORDERS", admin.PauseOptions{Reason: "test", For: time.Hour})
	_, limited := admin.SetLimit(ctx, c, "ORDERS", admin.LimitOptions{Workers: 1})
	_, resumed := admin.Resume(ctx, c, "ORDERS", "test")
	_, read := admin.ControlOf(ctx, c, "ORDERS")
	_, asked := admin.InFlightOf(ctx, c, "ORDERS")
	if err := errors.Join(paused, limited, resumed, read, asked); err != nil {
		t.Error(err)
	}
	if found, _, err := admin.Queues(ctx, c, admin.QueuesOptions{Share: 1}); err != nil || len(found) != 1 || found[0].Err != nil {
		t.Errorf("%+v %v", found, err)
	}
}

// Users from before there were journals do all they did; an engine of a queue that declares one does
// not start with them, and says what to grant.
func TestACLRulesWithoutAJournal(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	client := asACLUser(t, srv, admin.RoleOperate, "ORDERS")
	if err := srv.Client().Do(t.Context(), "ACL", "SETUSER", "operate", "resetkeys").Err(); err != nil {
		t.Fatal(err)
	}
	rules, err := admin.ACLRules(admin.RoleOperate, "ORDERS")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		if strings.HasPrefix(rule, "~") && !strings.Contains(rule, ":journal:") {
			if err := srv.Client().Do(t.Context(), "ACL", "SETUSER", "operate", rule).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, opts := range [][]registry.Option{nil, {registry.Journal(time.Hour)}} {
		q := registry.Define[string]("ORDERS", "orders", append(opts, registry.Codec(codecs.String()))...)
		if _, err := framework.Bind(client, q).Offer(t.Context(), "x", time.Hour, framework.Key("k")); err != nil {
			t.Fatal(err)
		}
		engine, err := framework.New(client, []framework.Consumer{framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil }))})
		if err != nil {
			t.Fatal(err)
		}
		err = engine.Start(t.Context())
		if refused, ok := errors.AsType[*fault.PermissionError](err); (opts != nil) != ok || ok && refused.Grant() != "~duequeue:journal:{ORDERS}" {
			t.Errorf("%v: the engine starts with %v", opts, err)
		}
		_ = engine.Stop(t.Context())
		if found, err := admin.Search(t.Context(), client, "ORDERS", "k", admin.SearchOptions{}); err != nil || len(found.Matches) != 1 || found.More != "" {
			t.Errorf("%v: %+v, %v", opts, found, err)
		}
		if err := framework.Bind(client, q).CancelKey(t.Context(), "k"); err != nil {
			t.Errorf("%v: %v", opts, err)
		}
		if report, err := admin.Diagnose(t.Context(), client, []string{"ORDERS", "ELSE"}, admin.DiagnoseOptions{}); err != nil && !strings.Contains(err.Error(), "ELSE") {
			t.Errorf("%v: %+v, %v", opts, report, err)
		}
	}
}

// Mistakes are told all together; what a pattern would read as one is taken as it is.
func TestACLRulesOfNames(t *testing.T) {
	t.Parallel()
	if _, err := admin.ACLRules(admin.RoleServe, "", "a\nb"); err == nil || strings.Count(err.Error(), "queue name") != 2 {
		t.Errorf("got %v", err)
	}
	if _, err := admin.ACLRules(admin.RoleServe); err == nil {
		t.Error("no queue, and no error")
	}
	rules, err := admin.ACLRules(admin.RoleOffer, "a*b?", "{t}q", "pre*")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`~a\*b\?`, `~redisson_delay_queue:{a\*b\?}`, `~{t}q`, `~duequeue:dead:{t}q`, `~duequeue:stage:{t}q:*`, `&redisson_delay_queue_channel:{t}q`,
		`~pre*`, `~redisson_delay_queue_timeout:{pre*`, `~duequeue:dead:{pre*`, `~duequeue:inflight:{pre*:*`, `~redisson_delay_queue:pre*`, `~duequeue:dead:pre*`,
	} {
		if !slices.Contains(rules, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, r := range rules {
		if strings.HasPrefix(r, "+@") || strings.HasPrefix(r, "~duequeue:*") || r == "~*" || r == "&*" {
			t.Errorf("grants %s", r)
		}
	}
}

// A prefix that has a hash tag of its own reaches no queue whose name only begins as the
// tag does.
func TestACLRulesOfTaggedPrefix(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	q := registry.Define[string]("{pay}:eu", "pay", registry.Codec(codecs.String()))
	offers := asACLUser(t, srv, admin.RoleOffer, "{pay}*")
	if _, err := framework.Bind(offers, q).Offer(t.Context(), "later", time.Hour); err != nil {
		t.Error(err)
	}
	noRefusals(t, srv.Client())
	for _, key := range []string{"redisson_delay_queue_timeout:{payroll}", "duequeue:sessions:{payroll}"} {
		refused(t, srv, "offer", []any{"zcard", key})
	}
}

// On a Cluster the rules suffice too, also while a slot is on its way from one node to
// another.
func TestACLRulesSufficeOnCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rules, err := admin.ACLRules(admin.RoleServe, "ORDERS")
	if err != nil {
		t.Fatal(err)
	}
	args := []any{"ACL", "SETUSER", "serve", "reset", "on", ">pw"}
	for _, r := range rules {
		args = append(args, r)
	}
	ctx := t.Context()
	for _, n := range cluster.Nodes() {
		if err := n.Client().Do(ctx, args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{
		Addrs: cluster.Addrs(), Mode: framework.ModeCluster, Username: "serve", Password: "pw",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	q := registry.Define[string]("ORDERS", "orders", registry.Codec(codecs.String()))
	handled := make(chan string, 1)
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		handled <- d.Payload
		return nil
	}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := framework.Bind(client, q).Offer(ctx, "once", 0); err != nil {
		t.Fatal(err)
	}
	if got := <-handled; got != "once" {
		t.Errorf("handled %q", got)
	}
	if err := engine.Stop(ctx); err != nil {
		t.Error(err)
	}

	slot := cluster.Client().ClusterKeySlot(ctx, "ORDERS").Val()
	from := int(slot * 3 / 16384)
	source, target := cluster.Nodes()[from].Client(), cluster.Nodes()[(from+1)%3].Client()
	for _, step := range []struct {
		at    *redis.Client
		state string
		other *redis.Client
	}{{target, "importing", source}, {source, "migrating", target}} {
		other, err := step.other.Do(ctx, "cluster", "myid").Text()
		if err != nil {
			t.Fatal(err)
		}
		if err := step.at.Do(ctx, "cluster", "setslot", slot, step.state, other).Err(); err != nil {
			t.Fatal(err)
		}
	}
	// Neither node has the keys: the one asks to try the other, which says TRYAGAIN.
	if _, err := framework.Bind(client, q).Offer(ctx, "while the slot moves", time.Hour); err == nil || !strings.Contains(err.Error(), "TRYAGAIN") {
		t.Errorf("got %v, want that both nodes were asked", err)
	}
	for _, n := range cluster.Nodes() {
		noRefusals(t, n.Client())
	}
}

// A star alone is all queues: who operates a whole server needs not name them.
func TestACLOfAllQueues(t *testing.T) {
	t.Parallel()
	rules, err := admin.ACLRules(admin.RoleOperate, "*")
	if err != nil || !slices.Contains(rules, "~*") || !slices.Contains(rules, "&redisson_delay_queue_channel:*") || slices.Contains(rules, "+@all") {
		t.Errorf("%q %v", rules, err)
	}
}

// Who operates two queues moves messages between them.
func TestACLRulesMove(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, client := srv.Client(), asACLUser(t, srv, admin.RoleOperate, "ORDRES", "ORDERS")
	rdb.RPush(t.Context(), "ORDRES", "ready")
	rdb.ZAdd(t.Context(), "redisson_delay_queue_timeout:{ORDRES}", redis.Z{Score: 1e13, Member: "pending"})
	if done, err := admin.Move(t.Context(), client, "ORDRES", "ORDERS", admin.MoveOptions{}); err != nil || done.Moved != 2 {
		t.Errorf("%+v %v", done, err)
	}
	if _, err := admin.Move(t.Context(), client, "ORDERS", "REFUNDS", admin.MoveOptions{}); err == nil || rdb.LLen(t.Context(), "ORDERS").Val() != 1 {
		t.Errorf("without rights: %v", err)
	}
}
