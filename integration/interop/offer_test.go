package interop_test

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/registry"
)

const (
	soon    = 400 * time.Millisecond
	never   = time.Hour
	patient = time.Minute
)

// sample is one value that crosses, on a queue of its own.
type sample struct {
	name  string
	codec string // as Java calls it
	queue *registry.Queue[any]
}

// text names the sample for Java.
func (s sample) text() jvm.Text { return jvm.Sample(s.name) }

// samples declares a queue for each value: a string, a map of five keys, a nested
// list and null by the release's codec, and the string by StringCodec.
func samples(t testing.TB, b *bench) []sample {
	t.Helper()
	var out []sample
	for _, name := range []string{"string", "hashmap5", "nested", "null"} {
		out = append(out, sample{name, b.java, define[any](t, name, b.codec)})
	}
	return append(out, sample{"string", "string", define[any](t, "plain", codecs.String())})
}

// define declares a queue named after the test.
func define[T any](t testing.TB, suffix string, codec codecs.Codec, opts ...registry.Option) *registry.Queue[T] {
	t.Helper()
	q := registry.Define[T](rig.QueueName(t, "_"+suffix), suffix, append(opts, registry.Codec(codec))...)
	if err := q.Err(); err != nil {
		t.Fatal(err)
	}
	return q
}

// equal compares a payload with what Java says its sample is.
func equal(t testing.TB, b *bench, payload any, name string) {
	t.Helper()
	got, err := view.Lower(payload)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if want := b.jvm.SampleValue(t, name); !jvm.Equal(got, want) {
		t.Errorf("%s: got %#v, Java has %#v", name, got, want)
	}
}

func javaOffersGoHandles(t testing.TB, b *bench) {
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	all := samples(t, b)
	collectors := make([]rig.Collector[any], len(all))
	var consumers []framework.Consumer
	for i, s := range all {
		consumers = append(consumers, framework.Consume(s.queue, &collectors[i]))
	}
	rig.Run(t, client, consumers...)

	due := make([]time.Time, len(all))
	for i, s := range all {
		due[i] = time.Now().Add(time.Second)
		service.Queue(t, s.codec, s.queue.Key()).Offer(t, s.text(), time.Second)
	}
	service.Close(t) // from here on only Go transfers
	alone := time.Now()
	for i, s := range all {
		got := collectors[i].Await(t, 1)[0]
		equal(t, b, got.Payload, s.name)
		if got.Due.IsZero() && due[i].After(alone) {
			t.Errorf("%s: due is unknown, though Go did the transfer", s.name)
		}
		if got.Lateness < 0 {
			t.Errorf("%s: handled %v before it was due", s.name, -got.Lateness)
		}
	}
}

func goOffersJavaTakes(t testing.TB, b *bench) {
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	for _, s := range samples(t, b) {
		q := service.Queue(t, s.codec, s.queue.Key())
		q.Hold(t) // Java alone transfers: this Go process only offers
		offerAndTake(t, b, client, q, s)
	}
}

func goTransfersJavaTakes(t testing.TB, b *bench) {
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	all := samples(t, b)
	var consumers []framework.Consumer
	for _, s := range all {
		consumers = append(consumers, framework.TransferOnly(s.queue))
	}
	rig.Run(t, client, consumers...)
	for _, s := range all {
		offerAndTake(t, b, client, service.Queue(t, s.codec, s.queue.Key()), s)
	}
}

// goOffersJavaOnlyTakes is the most usual pair: a Java service calls
// getBlockingQueue().take() and nothing else, a Go service offers and handles nothing.
func goOffersJavaOnlyTakes(t testing.TB, b *bench) {
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: b.srv.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	service := b.jvm.Open(t, b.srv.URL())
	for _, s := range samples(t, b) {
		q := service.Queue(t, s.codec, s.queue.Key())
		offerAndTake(t, b, client, q, s)
		rig.Offer(t, client, s.queue, b.jvm.SampleValue(t, s.name), 0)
		if taken := q.Take(t, patient, s.text()); !taken.Equal {
			t.Errorf("%s, no delay: %#v", s.name, taken.Value)
		}
	}
}

// offerAndTake offers by Go and takes by Java.
func offerAndTake(t testing.TB, b *bench, client *framework.Client, q *jvm.Queue, s sample) {
	t.Helper()
	offered := time.Now()
	rig.Offer(t, client, s.queue, b.jvm.SampleValue(t, s.name), soon)
	taken := q.Take(t, patient, s.text())
	if !taken.Equal {
		t.Errorf("%s: Java says that what it took is not equal: %#v", s.name, taken.Value)
	}
	// Java's clock has whole milliseconds.
	if early := offered.Add(soon).Truncate(time.Millisecond).Sub(taken.At); early > 0 {
		t.Errorf("%s: taken %v early", s.name, early)
	}
}
