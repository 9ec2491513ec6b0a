package framework_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// The provider of text messages takes ten a second, twenty at once after a quiet time.
func ExampleRateLimit() {
	send := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	fmt.Println(framework.RateLimit(10, 20))

	client, done := openEmbedded()
	defer done()
	_, err := framework.New(client, []framework.Consumer{
		framework.Consume(deliveryLate, send, framework.Workers(50), framework.RateLimit(0, 0)),
	})
	var wrong *fault.RegistrationError
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Code, wrong.Err)
	}
	// Output:
	// RateLimit(10, 20)
	// DELIVERY_LATE RateLimit(0, 0): the rate must be a positive number of messages a second; leave the option out for no limit
}

// An operator stops one queue of this process, and health tells why.
func ExampleEngine_Pause() {
	client, done := openEmbedded()
	defer done()
	ctx := context.Background()

	handled := make(chan string)
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(deliveryLate, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
			handled <- d.Payload
			return nil
		})),
	})
	if err != nil {
		panic(err)
	}
	if err := engine.Pause("the provider moves until 14:00", "alice", deliveryLate); err != nil {
		panic(err)
	}
	if err := engine.Start(ctx); err != nil {
		panic(err)
	}
	if _, err := framework.Bind(client, deliveryLate).Offer(ctx, "order 100", 0); err != nil {
		panic(err)
	}
	h := engine.Health()
	fmt.Println("ready:", h.Ready)
	fmt.Println(h.Queues[0].Intake, h.Queues[0].Reason, "by", h.Queues[0].Paused.By)
	fmt.Println(h.Queues[0].Paused.Reason)

	if err := engine.Resume(deliveryLate); err != nil {
		panic(err)
	}
	fmt.Println("handled", <-handled)
	_ = engine.Stop(ctx)
	// Output:
	// ready: true
	// closed paused by alice
	// the provider moves until 14:00
	// handled order 100
}

// A reminder that nobody could send in time goes to the dead store.
func Example_expired() {
	client, done := openEmbedded()
	defer done()
	ctx := context.Background()
	reminder := registry.Define[string]("REMINDER", "", registry.Codec(codecs.String()),
		registry.MaxLateness(20*time.Millisecond, registry.Expire))
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(reminder, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
			fmt.Println("handled too late")
			return nil
		})),
	})
	if err != nil {
		panic(err)
	}
	_ = engine.Pause("nobody is there", "")
	if err := engine.Start(ctx); err != nil {
		panic(err)
	}
	if _, err := framework.Bind(client, reminder).Offer(ctx, "meeting at 14:00", 0); err != nil {
		panic(err)
	}
	<-time.After(100 * time.Millisecond)
	_ = engine.Resume()
	var dead []framework.DeadMessage
	for len(dead) == 0 {
		if dead, err = framework.Bind(client, reminder).Dead().Page(ctx, "", 10); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%s: %s, failed %d times\n", dead[0].Reason, dead[0].Body, dead[0].Failed)
	_ = engine.Stop(ctx)
	// Output:
	// expired: meeting at 14:00, failed 0 times
}
