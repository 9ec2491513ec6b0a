package registry_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/registry"
)

func TestDefineDefaults(t *testing.T) {
	t.Parallel()
	q := registry.Define[Order]("ORDER_PAYMENT_TIMEOUT", "unpaid: cancel", registry.Codec(fake))
	if err := q.Err(); err != nil {
		t.Fatal(err)
	}
	p := q.Policy()
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"code", q.Code(), "ORDER_PAYMENT_TIMEOUT"},
		{"title", q.Title(), "unpaid: cancel"},
		{"key", q.Key(), "ORDER_PAYMENT_TIMEOUT"},
		{"policy's key", p.Key, "ORDER_PAYMENT_TIMEOUT"},
		{"type", q.Type(), reflect.TypeFor[Order]()},
		{"codec", p.Codec, codecs.Codec(fake)},
		{"codec bound", q.Typed().Codec(), codecs.Codec(fake)},
		{"payload", p.MaxPayload, 1 << 20},
		{"attempts", p.MaxAttempts, 20},
		{"backoff", fmt.Sprint(p.Backoff), "Exponential(1s, 12h0m0s)\n" + registry.Retries(p.Backoff, registry.DefaultMaxAttempts)},
		{"timeout", p.Timeout, time.Minute},
		{"grace", p.Grace, 10 * time.Second},
		{"trace in band", p.TraceInBand, false},
		{"due tracking", p.DueTracking, true},
		{"child within", p.ChildWithin, time.Duration(0)},
		{"view", p.View, registry.ViewExact},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		})
	}
}

func TestDefaultCodecIsSharedKryo5(t *testing.T) {
	t.Parallel()
	a := registry.Define[map[string]any]("A", "")
	b := registry.Define[string]("B", "")
	if err := registry.Validate(a, b); err != nil {
		t.Fatal(err)
	}
	if got := a.Policy().Codec; got.Name() != "kryo5" || got != b.Policy().Codec {
		t.Errorf("codecs %v and %v", got, b.Policy().Codec)
	}
	if payload, err := b.Encode("100"); err != nil || string(payload) != "\x03\x31\x30\xb0" {
		t.Errorf("encoded %q, %v", payload, err)
	}
}

func TestDefineWithEverything(t *testing.T) {
	t.Parallel()
	var bound map[reflect.Type]string
	codec := &fakeCodec{classes: &bound}
	opts := []registry.Option{
		registry.Codec(codec), registry.Key("order:timeout"), registry.MaxPayload(10), registry.MaxAttempts(registry.Unlimited),
		registry.Backoff(registry.Steps(time.Second, time.Hour)), registry.Timeout(time.Hour), registry.Grace(0),
		registry.TraceInBand(), registry.DueTracking(false), registry.ChildWithin(5 * time.Minute),
		registry.View(registry.ViewOff), registry.JavaClass[Money]("com.example.Money"), registry.JavaClass[*Item]("com.example.Order$Item"),
		registry.CallerSkip(0),
	}
	q := registry.Define[map[string]any]("A", "", opts...)
	if err := q.Err(); err != nil {
		t.Fatal(err)
	}
	p := q.Policy()
	if q.Title() != "A" || q.Key() != "order:timeout" || p.MaxPayload != 10 || p.MaxAttempts != math.MaxInt32 ||
		p.Backoff.Delay(9, 0) != time.Hour || p.Timeout != time.Hour || p.Grace != 0 ||
		!p.TraceInBand || p.DueTracking || p.ChildWithin != 5*time.Minute || p.View != registry.ViewOff {
		t.Errorf("got %+v", p)
	}
	want := map[reflect.Type]string{
		reflect.TypeFor[Money](): "com.example.Money", reflect.TypeFor[Item](): "com.example.Order$Item",
	}
	if !reflect.DeepEqual(bound, want) {
		t.Errorf("classes given to the codec: %v", bound)
	}
	if p.JavaClass(reflect.TypeFor[Money]()) != "com.example.Money" || p.JavaClass(reflect.TypeFor[Order]()) != "" {
		t.Error("the policy does not know the classes")
	}

	texts := []string{
		`Codec(fake)`, `Key("order:timeout")`, `MaxPayload(10)`, `MaxAttempts(2147483647)`,
		`Backoff(Steps(1s, 1h0m0s))`, `Timeout(1h0m0s)`, `Grace(0s)`, `TraceInBand()`, `DueTracking(false)`, `ChildWithin(5m0s)`, `View(ViewOff)`,
		`JavaClass[registry_test.Money]("com.example.Money")`, `JavaClass[*registry_test.Item]("com.example.Order$Item")`,
		`CallerSkip(0)`,
	}
	for i, o := range opts {
		if o.String() != texts[i] {
			t.Errorf("option %d says %s, want %s", i, o, texts[i])
		}
	}
}

