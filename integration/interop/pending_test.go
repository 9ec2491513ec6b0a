package interop_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// pendingCases are what Go and Java do to each other's pending messages, run for each release that has cases of queues.
var pendingCases = []testCase{
	{name: "GoChangesWhatJavaOffered", run: goChangesWhatJavaOffered},
	{name: "JavaCancelsWhatGoOffered", run: javaCancelsWhatGoOffered},
	{name: "CancelsDuringJavasTransfers", run: cancelsDuringJavasTransfers},
	{name: "ViewExact", run: viewExact},
	{name: "ViewDuringPasses", run: viewDuringPasses},
	{name: "ViewOff", run: viewOff},
	{name: "KeysBesideJava", run: keysBesideJava},
	{name: "RecodeBesideJava", run: recodeBesideJava},
	{name: "BulkTakenByJava", run: bulkTakenByJava},
	{name: "JavaSeesRetries", run: javaSeesRetries},
	{name: "JavaTakesRetry", run: javaTakesRetry},
	{name: "JavaTransfersRetry", run: javaTransfersRetry},
}

// both is one queue of strings as each side sees it.
type both struct {
	queue  *registry.Queue[string]
	client *framework.Client
	java   *jvm.Queue
}

func newBoth(t testing.TB, b *bench, opts ...registry.Option) both {
	t.Helper()
	q := define[string](t, "pending", b.codec, opts...)
	return both{q, rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL()).Queue(t, b.java, q.Key())}
}

// ids returns the ids of what is pending, whoever offered it.
func (o both) ids(t testing.TB) map[string]framework.ID {
	t.Helper()
	out := map[string]framework.ID{}
	for m, err := range framework.Bind(o.client, o.queue).Pending().All(t.Context()) {
		if err != nil || m.Err != nil {
			t.Fatal(err, m.Err)
		}
		out[m.Payload] = m.ID
	}
	return out
}

func (o both) offer(t testing.TB, value string, delay time.Duration) framework.ID {
	t.Helper()
	return rig.Offer(t, o.client, o.queue, value, delay)
}

// sees checks Java's size, readAll and peek of the delayed queue, and contains of each.
func (o both) sees(t testing.TB, want ...string) {
	t.Helper()
	look := o.java.Delayed()
	if n := look.Size(t); n != len(want) {
		t.Errorf("size() = %d, want %d", n, len(want))
	}
	var all []string
	for _, v := range look.ReadAll(t) {
		all = append(all, fmt.Sprint(v))
	}
	if !slices.Equal(all, want) {
		t.Errorf("readAll() = %q, want %q", all, want)
	}
	first := any(nil)
	if len(want) > 0 {
		first = want[0]
	}
	if got := look.Peek(t); got != first {
		t.Errorf("peek() = %#v, want %#v", got, first)
	}
	for _, v := range want {
		o.contains(t, v, true)
	}
}

func (o both) contains(t testing.TB, value string, want bool) {
	t.Helper()
	if got := o.java.Delayed().Contains(t, text(t, value)); got != want {
		t.Errorf("contains(%s) = %v", value, got)
	}
}

func (o both) removes(t testing.TB, value string, want bool) {
	t.Helper()
	if got := o.java.Delayed().Remove(t, text(t, value)); got != want {
		t.Errorf("remove(%s) = %v", value, got)
	}
}

func (o both) polls(t testing.TB, want any) {
	t.Helper()
	if got := o.java.Delayed().Poll(t); got != want {
		t.Errorf("poll() = %#v, want %#v", got, want)
	}
}

// takes lets Java take one message.
func (o both) takes(t testing.TB, want string) jvm.Taken {
	t.Helper()
	taken := o.java.Take(t, patient, text(t, want))
	if !taken.Equal {
		t.Errorf("take() = %#v, want %s", taken.Value, want)
	}
	return taken
}

func (o both) pending(t testing.TB, want int64) {
	t.Helper()
	if c := rig.Counts(t, o.client, o.queue); c.Delayed != want {
		t.Errorf("%d pending, want %d", c.Delayed, want)
	}
}

