package ondead_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/log/embedded"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/ondead"
)

var letter = framework.DeadMessage{
	Queue: "ORDERS", Entry: "1800000000000-0", Reason: "exhausted", Detail: "no answer", Body: []byte("secret"),
	ID: "o1", Digest: "abc", At: time.UnixMilli(1800000000000), Failed: 5,
}

// TestWebhook runs alone: a test server that ends closes the connections of the transport
// that all clients without their own share.
func TestWebhook(t *testing.T) {
	for name, c := range map[string]struct {
		hook    ondead.Hook
		status  int
		payload bool
		err     string
	}{
		"plain":    {status: 204},
		"signed":   {hook: ondead.Hook{Secret: []byte("key")}, status: 200},
		"payload":  {hook: ondead.Hook{Payload: true}, status: 200, payload: true},
		"header":   {hook: ondead.Hook{Header: http.Header{"authorization": {"Bearer x"}}}, status: 200},
		"refused":  {status: 500, err: `webhook: status 500: "busy"`},
		"redirect": {status: 302, err: "webhook: status 302"},
	} {
		t.Run(name, func(t *testing.T) {
			var got *http.Request
			var body []byte
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				if c.status >= 300 {
					fmt.Fprint(w, "busy")
				}
			}))
			defer srv.Close()
			c.hook.URL = srv.URL
			f, err := ondead.Webhook(c.hook)
			if err != nil {
				t.Fatal(err)
			}
			err = f(t.Context(), letter)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)) {
				t.Errorf("got %v, want %q", err, c.err)
			}
			var line map[string]any
			if err := json.Unmarshal(body, &line); err != nil || line["queue"] != "ORDERS" || line["reason"] != "exhausted" || line["entry"] != letter.Entry {
				t.Errorf("%s: %v", body, err)
			}
			if (line["payload"] != nil) != c.payload {
				t.Errorf("payload: %v", line["payload"])
			}
			if got.Header.Get("Idempotency-Key") != "ORDERS/1800000000000-0" {
				t.Errorf("headers %v", got.Header)
			}
			if c.hook.Header != nil && got.Header.Get("Authorization") != "Bearer x" {
				t.Errorf("headers %v", got.Header)
			}
			sum := hmac.New(sha256.New, c.hook.Secret)
			sum.Write(body)
			want := ""
			if c.hook.Secret != nil {
				want = "sha256=" + hex.EncodeToString(sum.Sum(nil))
			}
			if got.Header.Get("Duequeue-Signature") != want {
				t.Errorf("signature %q, want %q", got.Header.Get("Duequeue-Signature"), want)
			}
		})
	}
}

func TestWebhookTellsNoURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "hooks.example.com/token", "ftp://token@host", "http://", "http://a b/token"} {
		if _, err := ondead.Webhook(ondead.Hook{URL: url}); err == nil || strings.Contains(err.Error(), "token") {
			t.Errorf("%q: %v", url, err)
		}
	}
	srv := httptest.NewServer(nil)
	srv.Close()
	f, err := ondead.Webhook(ondead.Hook{URL: srv.URL + "/token"})
	if err != nil {
		t.Fatal(err)
	}
	if err := f(t.Context(), letter); err == nil || strings.Contains(err.Error(), "token") {
		t.Errorf("nobody listens: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f(ctx, letter); err == nil {
		t.Error("its context has ended")
	}
}

func TestEvent(t *testing.T) {
	t.Parallel()
	rec := &recorder{}
	if err := ondead.Event(provider{logger: rec})(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	if len(rec.records) != 1 {
		t.Fatalf("%d events", len(rec.records))
	}
	r := rec.records[0]
	var text strings.Builder
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		fmt.Fprintf(&text, "%s=%s ", kv.Key, kv.Value.String())
		return true
	})
	const want = "messaging.system=redisson messaging.destination.name=ORDERS messaging.redisson.reason=exhausted " +
		"messaging.redisson.dead.entry=1800000000000-0 messaging.redisson.message.digest=abc " +
		"messaging.redisson.message.delivery_attempt=5 messaging.redisson.message.redriven=0 messaging.message.id=o1 "
	if r.EventName() != "messaging.redisson.dead_letter" || r.Severity() != log.SeverityError || r.Body().AsString() != letter.Detail || text.String() != want {
		t.Errorf("%s %v %v %s", r.EventName(), r.Severity(), r.Body(), text.String())
	}
}

// provider has one logger.
type provider struct {
	embedded.LoggerProvider

	logger *recorder
}

func (p provider) Logger(string, ...log.LoggerOption) log.Logger { return p.logger }

// recorder keeps what is emitted.
type recorder struct {
	embedded.Logger

	records []log.Record
}

func (r *recorder) Emit(_ context.Context, record log.Record)           { r.records = append(r.records, record) }
func (r *recorder) Enabled(context.Context, log.EnabledParameters) bool { return true }
