package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// javaOffers puts payloads into the delayed structures as Redisson does.
func javaOffers(t *testing.T, rdb *redis.Client, queue string, payloads ...string) {
	t.Helper()
	due := float64(time.Now().Add(time.Hour).UnixMilli())
	for i, p := range payloads {
		element := "\x08" + fmt.Sprintf("%08d", i) + string([]byte{byte(len(p)), byte(len(p) >> 8), 0, 0, 0, 0, 0, 0}) + p
		err := errors.Join(
			rdb.ZAdd(t.Context(), "redisson_delay_queue_timeout:{"+queue+"}", redis.Z{Score: due + float64(i), Member: element}).Err(),
			rdb.RPush(t.Context(), "redisson_delay_queue:{"+queue+"}", element).Err())
		if err != nil {
			t.Fatal(err)
		}
	}
}

// written returns values as a codec writes them.
func written(t *testing.T, c codecs.Codec, values ...any) []string {
	t.Helper()
	var out []string
	for _, v := range values {
		b, err := c.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// What Java would lose is not offered: the first offer looks at what lies there.
func TestForeignPayloadsRefuseOffers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rdb := b.redis
	kryo, json := kryo5.New(), jackson.JsonJackson()
	three := []any{"first", "second", "third"}
	for name, c := range map[string]struct {
		codec    codecs.Codec
		pending  []string
		ready    []string
		refused  bool
		warned   bool
		declared []registry.Option
	}{
		"empty queue":            {codec: json},
		"ours":                   {codec: json, pending: written(t, json, three...)},
		"kryo5 in a JSON queue":  {codec: json, pending: written(t, kryo, three...), refused: true},
		"JSON in a kryo5 queue":  {codec: kryo, pending: written(t, json, three...), refused: true},
		"ready ones":             {codec: kryo, ready: written(t, json, three...), refused: true},
		"some of each":           {codec: kryo, ready: written(t, json, "a", "b"), pending: written(t, json, "c"), refused: true},
		"equal ones are one":     {codec: kryo, pending: written(t, json, "a", "a", "a"), ready: written(t, json, "a", "a", "a", "a"), warned: true},
		"two":                    {codec: kryo, pending: written(t, json, "a", "b"), warned: true},
		"three among many good":  {codec: kryo, pending: append(written(t, json, three...), written(t, kryo, "a", "b", "c", "d", "e")...), warned: true},
		"one of several codecs":  {codec: codecs.AnyOf(kryo, json), pending: written(t, json, three...)},
		"none of several codecs": {codec: codecs.AnyOf(kryo, json), pending: written(t, marshalling.New(), three...), refused: true},
		"compressed":             {codec: compress.LZ4(kryo), pending: written(t, compress.LZ4(kryo), three...)},
		"not compressed":         {codec: compress.LZ4(kryo), pending: written(t, kryo, three...), refused: true},
		"nulls and nothing":      {codec: kryo, pending: append(written(t, kryo, nil), ""), ready: []string{"", ""}},
		"text":                   {codec: codecs.String(), pending: []string{"订单", "a\tb\n", "{}"}},
		"no text":                {codec: codecs.String(), pending: written(t, kryo, 1, 2.5, map[string]any{"a": 1}), refused: true},
		"bytes are exempt":       {codec: codecs.ByteArray(), pending: written(t, kryo, three...)},
		"only warned":            {codec: kryo, pending: written(t, json, three...), warned: true, declared: []registry.Option{registry.OnForeign(registry.ForeignWarn)}},
		"not looked at":          {codec: kryo, pending: written(t, json, three...), declared: []registry.Option{registry.OnForeign(registry.ForeignIgnore)}},
		"what is long is passed": {codec: kryo, pending: []string{"{" + strings.Repeat("x", 65530), "{" + strings.Repeat("y", 65530), "{" + strings.Repeat("z", 65530)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := "foreign " + name
			client, said := openLogged(t, framework.Config{Redis: framework.RedisConfig{URL: b.server.URL()}})
			javaOffers(t, rdb, queue, c.pending...)
			for _, p := range c.ready {
				rdb.RPush(t.Context(), queue, p)
			}
			offers := offersTo(client, queue, c.codec, c.declared)
			for i, offer := range offers {
				err := offer(t.Context())
				var foreign *fault.ForeignPayloadsError
				if errors.As(err, &foreign) != c.refused || err != nil && !c.refused {
					t.Fatalf("offer %d: %v", i, err)
				}
				if c.refused && (foreign.Foreign < 3 || len(foreign.Samples) != 3 || len(foreign.Samples[0].Head) > 16 ||
					!strings.Contains(err.Error(), "duequeue decode") || !strings.Contains(err.Error(), queue)) {
					t.Errorf("%+v: %v", foreign, err)
				}
			}
			if n := strings.Count(said(), "that its codec cannot read"); (n == 1) != c.warned {
				t.Errorf("%d warnings: %s", n, said())
			}
		})
	}
}

// A payload that the codec reads and writes in another form is foreign, too: Java reads the
// form of its own ObjectMapper alone.
func TestOtherFormsRefuseOffers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	wrapped := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf(`["demo.Order",{"id":%d}]`, i))
		}
		return all
	}
	type plain struct {
		ID int64 `json:"id"`
	}
	type order struct {
		plain
		At string `json:"at"`
	}
	for name, c := range map[string]struct {
		offer           func(client *framework.Client, code string) error
		pending         []string
		refused, warned bool
	}{
		"classes in arrays":       {offerAny(jackson.JsonJackson(), map[string]any{"id": 1}), wrapped(3), true, false},
		"two of them":             {offerAny(jackson.JsonJackson(), map[string]any{"id": 1}), wrapped(2), false, true},
		"by a codec that does so": {offerAny(jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.NonFinal}), map[string]any{"id": 1}), wrapped(3), false, false},
		"by one that names none":  {offerAny(jackson.TypedJsonJackson(), []any{"demo.Order", map[string]any{"id": 1}}), wrapped(3), true, false},
		"more fields than the Go type has": {
			offerAny(jackson.JSON(), plain{1}), []string{`{"id":1,"at":"2024-01-02"}`, `{"id":2,"at":"2024-01-02"}`, `{"id":3,"at":null}`}, false, false,
		},
		"the Go type's own": {offerAny(jackson.JSON(), order{}), []string{`{"at":"a","id":1}`, `{"at":"b","id":2}`, `{"at":"c","id":3}`}, false, false},
		"numbers as texts": {
			offerAny(jackson.JSON(), struct {
				ID lenient `json:"id"`
			}{}), []string{`{"id":"1"}`, `{"id":"2"}`, `{"id":"3"}`}, true, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := "form " + name
			client, said := openLogged(t, framework.Config{Redis: framework.RedisConfig{URL: b.server.URL()}})
			javaOffers(t, b.redis, code, c.pending...)
			err := c.offer(client, code)
			var foreign *fault.ForeignPayloadsError
			if errors.As(err, &foreign) != c.refused || err != nil && !c.refused {
				t.Fatal(err)
			}
			if c.refused && (foreign.Form != 3 || len(foreign.Forms) != 1 || !strings.Contains(err.Error(), "and this program writes")) {
				t.Errorf("%+v: %v", foreign, err)
			}
			if warned := strings.Contains(said(), "of another class or form"); warned != c.warned {
				t.Errorf("warned %v: %s", warned, said())
			}
		})
	}
}

