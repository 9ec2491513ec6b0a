package framework_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// secretError has words of a message in its text, and in all that fmt prints of it.
type secretError struct{ Of string }

func (e *secretError) Error() string { return "no customer is called " + e.Of }

// Pages of health have no login: nothing of a message and no word of a handler's error is on them,
// whatever trouble there is. The log has both.
func TestHealthShowsNoTextsOfMessagesAndHandlers(t *testing.T) {
	t.Parallel()
	const name, card = "Grete Maier", "4111111111111109"
	breaker := framework.Breaker(framework.BreakerConfig{Failures: 2, OpenFor: time.Minute, MaxOpenFor: time.Minute})
	failing := func(err error) handlers.Func[string] {
		return func(context.Context, *handlers.Delivery[string]) error { return err }
	}
	text := codecs.String()
	var free atomic.Bool // ends what hangs
	for what, c := range map[string]struct {
		codec  codecs.Codec
		handle handlers.Func[string]
		opts   []framework.ConsumeOption
		wait   time.Duration
		says   string // on the page
	}{
		"an open breaker":    {text, failing(errors.New("no customer is called " + name)), []framework.ConsumeOption{breaker}, time.Second, "*errors.errorString"},
		"an error of a type": {text, failing(&secretError{name}), []framework.ConsumeOption{breaker}, time.Second, "*framework_test.secretError"},
		"wrapped and joined": {text, failing(fmt.Errorf("%s: %w", name, errors.Join(&secretError{card}, context.DeadlineExceeded))), []framework.ConsumeOption{breaker}, time.Second, "secretError"},
		"a probing breaker": {text, func(ctx context.Context, d *handlers.Delivery[string]) error {
			if d.Attempt() > 1 {
				<-ctx.Done()
			}
			return &secretError{name}
		}, []framework.ConsumeOption{breaker}, 65 * time.Second, "secretError"},
		"panics": {text, func(context.Context, *handlers.Delivery[string]) error { panic(name + card) }, []framework.ConsumeOption{breaker}, time.Second, "PanicError"},
		"handlers that hang": {text, func(context.Context, *handlers.Delivery[string]) error {
			for !free.Load() {
				<-time.After(time.Second)
			}
			return nil
		}, []framework.ConsumeOption{framework.Workers(8)}, 2 * time.Minute, "hung"},
		"undecodable by kryo": {kryo5.New(), failing(nil), nil, time.Second, "bytes that begin with 0x"},
		"undecodable by json": {jackson.JsonJackson(), failing(nil), nil, time.Second, "bytes that begin with 0x"},
		"undecodable by long": {codecs.Long(), failing(nil), nil, 2 * time.Minute, "bytes that begin with 0x"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			book := newLogbook(t)
			frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
				q := registry.Define[string]("SECRETS", "", registry.Codec(c.codec), registry.Timeout(time.Second), registry.MaxAttempts(1))
				if c.codec.Name() == "long" {
					frameworktest.HandleFunc(k, registry.Define[int64]("SECRETS", "", registry.Codec(c.codec)), func(context.Context, *handlers.Delivery[int64]) error { return nil }, c.opts...)
				} else {
					frameworktest.Handle(k, q, c.handle, c.opts...)
				}
				var payloads []string
				for i := range 20 {
					payloads = append(payloads, fmt.Sprintf("%s %s%d", name, card, i))
				}
				for i := range 20 { // a whole card number, as short as the beginning that the log shows
					payloads = append(payloads, card[:14]+fmt.Sprintf("%02d", i))
				}
				for _, p := range payloads {
					k.OfferBytes(q, []byte(p), 0)
				}
				k.Advance(c.wait)
				for _, path := range []string{"/livez", "/readyz"} {
					w := httptest.NewRecorder()
					health.Handler(k.Engine().Health).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
					page := w.Body.String()
					for _, secret := range []string{"Grete", "Maier", "customer", "called", "4111", fmt.Sprintf("%x", "Gret"), fmt.Sprintf("%x", "4111")} {
						if strings.Contains(page, secret) {
							t.Errorf("%s shows %q: %s", path, secret, page)
						}
					}
					for _, p := range payloads {
						if strings.Contains(page, wire.Digest([]byte(p))) {
							t.Errorf("%s shows the digest of a payload: %s", path, page)
						}
					}
					if !strings.Contains(page, c.says) {
						t.Errorf("%s lacks %q: %s", path, c.says, page)
					}
				}
				if c.says == "hung" {
					free.Store(true)
					k.Advance(time.Minute)
				}
			}, framework.WithLogger(book.logger()), framework.ExplainPayloads(sniff.Explain))
			said := ""
			for _, l := range book.with("") {
				said += fmt.Sprintln(l.message, l.attrs)
			}
			if what != "handlers that hang" && !strings.Contains(said, name) && !strings.Contains(said, "4111") {
				t.Errorf("the log has no word of it: %s", said)
			}
		})
	}
}
