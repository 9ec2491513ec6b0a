package interop_test

import (
	"errors"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/integration/rig"
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