// lenient is a number that also reads a text, and writes a number.
type lenient int64

// UnmarshalJSON reads a number, or a number in quotes.
func (l *lenient) UnmarshalJSON(text []byte) error {
	_, err := fmt.Sscan(strings.Trim(string(text), `"`), (*int64)(l))
	return err
}

// offerAny returns an offer of a value to a queue of its type.
func offerAny[T any](codec codecs.Codec, value T) func(client *framework.Client, code string) error {
	return func(client *framework.Client, code string) error {
		_, err := framework.Bind(client, registry.Define[T](code, "", registry.Codec(codec))).Offer(context.Background(), value, time.Hour)
		return err
	}
}

// offersTo returns an offer of each kind.
func offersTo(client *framework.Client, queue string, codec codecs.Codec, o []registry.Option) []func(context.Context) error {
	opts := append([]registry.Option{registry.Codec(codec)}, o...)
	if codec.Name() == "bytearray" {
		return offersOf(client, registry.Define[[]byte](queue, "", opts...), []byte("x"))
	}
	return offersOf(client, registry.Define[string](queue, "", opts...), "x")
}

func offersOf[T any](client *framework.Client, q *registry.Queue[T], v T) []func(context.Context) error {
	return []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := framework.Bind(client, q).Offer(ctx, v, time.Hour)
			return err
		},
		func(ctx context.Context) error {
			_, err := framework.Bind(client, q).OfferAll(ctx, slices.Values([]framework.Item[T]{{Value: v, Delay: time.Hour}}))
			return err
		},
		func(ctx context.Context) error { return framework.Bind(client, q).Push(ctx, v) },
	}
}

