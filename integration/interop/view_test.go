package interop_test

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// oneQueue is a queue with one of each sample that the release's codec carries.
type oneQueue struct {
	queue  *registry.Queue[any]
	names  []string
	client *framework.Client
	java   *jvm.Queue
}

func newOneQueue(t testing.TB, b *bench) oneQueue {
	t.Helper()
	o := oneQueue{
		queue: define[any](t, "all", b.codec), names: []string{"string", "hashmap5", "nested", "null"},
		client: rig.Open(t, b.srv.URL()),
	}
	o.java = b.jvm.Open(t, b.srv.URL()).Queue(t, b.java, o.queue.Key())
	return o
}

func (o oneQueue) offerAll(t testing.TB, b *bench, delay time.Duration) {
	t.Helper()
	for _, name := range o.names {
		rig.Offer(t, o.client, o.queue, b.jvm.SampleValue(t, name), delay)
	}
}

// javaSeesPending: size, contains, readAll and remove of the RDelayedQueue on what
// Go offered.
func javaSeesPending(t testing.TB, b *bench) {
	o := newOneQueue(t, b)
	o.offerAll(t, b, never)
	lookThrough(t, b, o, o.java.Delayed())
	if c := rig.Counts(t, o.client, o.queue); c.Delayed != 0 {
		t.Errorf("Java removed everything, Go still counts %+v", c)
	}
}

// javaSeesReady: the same of the RBlockingQueue, after Go's transfer.
func javaSeesReady(t testing.TB, b *bench) {
	o := newOneQueue(t, b)
	engine := rig.Run(t, o.client, framework.TransferOnly(o.queue))
	o.offerAll(t, b, 0)
	lab.Wait(t, func() string {
		if c := rig.Counts(t, o.client, o.queue); c.Ready != int64(len(o.names)) {
			return "not all are ready"
		}
		return ""
	})
	rig.Stop(t, engine)
	lookThrough(t, b, o, o.java.Ready())
	if c := rig.Counts(t, o.client, o.queue); c.Ready != 0 {
		t.Errorf("Java removed everything, Go still counts %+v", c)
	}
}

// lookThrough looks at one of each sample and removes them one by one.
func lookThrough(t testing.TB, b *bench, o oneQueue, look jvm.Look) {
	t.Helper()
	if n := look.Size(t); n != len(o.names) {
		t.Errorf("size() = %d, want %d", n, len(o.names))
	}
	if all := look.ReadAll(t); len(all) != len(o.names) {
		t.Errorf("readAll() = %#v", all)
	} else {
		for i, name := range o.names {
			equal(t, b, all[i], name)
		}
	}
	for i, name := range o.names {
		if !look.Contains(t, jvm.Sample(name)) {
			t.Errorf("contains(%s) = false", name)
		}
		if !look.Remove(t, jvm.Sample(name)) {
			t.Errorf("remove(%s) = false", name)
		}
		if look.Contains(t, jvm.Sample(name)) {
			t.Errorf("contains(%s) after remove", name)
		}
		if n := look.Size(t); n != len(o.names)-i-1 {
			t.Errorf("size() = %d after removing %d", n, i+1)
		}
	}
}

// javaPolls: poll() takes pending messages away in the order in which Go offered
// them, and what was polled is not delivered.
func javaPolls(t testing.TB, b *bench) {
	o := newOneQueue(t, b)
	o.offerAll(t, b, never)
	equal(t, b, o.java.Delayed().Peek(t), o.names[0])
	for _, name := range o.names {
		equal(t, b, o.java.Delayed().Poll(t), name)
	}
	if c := rig.Counts(t, o.client, o.queue); c.Delayed != 0 || c.Ready != 0 {
		t.Errorf("Java polled everything, Go still counts %+v", c)
	}
}

// goSeesPending: what Java offered, by Go's Pending and Counts.
func goSeesPending(t testing.TB, b *bench) {
	o := newOneQueue(t, b)
	before := time.Now()
	for i, name := range o.names {
		o.java.Offer(t, jvm.Sample(name), never+time.Duration(i)*time.Second)
	}
	if c := rig.Counts(t, o.client, o.queue); c.Delayed != int64(len(o.names)) {
		t.Errorf("Counts = %+v, Java offered %d", c, len(o.names))
	}
	pending, err := framework.Bind(o.client, o.queue).Pending().Page(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(pending) != len(o.names) {
		t.Fatalf("Pending = %d messages, Java offered %d", len(pending), len(o.names))
	}
	for i, p := range pending {
		if p.Err != nil {
			t.Errorf("%s: %v", o.names[i], p.Err)
			continue
		}
		equal(t, b, p.Payload, o.names[i])
		want := before.Add(never + time.Duration(i)*time.Second)
		if off := p.Due.Sub(want); off < -time.Millisecond || off > patient {
			t.Errorf("%s: due %v, want about %v", o.names[i], p.Due, want)
		}
	}
}
