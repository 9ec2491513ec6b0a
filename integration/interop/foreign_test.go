package interop_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/registry"
)

// foreignCodecIsRefused: Java's messages are pending, and a Go producer declares another
// codec. Java would pop what it offers, and lose it; so it is refused, and with the right
// codec it is not.
func foreignCodecIsRefused(t testing.TB, b *bench) {
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	wrong := jackson.JsonJackson()
	if b.name == "jsonjackson" {
		wrong = kryo5.New()
	}
	for _, c := range []struct {
		name, java   string
		right, wrong codecs.Codec
	}{
		{"default", b.java, b.codec, wrong},
		{"json", "jsonjackson", jackson.JsonJackson(), kryo5.New()},
		{"text", "string", codecs.String(), kryo5.New()},
	} {
		q := define[any](t, "refused_"+c.name, c.wrong)
		java := service.Queue(t, c.java, q.Key())
		java.OfferMany(t, "order", 20, never, 1)
		_, err := framework.Bind(client, q).Offer(t.Context(), "x", never)
		var foreign *fault.ForeignPayloadsError
		if !errors.As(err, &foreign) || foreign.Foreign < 3 {
			t.Errorf("%s by %s: %v", c.name, c.wrong.Name(), err)
		}
		if n := rig.Counts(t, client, q).Delayed; n != 20 {
			t.Errorf("%s: %d pending", c.name, n)
		}
		good := define[any](t, "refused_"+c.name, c.right)
		if _, err := framework.Bind(client, good).Offer(t.Context(), "x", never); err != nil {
			t.Errorf("%s by %s: %v", c.name, c.right.Name(), err)
		}
		both := define[any](t, "refused_"+c.name, codecs.AnyOf(kryo5.New(), jackson.JsonJackson()))
		if c.name == "json" {
			if _, err := framework.Bind(client, both).Offer(t.Context(), "x", never); err != nil {
				t.Errorf("%s by %s: %v", c.name, both.Policy().Codec.Name(), err)
			}
		}
	}
	for _, s := range samples(t, b) { // null, maps and nested lists are read
		service.Queue(t, s.codec, s.queue.Key()).Offer(t, s.text(), never)
		if _, err := framework.Bind(client, s.queue).Offer(t.Context(), b.jvm.SampleValue(t, s.name), never); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

// mapperOfItsOwnIsRefused: the Java service configures its ObjectMapper to name classes in
// arrays, as RuoYi-Vue-Plus does. JsonJacksonCodec reads such payloads and writes another form,
// which that service pops and loses: the offer is refused.
func mapperOfItsOwnIsRefused(t testing.TB, b *bench) {
	if !atLeast(b.version, "3.19") {
		return // the Jackson of older releases has no activateDefaultTyping
	}
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	q := define[map[string]any](t, "refused_mapper", jackson.JsonJackson())
	order := map[string]any{"orderId": "4711"}
	java := service.Queue(t, "mapper(typing=NON_FINAL)", q.Key())
	for _, sample := range []string{"hashmap5", "nested", "order"} {
		java.Offer(t, jvm.Sample(sample), never)
	}
	_, err := framework.Bind(client, q).Offer(t.Context(), order, never)
	var foreign *fault.ForeignPayloadsError
	if !errors.As(err, &foreign) || foreign.Form != 3 || !strings.Contains(err.Error(), `,{…}], and this program writes {"@class":`) {
		t.Errorf("%v", err)
	}
	careless := define[map[string]any](t, "refused_mapper", jackson.JsonJackson(), registry.OnForeign(registry.ForeignIgnore))
	if err := framework.Bind(client, careless).Push(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	if taken, err := java.TryTake(t, never, jvm.Sample("null")); err == nil {
		t.Errorf("Java reads it: %+v", taken)
	}
}