func (o both) cancel(t testing.TB, id framework.ID, want error) {
	t.Helper()
	if err := framework.Bind(o.client, o.queue).Cancel(t.Context(), id); !errors.Is(err, want) {
		t.Errorf("cancel: %v, want %v", err, want)
	}
}

func (o both) reschedule(t testing.TB, id framework.ID, in time.Duration) {
	t.Helper()
	if err := framework.Bind(o.client, o.queue).Reschedule(t.Context(), id, time.Now().Add(in)); err != nil {
		t.Errorf("reschedule: %v", err)
	}
}

// goChangesWhatJavaOffered: afterwards Java's size, contains, readAll and peek agree, and
// Java's own transfer keeps the new due time.
func goChangesWhatJavaOffered(t testing.TB, b *bench) {
	o := newBoth(t, b)
	o.java.Hold(t) // Java transfers
	for i, v := range []string{"a", "b", "c", "d"} {
		o.java.Offer(t, text(t, v), never+time.Duration(i)*time.Minute)
	}
	ids := o.ids(t)
	o.cancel(t, ids["b"], nil)
	o.cancel(t, ids["b"], fault.ErrGone)
	o.reschedule(t, ids["a"], 2*never) // the head goes to the end
	o.contains(t, "b", false)
	o.sees(t, "a", "c", "d") // in the order of the offers

	soonest := time.Now().Add(soon)
	o.reschedule(t, ids["d"], soon) // Java hears of it
	taken := o.takes(t, "d")
	if early := soonest.Truncate(time.Millisecond).Sub(taken.At); early > 0 {
		t.Errorf("taken %v before the new due time", early)
	}
	o.cancel(t, ids["d"], fault.ErrGone)
	o.sees(t, "a", "c")
	for _, v := range []string{"a", "c"} {
		o.cancel(t, o.ids(t)[v], nil)
	}
	o.sees(t)
	o.polls(t, nil)
}

// javaCancelsWhatGoOffered: what Java's remove(o) or poll() took is gone for Go, too.
func javaCancelsWhatGoOffered(t testing.TB, b *bench) {
	o := newBoth(t, b)
	ids := map[string]framework.ID{}
	for _, v := range []string{"a", "b", "c"} {
		ids[v] = o.offer(t, v, never)
	}
	o.removes(t, "b", true)
	o.removes(t, "b", false)
	o.polls(t, "a") // the one offered first
	for _, v := range []string{"a", "b"} {
		o.cancel(t, ids[v], fault.ErrGone)
		if err := framework.Bind(o.client, o.queue).Reschedule(t.Context(), ids[v], time.Now()); !errors.Is(err, fault.ErrGone) {
			t.Errorf("reschedule %s: %v", v, err)
		}
	}
	o.sees(t, "c")
	o.cancel(t, ids["c"], nil)
	o.sees(t)
	o.pending(t, 0)
}

// cancelsDuringJavasTransfers: 500 messages, half of each side's, are cancelled at the
// moment at which Java transfers them: each is either cancelled or delivered once.
func cancelsDuringJavasTransfers(t testing.TB, b *bench) {
	const half, spread = 250, 2 * time.Second
	o := newBoth(t, b)
	for i := range half {
		o.offer(t, fmt.Sprintf("go-%d", i), time.Second+time.Duration(i*7919%2000)*time.Millisecond)
	}
	o.java.OfferMany(t, "java", half, spread, 5)
	ids := o.ids(t)
	o.java.Hold(t)
	o.java.StartConsuming(t)

	// A timer of Java's rings up to 100 ms late: that is when it transfers.
	type outcome struct {
		value string
		err   error
	}
	outcomes := make(chan outcome)
	n := 0
	for value, id := range ids {
		due, err := id.Due()
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Until(due)+time.Duration(n%60-20)*time.Millisecond, func() {
			outcomes <- outcome{value, framework.Bind(o.client, o.queue).Cancel(t.Context(), id)}
		})
		n++
	}
	seen, cancelled := map[string]int{}, 0
	for range n {
		switch c := <-outcomes; {
		case c.err == nil:
			cancelled++
			seen[c.value]++
		case !errors.Is(c.err, fault.ErrGone):
			t.Errorf("cancel %s: %v", c.value, c.err)
		}
	}
	lab.Wait(t, func() string {
		if got := o.java.Consumed(t); got < 2*half-cancelled {
			return fmt.Sprintf("Java consumed %d, %d were cancelled", got, cancelled)
		}
		return ""
	})
	byJava := o.java.StopConsuming(t)
	for _, v := range byJava {
		seen[fmt.Sprint(v)]++
	}
	for i := range half {
		for _, side := range []string{"go", "java"} {
			if name := fmt.Sprintf("%s-%d", side, i); seen[name] != 1 {
				t.Errorf("%s was cancelled or delivered %d times", name, seen[name])
			}
		}
	}
	o.sees(t)
	o.pending(t, 0)
	if cancelled == 0 || len(byJava) == 0 {
		t.Errorf("%d cancelled, %d delivered: there was no race", cancelled, len(byJava))
	}
	t.Logf("report: Redisson %s: of %d messages %d were cancelled and %d delivered", b.version, 2*half, cancelled, len(byJava))
}

