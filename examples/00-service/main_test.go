package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/frameworktest"
)

// The handlers as main wires them, in virtual time: half an hour passes at once.
func TestUnpaidOrderIsCancelled(t *testing.T) {
	var shop *Shop
	options := fx.Options(service(), fx.Supply(slog.New(slog.DiscardHandler)), fx.Populate(&shop))
	frameworktest.RunModule(t, options, func(t *testing.T, k *frameworktest.Kit) {
		for _, id := range []string{"100", "200"} {
			if _, err := shop.Order(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		k.Advance(29 * time.Minute)
		if err := shop.Pay(t.Context(), "200"); err != nil {
			t.Fatal(err)
		}
		k.RequireHandled(PaymentTimeout, 0)
		k.Advance(time.Minute)
		k.RequireHandled(PaymentTimeout, 1)
		k.RequireHandled(CancelNotice, 0)
		k.Advance(time.Minute)
		k.RequireHandled(CancelNotice, 1)
		if err := shop.Pay(t.Context(), "100"); !errors.Is(err, errTooLate) {
			t.Errorf("a late payment: %v", err)
		}
	})
}

// The program itself, on an embedded Redis.
func TestTheServiceServes(t *testing.T) {
	t.Setenv("DUEQUEUE_REDIS_URL", framework.EmbeddedURL)
	var shop *Shop
	var e *framework.Engine
	var m metricsPage
	app := fxtest.New(t, service(), edge("service.yaml", "127.0.0.1:0"), embedded.Module, fx.Populate(&shop, &e, &m))
	app.RequireStart()
	defer app.RequireStop()
	srv := httptest.NewServer(routes(shop, e.HealthHandler(), m.page))
	defer srv.Close()
	ask := func(method, path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	for _, c := range []struct {
		method, path string
		code         int
		has          string
	}{
		{http.MethodPost, "/orders?id=100", 200, "message "},
		{http.MethodPost, "/orders", 400, "needs an id"},
		{http.MethodPost, "/payments?id=100", 204, ""},
		{http.MethodPost, "/payments?id=100", 409, "cancelled"},
		{http.MethodGet, "/readyz", 200, `"ready":true`},
		{http.MethodGet, "/livez", 200, ""},
		{http.MethodGet, "/metrics", 200, "messaging_client_sent_messages"},
	} {
		if code, body := ask(c.method, c.path); code != c.code || !strings.Contains(body, c.has) {
			t.Errorf("%s %s: %d %s", c.method, c.path, code, body)
		}
	}
}