func TestPayloadLimitFollowsTheCodec(t *testing.T) {
	t.Parallel()
	small := &fakeCodec{limits: codecs.Limits{Bytes: 1000}}
	for name, c := range map[string]struct {
		opts []registry.Option
		want int
	}{
		"neither is small":  {[]registry.Option{registry.Codec(fake)}, registry.DefaultMaxPayload},
		"small codec":       {[]registry.Option{registry.Codec(small)}, 1000},
		"smaller by option": {[]registry.Option{registry.MaxPayload(999), registry.Codec(small)}, 999},
		"the same":          {[]registry.Option{registry.MaxPayload(1000), registry.Codec(small)}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			q := registry.Define[string]("A", "", c.opts...)
			if got := q.Policy().MaxPayload; got != c.want || q.Err() != nil {
				t.Errorf("got %d, want %d; %v", got, c.want, q.Err())
			}
		})
	}
}

func TestPolicyIsFrozen(t *testing.T) {
	t.Parallel()
	delays := []time.Duration{time.Second}
	q := registry.Define[string]("A", "", registry.Codec(fake), registry.Backoff(registry.Steps(delays...)))
	delays[0] = time.Hour
	change := func(p *registry.Policy) { p.MaxAttempts, p.Key = 99, "other" }
	p := q.Policy()
	change(&p)
	if got := q.Policy(); got.MaxAttempts != 20 || got.Key != "A" || got.Backoff.Delay(1, 0) != time.Second {
		t.Errorf("the policy changed: %+v", got)
	}
}

func TestRetryDelay(t *testing.T) {
	t.Parallel()
	p := registry.Define[string]("A", "", registry.Codec(fake)).Policy()
	for range 1000 {
		if d := p.RetryDelay(3); d < 0 || d >= 4*time.Second {
			t.Fatalf("delay %v after the third attempt", d)
		}
	}
	p.Backoff = registry.ScheduleFunc(func(int, float64) time.Duration { return -1 })
	if d := p.RetryDelay(1); d != 0 {
		t.Errorf("a negative delay came through: %v", d)
	}
}

// here returns "file:line" of the line that calls it, and of n lines below.
func here(below int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, line+below)
}

func defineByWrapper[T any](code string) *registry.Queue[T] {
	return registry.Define[T](code, "", registry.Codec(fake), registry.CallerSkip(1))
}

var packageLevel, packageLevelAt = registry.Define[Order]("A", "", registry.Codec(fake)), here(0)

func TestDeclared(t *testing.T) {
	t.Parallel()
	direct, directAt := registry.Define[Order]("A", "", registry.Codec(fake)), here(0)
	wrapped, wrappedAt := defineByWrapper[string]("A"), here(0)
	asValue := registry.Define[int64]
	value, valueAt := asValue("A", ""), here(0)
	far := registry.Define[string]("A", "", registry.CallerSkip(1000))

	for name, c := range map[string]struct{ got, want string }{
		"package level":    {packageLevel.Declared(), packageLevelAt},
		"in a function":    {direct.Declared(), directAt},
		"by a wrapper":     {wrapped.Declared(), wrappedAt},
		"function value":   {value.Declared(), valueAt},
		"skipped too much": {far.Declared(), "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("declared at %s, want %s", c.got, c.want)
			}
		})
	}
	if !filepath.IsAbs(direct.Declared()) && !strings.HasPrefix(direct.Declared(), "github.com/") {
		t.Errorf("the place %s cannot be opened", direct.Declared())
	}
}

