package framework_test

import (
	"context"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Go types that a Java DTO may turn into. Each stands for the Java class that its queue names.
type (
	same struct {
		Val any `java:"val,java.lang.Object"`
	}
	renamed struct {
		Val any    `java:"value,java.lang.Object"`
		Own string `java:"own"`
	}
	retyped struct {
		Val string `java:"val"`
	}

	item struct {
		Count int32 `java:"count"`
	}
	itemRetyped struct {
		Count []string `java:"count"`
	}
	orderNulls struct {
		ID    string    `java:"orderId"`
		Cents int64     `java:"amountCents"`
		Qty   *int32    `java:"qty"`
		At    time.Time `java:"createdAt"`
		Tags  []string  `java:"tags"`
	}
	orderRenamed struct {
		ID    string    `java:"aOrder"`
		Cents int64     `java:"amountCents"`
		Qty   *int32    `java:"qty"`
		At    time.Time `java:"createdAt"`
		Tags  []string  `java:"tags"`
	}
	orderAdded struct {
		ID    string    `java:"orderId"`
		Cents int64     `java:"amountCents"`
		Qty   *int32    `java:"qty"`
		At    time.Time `java:"createdAt"`
	}
	orderRetyped struct {
		ID    string    `java:"orderId"`
		Cents string    `java:"amountCents"`
		Qty   *int32    `java:"qty"`
		At    time.Time `java:"createdAt"`
		Tags  []string  `java:"tags"`
	}
	base struct {
		Qty int32 `java:"quantity"`
	}
	baseRetyped struct {
		Qty []string `java:"quantity"`
	}
)

// What becomes of payloads that were pushed to a queue.
const (
	areHandled = "handled"
	areBad     = "bad messages"
	areForeign = "of another codec"
)

// javaRow returns the payload in a table of what Java wrote: the column behind the given ones.
func javaRow(t *testing.T, file string, columns ...string) string {
	t.Helper()
	raw, err := os.ReadFile("../codecs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	begins := strings.Join(columns, "\t") + "\t"
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, begins); ok {
			payload, err := hex.DecodeString(strings.TrimSpace(strings.Split(rest, "\t")[0]))
			if err != nil {
				t.Fatal(err)
			}
			return string(payload)
		}
	}
	t.Fatalf("%s has no row %q", file, columns)
	return ""
}

// becomes handles a queue of T, pushes twelve of what Java wrote and three good ones behind, and
// checks what becomes of them; class is the Java class that T stands for.
func becomes[T any](t *testing.T, b *bundle, name, class, payload, want string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		wire, _, _ := strings.Cut(name, "/")
		c, err := catalog.Find(wire)
		if err != nil {
			t.Fatal(err)
		}
		q := registry.Define[T]("misfit "+name, "", registry.Codec(c), registry.JavaClass[T](class))
		var v T
		good, err := q.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		var got atomic.Int64
		e := b.run(t, framework.Consume(q, handlers.Func[T](func(context.Context, *handlers.Delivery[T]) error {
			got.Add(1)
			return nil
		})))
		for range 12 {
			b.push(t, q, payload)
		}
		b.push(t, q, string(good), string(good), string(good))
		queue := framework.Bind(b.client, q)
		switch want {
		case areForeign:
			lab.WaitFor(t, "the intake closed", func() bool {
				n, err := queue.Counts(t.Context())
				h := e.Health()
				return err == nil && n.Ready == 15 && n.Dead == 0 && h.Queues[0].Reason == health.BecauseUndecodable && !h.Ready
			})
		case areHandled:
			lab.WaitFor(t, "all handled", func() bool { return got.Load() == 15 })
			return
		}
		lab.WaitFor(t, "good ones handled, the queue drained", func() bool {
			if want == areForeign { // a probe may have one
				_, _ = queue.Ready().Bury(t.Context(), framework.BuryOptions{Choose: func(body []byte) bool { return string(body) == payload }})
			}
			n, err := queue.Counts(t.Context())
			return err == nil && got.Load() == 3 && n.Ready == 0 && n.Dead == 12
		})
		if h := e.Health(); want == areBad && (!h.Ready || len(h.Degraded) > 0) {
			t.Errorf("ready %v, degraded %q", h.Ready, h.Degraded)
		}
		dead, err := queue.Dead().Page(t.Context(), "", 1)
		if err != nil || len(dead) != 1 || want == areBad && dead[0].Reason != handlers.ReasonUndecodable || want == areForeign && dead[0].Reason != handlers.ReasonBuried {
			t.Fatalf("%+v %v", dead, err)
		}
		if d := dead[0].Detail; want == areBad && (strings.Contains(d, "another codec") || !strings.Contains(d, "Go type") ||
			!strings.Contains(d, "duequeue javadesc -check -classes app.jar ./...") || !strings.Contains(d, "Java class")) {
			t.Errorf("told as %s", d)
		}
	})
}