// A service that handles such a queue is told, and goes on: the decode guard protects it.
func TestForeignPayloadsAtStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	client, said := openLogged(t, framework.Config{Redis: framework.RedisConfig{URL: b.server.URL()}})
	javaOffers(t, b.redis, "served", written(t, kryo5.New(), "a", "b", "c")...)
	q := registry.Define[string]("served", "", registry.Codec(jackson.JsonJackson()))
	e := (&bundle{server: b.server, client: client}).run(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })))
	lab.WaitFor(t, "the warning and health", func() bool {
		h := e.Health()
		return strings.Contains(said(), "that its codec cannot read") && h.Ready && strings.Contains(strings.Join(h.Degraded, " "), "jsonjackson")
	})
}

// The doctor is told the codec.
func TestDoctorFindsForeignPayloads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	javaOffers(t, b.redis, "examined", written(t, kryo5.New(), "a", "b", "c")...)
	javaOffers(t, b.redis, "wrapped", `["demo.Order",{"id":1}]`, `["demo.Order",{"id":2}]`, `["demo.Order",{"id":3}]`)
	for _, of := range []struct {
		queue string
		admin.DiagnoseOptions

		want string // the check that finds an error
	}{
		{"examined", admin.DiagnoseOptions{Codec: kryo5.New()}, ""},
		{"examined", admin.DiagnoseOptions{Codec: kryo5.New(), Class: "com.acme.Order"}, "class"},
		{"examined", admin.DiagnoseOptions{Codec: jackson.JsonJackson()}, "codec"},
		{"wrapped", admin.DiagnoseOptions{Codec: jackson.JsonJackson()}, "form"},
	} {
		found, err := admin.Diagnose(t.Context(), b.client, []string{of.queue}, of.DiagnoseOptions)
		got := ""
		for _, f := range found {
			if f.Severity == admin.SeverityError && slices.Contains([]string{"codec", "class", "form"}, f.Check) {
				got += f.Check
			}
		}
		if err != nil || got != of.want {
			t.Errorf("%s by %s: %+v %v", of.queue, of.Codec.Name(), found, err)
		}
	}
}

// slowCodec reads when it is told to.
type slowCodec struct {
	codecs.Codec
	begun, goOn chan struct{}
}

func (c slowCodec) Decode(b []byte) (any, error) {
	c.begun <- struct{}{}
	<-c.goOn
	return c.Codec.Decode(b)
}

// While one offer looks at payloads, and the codec hangs, others wait for the first answer as long as
// their contexts last; later ones go on with the last answer.
func TestOneOfferLooksAtForeignPayloads(t *testing.T) {
	t.Parallel()
	virtually(t, func(t *testing.T, b *bundle) {
		json := jackson.JsonJackson()
		c := slowCodec{json, make(chan struct{}), make(chan struct{})}
		javaOffers(t, b.redis, "slow", written(t, json, "a")...)
		b.redis.RPush(t.Context(), "slow", "{") // so that nothing is settled
		offers := framework.Bind(b.client, registry.Define[string]("slow", "", registry.Codec(c), registry.OnForeign(registry.ForeignWarn)))
		offer := func(within time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			_, err := offers.Offer(ctx, "x", time.Hour)
			return err
		}
		for look, want := range []error{context.DeadlineExceeded, nil} {
			looked := make(chan error)
			go func() { looked <- offer(time.Hour) }()
			<-c.begun
			if err := offer(time.Second); !errors.Is(err, want) {
				t.Errorf("look %d: an offer beside it: %v, want %v", look, err, want)
			}
			rest := make(chan error)
			go func() { rest <- offer(time.Hour) }()
			for {
				select {
				case <-c.begun: // another payload
					continue
				case c.goOn <- struct{}{}:
					continue
				case err := <-looked:
					if err != nil {
						t.Error(err)
					}
				}
				break
			}
			if err := <-rest; err != nil {
				t.Error(err)
			}
			<-time.After(2 * time.Minute)
		}
	})
}

