package interop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
)

// goLeaves: after "duequeue leave" Java alone gets what Go offered, what waited for its retry and
// what was dead, once and not early, and nothing of ours is left.
func goLeaves(t testing.TB, b *bench) {
	o := newBoth(t, b)
	handled := make(chan string, 10)
	engine := rig.Run(t, o.client, framework.Consume(o.queue, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		defer func() { handled <- d.Payload }()
		if d.Payload == "fails" {
			return handlers.RetryAfter(3*soon, errors.New("not yet"))
		}
		return handlers.Reject("refused")
	})))
	for _, value := range []string{"fails", "dead"} {
		o.offer(t, value, 0)
		select {
		case <-handled:
		case <-time.After(patient):
			t.Fatalf("%s was not handled", value)
		}
	}
	offered := time.Now()
	o.offer(t, "go", 4*soon)
	text, err := jvm.Encode("java")
	if err != nil {
		t.Fatal(err)
	}
	o.java.Offer(t, text, 4*soon)
	rig.Stop(t, engine)

	leave := exec.CommandContext(t.Context(), rig.CommandLine(t), "leave", "-wait", "-redrive-dead", o.queue.Key())
	leave.Env = append(os.Environ(), "DUEQUEUE_REDIS_URL="+b.srv.URL())
	if out, err := leave.CombinedOutput(); err != nil || !strings.Contains(string(out), "1 dead letter back to the ready list") {
		t.Fatalf("leave: %v\n%s", err, out)
	}
	for _, key := range b.srv.Client().Keys(t.Context(), "duequeue:*{"+o.queue.Key()+"}*").Val() {
		t.Errorf("%s is left", key)
	}
	service := b.jvm.Open(t, b.srv.URL()).Queue(t, b.java, o.queue.Key())
	service.Hold(t)
	service.StartConsuming(t)
	lab.Wait(t, func() string {
		if n := service.Consumed(t); n < 4 {
			return fmt.Sprintf("Java got %d of 4", n)
		}
		return ""
	})
	if time.Since(offered) < 4*soon {
		t.Error("Java got all before the last was due")
	}
	var got []string
	for _, value := range service.StopConsuming(t) {
		got = append(got, fmt.Sprint(value))
	}
	slices.Sort(got)
	if want := []string{"dead", "fails", "go", "java"}; !slices.Equal(got, want) {
		t.Errorf("Java got %q, want %q", got, want)
	}
}