// A changed Java class costs its own messages alone, in each codec that names classes: they are
// bad messages, and those behind them are handled. Only bytes of another codec close the intake.
func TestChangedClassesAreBadMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const table, gen = "sniff/testdata/payloads-4.7.0.tsv", "demo.Types$Gen"
	other := map[bool]string{
		false: written(t, kryo5.New(), "x")[0],
		true:  written(t, jackson.JsonJackson(), map[string]any{"a": 1})[0],
	}
	for _, java := range []string{
		"Kryo5Codec", "JsonJacksonCodec", "MsgPackJacksonCodec", "CborJacksonCodec", "SmileJacksonCodec", "IonJacksonCodec",
		"LZ4Codec(Kryo5Codec)", "LZ4CodecV2(JsonJacksonCodec)", "SnappyCodecV2(Kryo5Codec)", "ZStdCodec(JsonJacksonCodec)",
	} {
		name := strings.ToLower(strings.NewReplacer("CodecV2", "V2", "Codec", "").Replace(java))
		payload := javaRow(t, table, java, "generic POJO Long")
		kryo := strings.Contains(java, "Kryo5")
		loose := map[bool]string{true: areBad, false: areHandled}[kryo] // Jackson ignores what it does not know
		becomes[same](t, b, name+"/same", gen, payload, areHandled)
		becomes[renamed](t, b, name+"/fields renamed", gen, payload, loose)
		becomes[retyped](t, b, name+"/type changed", gen, payload, areBad)
		becomes[same](t, b, name+"/class renamed", "demo.Types$Other", payload, areBad)
		becomes[same](t, b, name+"/other codec", gen, other[kryo], areForeign)
	}
	nulls := javaRow(t, "kryo5/testdata/kryo5.tsv", "redisson4.7/kryo5.6.2", "Order nulls")
	becomes[orderNulls](t, b, "kryo5/order", "demo.Order", nulls, areHandled)
	becomes[orderRenamed](t, b, "kryo5/order/field renamed", "demo.Order", nulls, areBad)
	becomes[orderAdded](t, b, "kryo5/order/field added", "demo.Order", nulls, areBad)
	becomes[orderRetyped](t, b, "kryo5/order/type changed", "demo.Order", nulls, areBad)

	river := javaRow(t, "marshalling/testdata/samples.tsv", "river4", "item")
	becomes[item](t, b, "marshalling/fields renamed and added", "River$Item serial 11", river, areHandled)
	becomes[itemRetyped](t, b, "marshalling/type changed", "River$Item serial 11", river, areBad)
	becomes[item](t, b, "marshalling/class renamed", "River$Other serial 11", river, areBad)
	becomes[item](t, b, "marshalling/other codec", "River$Item serial 11", other[true], areForeign)

	stream := javaRow(t, "serialization/testdata/samples.tsv", "bean nulls")
	becomes[base](t, b, "serialization/fields renamed and added", "Samples$Order serial 9", stream, areHandled)
	becomes[baseRetyped](t, b, "serialization/type changed", "Samples$Order serial 9", stream, areBad)
	becomes[base](t, b, "serialization/class renamed", "Samples$Other serial 9", stream, areBad)
	becomes[base](t, b, "serialization/other codec", "Samples$Order serial 9", other[true], areForeign)
}

// Payloads of another codec make a process degraded that is of use, and unready where it has never
// decoded any and serves nothing else; the same after a restart. Once they are buried, the good
// ones behind them are handled.
func TestAnotherCodecAndReadiness(t *testing.T) {
	t.Parallel()
	b := setup(t)
	foreign := written(t, jackson.JsonJackson(), map[string]any{"a": 1})[0]
	good := written(t, kryo5.New(), "good")[0]
	for name, c := range map[string]struct{ before, beside, ready bool }{
		"alone":                {},
		"decoded one before":   {before: true, ready: true},
		"serves another queue": {beside: true, ready: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := registry.Define[string]("readiness "+name, "", registry.Codec(kryo5.New()))
			queue := framework.Bind(b.client, q)
			got := make(chan string, 100)
			consumers := []framework.Consumer{framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
				got <- d.Payload
				return nil
			}))}
			if c.beside {
				other := registry.Define[string]("beside "+name, "", registry.Codec(kryo5.New()))
				consumers = append(consumers, framework.Consume(other, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })))
			}
			for restart := range 2 {
				e, err := framework.New(b.client, consumers)
				if err != nil {
					t.Fatal(err)
				}
				if c.before && restart > 0 { // it knows nothing of the one before
					c.ready = c.beside
				}
				if err := e.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				if restart == 0 {
					if c.before {
						b.push(t, q, good)
						lab.WaitFor(t, "one is handled", func() bool { return len(got) == 1 })
						<-got
					}
					for range 12 {
						b.push(t, q, foreign)
					}
				}
				lab.WaitFor(t, "the intake closed", func() bool {
					h := e.Health()
					closed := slices.ContainsFunc(h.Queues, func(one health.Queue) bool { return one.Code == q.Code() && one.Intake == health.IntakeClosed })
					degraded := slices.ContainsFunc(h.Degraded, func(why string) bool { return strings.Contains(why, "of another codec") })
					return closed && h.Ready == c.ready && degraded == c.ready
				})
				if restart == 1 {
					b.push(t, q, good) // not before: workers that decode side by side may come to it before the tenth
					lab.WaitFor(t, "the good one handled", func() bool {
						_, err := queue.Ready().Bury(t.Context(), framework.BuryOptions{Choose: func(body []byte) bool { return string(body) == foreign }})
						return err == nil && len(got) == 1 && e.Health().Ready && len(e.Health().Degraded) == 0
					})
				}
				if err := e.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