// What Go writes is compared by class with what waits: offers, and the start of an engine whose
// type does not take it, are refused with both names.
func TestOtherClassesRefuseOffersAndStarts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	json := jackson.JsonJackson()
	bean := javaRow(t, "jackson/testdata/4.7.0.tsv", "JsonJacksonCodec", "root", "POJO Item")
	beans := []string{bean, strings.Replace(bean, `"n":1`, `"n":2`, 1), strings.Replace(bean, `"n":1`, `"n":3`, 1)}
	longs, maps := written(t, json, int64(1), int64(2), int64(3)), written(t, json, map[string]any{"a": "x"}, map[string]any{"a": "y"}, map[string]any{"a": "z"})
	const class, hashMap = "demo.Types$Item", "java.util.HashMap"
	otherClasses[item](t, b, "bean", registry.JavaClass[item](class), beans, "", "", true)
	otherClasses[struct {
		Count int32 `java:"n"`
	}](t, b, "forgotten class", nil, beans, class, hashMap, true)
	otherClasses[item](t, b, "misspelt class", registry.JavaClass[item]("demo.Types$Itm"), beans, class, "demo.Types$Itm", false)
	otherClasses[map[string]any](t, b, "map", nil, beans, class, hashMap, true)
	otherClasses[string](t, b, "string", nil, beans, class, "java.lang.String", false)
	otherClasses[int](t, b, "int", nil, longs, "java.lang.Long", "java.lang.Integer", true)
	otherClasses[int64](t, b, "long", nil, longs, "", "", true)
	otherClasses[any](t, b, "any", nil, beans, "", "", true)
	otherClasses[map[string]string](t, b, "maps", nil, maps, "", "", true)
	otherClasses[string](t, b, "by intent", registry.OtherClasses(class), beans, "", "", true)
	otherClasses[string](t, b, "only warned", registry.OnForeign(registry.ForeignWarn), beans, "", "", true)
	otherClasses[string](t, b, "two of them", nil, beans[:2], "", "", true)
}

// otherClasses offers to a queue of T in which payloads wait, and starts an engine. waits and
// writes are the classes that the refusal of an offer names, empty for none.
func otherClasses[T any](t *testing.T, b *bundle, name string, o registry.Option, payloads []string, waits, writes string, starts bool) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		opts := []registry.Option{registry.Codec(jackson.JsonJackson())}
		if o != nil {
			opts = append(opts, o)
		}
		q := registry.Define[T]("class "+name, "", opts...)
		javaOffers(t, b.redis, q.Code(), payloads...)
		var v T
		named := func(err error) bool {
			var foreign *fault.ForeignPayloadsError
			return errors.As(err, &foreign) && foreign.Class == writes && len(foreign.Classes) == 1 && foreign.Classes[0] == waits &&
				strings.Contains(err.Error(), waits) && strings.Contains(err.Error(), writes)
		}
		client, _ := openLogged(t, framework.Config{Redis: framework.RedisConfig{URL: b.server.URL()}})
		if _, err := framework.Bind(client, q).Offer(t.Context(), v, time.Hour); (err != nil) != (waits != "") || err != nil && !named(err) {
			t.Errorf("offer: %v", err)
		}
		e, err := framework.New(client, []framework.Consumer{framework.Consume(q, handlers.Func[T](func(context.Context, *handlers.Delivery[T]) error { return nil }))})
		if err != nil {
			t.Fatal(err)
		}
		err = e.Start(t.Context())
		if (err == nil) != starts || err != nil && !named(err) {
			t.Errorf("start: %v", err)
		}
		if err := e.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// hangingCodec hangs where payloads are read without a Go type.
type hangingCodec struct {
	codecs.Codec

	reads   chan struct{} // gets one for each call
	release chan struct{}
}

func (c hangingCodec) Decode(payload []byte) (any, error) {
	c.reads <- struct{}{}
	<-c.release
	return c.Codec.Decode(payload)
}

// An offer heeds its context while the payloads are looked at, whoever looks.
func TestOffersHeedTheirContextDuringTheLook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	codec := hangingCodec{kryo5.New(), make(chan struct{}, 100), make(chan struct{})}
	q := registry.Define[string]("hanging look", "", registry.Codec(codec))
	queue := framework.Bind(b.client, q)
	javaOffers(t, b.redis, q.Code(), written(t, kryo5.New(), "a")...)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 21)
	for range 21 {
		go func() {
			_, err := queue.Offer(ctx, "x", time.Hour)
			ended <- err
		}()
	}
	<-codec.reads
	cancel()
	for range 21 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("offer: %v", err)
		}
	}
	close(codec.release)
	if _, err := queue.Offer(t.Context(), "x", time.Hour); err != nil {
		t.Error(err)
	}
	if n, err := queue.Counts(t.Context()); err != nil || n.Delayed != 2 {
		t.Errorf("%+v %v", n, err)
	}
}
