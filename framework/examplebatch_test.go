package framework_test

import (
	"context"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Table is a table of a database that takes many rows at once and names the bad ones.
type Table struct{}

func (Table) Insert(_ context.Context, rows []int64) (bad map[int]error) {
	fmt.Println("insert", len(rows), "rows")
	bad = map[int]error{}
	for i, r := range rows {
		if r < 0 {
			bad[i] = fmt.Errorf("row %d is below zero", r)
		}
	}
	return bad
}

// A batch handler gets several messages at once, and says of each what becomes of it.
func ExampleConsumeBatch() {
	client, done := openEmbedded()
	defer done()
	ctx := context.Background()
	points := registry.Define[int64]("POINTS", "points to book", registry.Codec(codecs.Long()))

	book := func(ctx context.Context, ds []*handlers.Delivery[int64]) error {
		rows := make([]int64, len(ds))
		for i, d := range ds {
			rows[i] = d.Payload
		}
		errs := make([]error, len(ds))
		for i, err := range (Table{}).Insert(ctx, rows) {
			errs[i] = handlers.Permanent(err)
		}
		return handlers.PerItem(errs)
	}
	engine, err := framework.New(client, []framework.Consumer{
		framework.ConsumeBatch(points, handlers.BatchFunc[int64](book),
			framework.BatchSize(5), framework.BatchWait(time.Second), framework.Workers(1)),
	})
	if err != nil {
		panic(err)
	}
	for _, p := range []int64{10, 20, -30, 40, 50} {
		if _, err := framework.Bind(client, points).Offer(ctx, p, time.Millisecond); err != nil {
			panic(err)
		}
	}
	if err := engine.Start(ctx); err != nil {
		panic(err)
	}
	n := framework.Counts{}
	for n.Dead == 0 {
		if n, err = framework.Bind(client, points).Counts(ctx); err != nil {
			panic(err)
		}
	}
	fmt.Println(engine.Stop(ctx))
	n, err = framework.Bind(client, points).Counts(ctx)
	fmt.Println(n.Ready+n.Delayed, "left,", n.Dead, "dead", err)
	// Output:
	// insert 5 rows
	// <nil>
	// 0 left, 1 dead <nil>
}