func TestEncodeAndDecode(t *testing.T) {
	t.Parallel()
	q := registry.Define[Order]("ORDER", "", registry.Codec(fake), registry.MaxPayload(30))
	payload, err := q.Encode(Order{ID: "100"})
	if err != nil || string(payload) != `{"ID":"100","Items":null}` {
		t.Fatalf("encoded %s, %v", payload, err)
	}
	if got, err := q.Decode(payload); err != nil || got.ID != "100" {
		t.Errorf("decoded %v, %v", got, err)
	}
	var de *codecs.DecodeError
	if _, err = q.Decode([]byte("{")); !errors.As(err, &de) {
		t.Errorf("bad bytes: %v", err)
	}

	var size *registry.SizeError
	_, err = q.Encode(Order{ID: strings.Repeat("9", 30)})
	if !errors.As(err, &size) || size.Code != "ORDER" || size.Size != 52 || size.Limit != 30 {
		t.Errorf("encode too much: %v", err)
	}
	if size.ErrorType() != "oversized" || !size.Permanent() || !strings.Contains(size.Error(), "registry.MaxPayload") {
		t.Errorf("%v", size)
	}
	if _, err = q.Decode(make([]byte, 31)); !errors.As(err, &size) || size.Size != 31 {
		t.Errorf("decode too much: %v", err)
	}

	var ee *codecs.EncodeError
	channels := registry.Define[chan int]("C", "", registry.Codec(fake))
	if _, err = channels.Encode(nil); !errors.As(err, &ee) {
		t.Errorf("not encodable: %v", err)
	}
}

func TestQueueWithMistakesIsSafeToUse(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]*registry.Queue[Order]{
		"never defined": {},
		"no codec":      registry.Define[Order]("A", "", registry.Codec(nil)),
		"bad name":      registry.Define[Order]("", "", registry.Codec(fake)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := q.Err()
			if want == nil {
				t.Fatal("no error")
			}
			if _, err := q.Encode(Order{}); err == nil || err.Error() != want.Error() {
				t.Errorf("encode: %v", err)
			}
			if _, err := q.Decode(nil); err == nil || err.Error() != want.Error() {
				t.Errorf("decode: %v", err)
			}
			_, _, _, _ = q.Code(), q.Title(), q.Key(), q.Policy()
		})
	}
}

func TestTraceInBandNeedsRoom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		define func(code, title string, opts ...registry.Option) error
		ok     bool
	}{
		"any":            {err[any], true},
		"map of any":     {err[map[string]any], true},
		"map of strings": {err[map[string]string], true},
		"map of numbers": {err[map[string]int64], false},
		"map by number":  {err[map[int64]any], false},
		"java map":       {err[*java.Map], true},
		"struct":         {err[Traced], true},
		"java bean":      {err[*java.Object], true},
		"java list":      {err[*java.List], false},
		"named map":      {err[namedMap], false},
		"pointer":        {err[*Traced], true},
		"two pointers":   {err[**Traced], false},
		"tag": {err[struct {
			TP string `java:"traceparent"`
		}], true},
		"struct without": {err[Order], false},
		"field of a number": {err[struct {
			TP int64 `java:"traceparent"`
		}], false},
		"string": {err[string], false},
		"list":   {err[[]any], false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.define("A", "", registry.Codec(fake), registry.TraceInBand())
			if (err == nil) != c.ok {
				t.Errorf("got %v, want no error: %v", err, c.ok)
			}
			var oe *registry.OptionError
			if err != nil && (!errors.As(err, &oe) || oe.Option != "TraceInBand()") {
				t.Errorf("got %v, want an error of TraceInBand", err)
			}
		})
	}
}

// namedMap is not among the maps that are recognised.
type namedMap map[string]any

// err defines a queue and returns its mistakes.
func err[T any](code, title string, opts ...registry.Option) error {
	return registry.Define[T](code, title, opts...).Err()
}
