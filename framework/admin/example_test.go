package admin_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/registry"
)

func ExampleACLRules() {
	rules, err := admin.ACLRules(admin.RoleOffer, "ORDER_PAYMENT_TIMEOUT")
	if err != nil {
		panic(err)
	}
	for _, r := range rules[:22] {
		fmt.Println(r)
	}
	// Output:
	// resetkeys
	// resetchannels
	// -@all
	// ~ORDER_PAYMENT_TIMEOUT
	// ~redisson_delay_queue_timeout:{ORDER_PAYMENT_TIMEOUT}
	// ~redisson_delay_queue:{ORDER_PAYMENT_TIMEOUT}
	// ~redisson_delay_queue_channel:{ORDER_PAYMENT_TIMEOUT}
	// &redisson_delay_queue_channel:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:attempts:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:control:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:dead:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:dedup:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:due:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:head:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:ids:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:journal:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:leases:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:names:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:processes:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:sessions:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:trace:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:dedup:{ORDER_PAYMENT_TIMEOUT}:*
}

// A queue with a journal knows messages that are done, by their ID, key or declared fields.
func ExampleSearch() {
	server, err := embedded.Start()
	if err != nil {
		panic(err)
	}
	defer func() { _ = server.Close() }()
	ctx := context.Background()
	cfg := framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}
	client, err := framework.Open(ctx, cfg, framework.WithEmbedded(server), framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		panic(err)
	}
	defer func() { _ = client.Close() }()

	queue := registry.Define[map[string]any]("ORDERS", "unpaid orders", registry.Journal(30*24*time.Hour, "orderId"))
	orders := framework.Bind(client, queue)
	if _, err := orders.Offer(ctx, map[string]any{"orderId": 4711}, 30*time.Minute, framework.Key("order-4711")); err != nil {
		panic(err)
	}
	if err := orders.CancelKey(ctx, "order-4711"); err != nil { // it was paid
		panic(err)
	}
	found, err := admin.Search(ctx, client, "ORDERS", "4711", admin.SearchOptions{})
	if err != nil {
		panic(err)
	}
	for _, m := range found.Matches {
		fmt.Println(m.Place, "by", m.By, "key", m.Key, m.Journal.Outcome, m.Journal.Fields)
	}
	forgotten, err := admin.Forget(ctx, client, "ORDERS", "order-4711", admin.ForgetOptions{})
	fmt.Println(forgotten.Records, err)
	// Output:
	// journal by orderId key order-4711 cancelled [{orderId 4711}]
	// 1 <nil>
}

// All Go processes of a queue stop taking, for two hours at most.
func ExamplePause() {
	server, err := embedded.Start()
	if err != nil {
		panic(err)
	}
	defer func() { _ = server.Close() }()
	ctx := context.Background()
	cfg := framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}
	client, err := framework.Open(ctx, cfg, framework.WithEmbedded(server), framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		panic(err)
	}
	defer func() { _ = client.Close() }()

	set, err := admin.Pause(ctx, client, "ORDER_PAYMENT_TIMEOUT", admin.PauseOptions{Reason: "the provider moves", By: "alice", For: 2 * time.Hour})
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Pause.Reason, "by", set.Pause.By, "for", set.Pause.Until.Sub(set.Pause.At))
	fmt.Println(admin.JavaGoesOn)

	set, err = admin.Resume(ctx, client, "ORDER_PAYMENT_TIMEOUT", "bob")
	fmt.Println(set.Pause == nil, set.ResumedBy, err)
	// Output:
	// the provider moves by alice for 2h0m0s
	// Java consumers know nothing of this and go on taking
	// true bob <nil>
}
