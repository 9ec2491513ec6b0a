package interop_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// bothTransferAndConsume: 2,000 messages with random delays, half offered by each
// side; both sides transfer and both consume; each message is seen exactly once.
func bothTransferAndConsume(t testing.TB, b *bench) {
	const half, spread = 1000, 2 * time.Second
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	queue := define[string](t, "shared", b.codec)
	consuming := service.Queue(t, b.java, queue.Key())
	consuming.Hold(t)
	consuming.StartConsuming(t)
	var collector rig.Collector[string]
	engine := rig.Run(t, client, framework.Consume(queue, &collector, framework.Workers(4)))

	offered := make(chan struct{})
	go func() {
		defer close(offered)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range half {
			delay := time.Duration(random.Int64N(int64(spread)))
			if _, err := framework.Bind(client, queue).Offer(t.Context(), fmt.Sprintf("go-%d", i), delay); err != nil {
				t.Errorf("offer: %v", err)
			}
		}
	}()
	consuming.OfferMany(t, "java", half, spread, 3)
	<-offered

	lab.Wait(t, func() string {
		if have := collector.Count() + consuming.Consumed(t); have < 2*half {
			return fmt.Sprintf("%d of %d messages seen", have, 2*half)
		}
		return ""
	})
	rig.Stop(t, engine)
	byJava := consuming.StopConsuming(t)

	seen := map[string]int{}
	for _, g := range collector.Got() {
		seen[g.Payload]++
	}
	for _, v := range byJava {
		seen[fmt.Sprint(v)]++
	}
	for i := range half {
		for _, side := range []string{"go", "java"} {
			if name := fmt.Sprintf("%s-%d", side, i); seen[name] != 1 {
				t.Errorf("%s was seen %d times", name, seen[name])
			}
		}
	}
	if c := rig.Counts(t, client, queue); c.Ready+c.Delayed+c.Dead != 0 {
		t.Errorf("left over: %+v", c)
	}
	if len(byJava) == 0 || collector.Count() == 0 {
		t.Errorf("one side got nothing: Go %d, Java %d", collector.Count(), len(byJava))
	}
	t.Logf("report: Redisson %s: of %d messages Go handled %d and Java %d", b.version, 2*half, collector.Count(), len(byJava))
}
