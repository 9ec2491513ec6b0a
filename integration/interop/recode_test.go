package interop_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/recode"
)

// recodeBesideJava: what a Java service has offered in its codec is moved to another one, while a
// service that reads both transfers and takes; then one that knows the new codec alone sees all
// that is pending, by readAll, contains and remove, and takes it, each message once.
func recodeBesideJava(t testing.TB, b *bench) {
	const before, live = 40, 60
	from, to, java := b.codec, jackson.JsonJackson(), "jsonjackson"
	reads := "anyof(jsonjackson," + b.name + ")"
	switch {
	case b.name == java && slices.Contains([]string{"3.8.1", "3.10.0", "3.12.5"}, b.version):
		// They have no River yet. Their CBOR reads JSON's "live-3" as -3, so it is asked last.
		to, java, reads = cbor.Jackson(), "cborjackson", "anyof(jsonjackson,cborjackson)"
	case b.name == java:
		to, java, reads = marshalling.New(), "marshalling", "anyof(marshalling,jsonjackson)"
	}
	client := rig.Open(t, b.srv.URL())
	queue := define[string](t, "recoded", codecs.AnyOf(to, from))
	old := b.jvm.Open(t, b.srv.URL()).Queue(t, b.name, queue.Key())
	both := b.jvm.Open(t, b.srv.URL()).Queue(t, reads, queue.Key())
	for i := range before {
		old.Offer(t, text(t, fmt.Sprintf("before-%d", i)), time.Hour+time.Duration(i%7)*time.Millisecond)
	}
	both.Hold(t)
	both.StartConsuming(t)
	offered := make(chan struct{})
	go func() {
		defer close(offered)
		old.OfferMany(t, "live", live, 3*time.Second, 5)
	}()
	convert := recode.Options{Convert: recode.Codecs(from, to), Share: 1}
	recoded := int64(0)
	lab.Wait(t, func() string {
		c, err := recode.Pending(t.Context(), client, queue.Key(), convert)
		if recoded += c.Recoded; err != nil || c.Failed > 0 {
			t.Fatalf("%+v, %v", c, err)
		}
		if n := both.Consumed(t); n < live {
			return fmt.Sprintf("%d of %d came", n, live)
		}
		return ""
	})
	<-offered
	c, err := recode.Pending(t.Context(), client, queue.Key(), convert)
	if err != nil || c.Left() != 0 || c.Recoded+c.Already != before {
		t.Errorf("%+v, %v", c, err)
	}
	seen := map[string]int{}
	for _, v := range both.StopConsuming(t) {
		seen[fmt.Sprint(v)]++
	}
	if len(seen) != live {
		t.Errorf("%d messages came, want %d", len(seen), live)
	}

	alone := b.jvm.Open(t, b.srv.URL()).Queue(t, java, queue.Key())
	look := alone.Delayed()
	all := look.ReadAll(t)
	for i, v := range all {
		if want := fmt.Sprintf("before-%d", i); v != want || !look.Contains(t, text(t, want)) {
			t.Errorf("readAll()[%d] = %v, want %s", i, v, want)
		}
	}
	if len(all) != before || !look.Remove(t, text(t, "before-3")) {
		t.Errorf("readAll() has %d, and remove(before-3) may have failed", len(all))
	}
	for m, err := range framework.Bind(client, queue).Pending().All(t.Context()) {
		if err != nil || m.Err != nil {
			t.Fatal(err, m.Err)
		}
		if err := framework.Bind(client, queue).Reschedule(t.Context(), m.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	alone.StartConsuming(t)
	alone.Hold(t)
	lab.Wait(t, func() string {
		if n := alone.Consumed(t); n < before-1 {
			return fmt.Sprintf("%d of %d came", n, before-1)
		}
		return ""
	})
	for _, v := range alone.StopConsuming(t) {
		seen[fmt.Sprint(v)]++
	}
	for value, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", value, n)
		}
	}
	if len(seen) != live+before-1 {
		t.Errorf("%d messages came, want %d", len(seen), live+before-1)
	}
	t.Logf("report: Redisson %s: %d messages went from %s to %s beside Java", b.version, recoded, from.Name(), to.Name())
}