// keysBesideJava: a key is Go's alone. Java's offer of an equal payload is another
// message; what Java removes frees its key.
func keysBesideJava(t testing.TB, b *bench) {
	o := newBoth(t, b)
	keyed := func(key framework.DedupKey, want framework.Outcome) framework.Receipt {
		t.Helper()
		r, err := framework.Bind(o.client, o.queue).Offer(t.Context(), "a", never, key)
		if err != nil || r.Outcome != want {
			t.Errorf("%+v %v, want outcome %v", r, err, want)
		}
		return r
	}
	key := framework.Key("order 1")
	keyed(key, framework.OutcomeAdded)
	o.java.Offer(t, text(t, "a"), 2*never)
	o.sees(t, "a", "a")
	keyed(key, framework.OutcomeKept)
	keyed(key.Replace(), framework.OutcomeReplaced)
	o.sees(t, "a", "a")
	o.removes(t, "a", true) // the older one in the list: Java's own
	keyed(key.Extend(), framework.OutcomeExtended)
	o.removes(t, "a", true)
	o.sees(t)
	if err := framework.Bind(o.client, o.queue).CancelKey(t.Context(), "order 1"); !errors.Is(err, fault.ErrGone) {
		t.Errorf("cancel by key: %v", err)
	}
	keyed(key, framework.OutcomeAdded)
	o.sees(t, "a")
	if err := framework.Bind(o.client, o.queue).CancelKey(t.Context(), "order 1"); err != nil {
		t.Errorf("cancel by key: %v", err)
	}
	o.sees(t)
}

// bulkTakenByJava: a bulk offer by Go, transferred and taken by Java, each once.
func bulkTakenByJava(t testing.TB, b *bench) {
	const n = 1000
	o := newBoth(t, b)
	o.java.Hold(t)
	o.java.StartConsuming(t)
	done, err := framework.Bind(o.client, o.queue).OfferAll(t.Context(), func(yield func(framework.Item[string]) bool) {
		for i := range n {
			if !yield(framework.Item[string]{Value: fmt.Sprint(i), Delay: time.Duration(i*7919%1500) * time.Millisecond}) {
				return
			}
		}
	})
	if err != nil || done.Added != n {
		t.Fatalf("%+v %v", done, err)
	}
	lab.Wait(t, func() string {
		if got := o.java.Consumed(t); got < n {
			c := rig.Counts(t, o.client, o.queue)
			return fmt.Sprintf("Java consumed %d, %d are pending and %d ready", got, c.Delayed, c.Ready)
		}
		return ""
	})
	seen := map[string]int{}
	for _, v := range o.java.StopConsuming(t) {
		seen[fmt.Sprint(v)]++
	}
	for i := range n {
		if seen[fmt.Sprint(i)] != 1 {
			t.Errorf("%d was taken %d times", i, seen[fmt.Sprint(i)])
		}
	}
	o.sees(t)
}
