// Command 00-service is a whole small service, to copy from: its configuration comes from a file
// and the environment, its handler offers the next message, and it has HTTP, health, metrics,
// traced logs and a test in virtual time.
//
//	DUEQUEUE_REDIS_URL=redis://localhost:6379 go run ./examples/00-service -config examples/00-service/service.yaml
//	curl -X POST 'localhost:8080/orders?id=100'
//	curl localhost:8080/readyz localhost:8080/metrics
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"go.opentelemetry.io/otel/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/metrics"
	"github.com/duequeue/duequeue/framework/tracing"
)

func main() {
	file := flag.String("config", "", "YAML file whose section duequeue has the settings; variables DUEQUEUE_… override it")
	listen := flag.String("listen", "127.0.0.1:8080", "address of the HTTP server")
	flag.Parse()
	fx.New(service(), edge(*file, *listen)).Run()
}

// service is what the test runs too: the queues and their handlers.
func service() fx.Option {
	return fx.Options(
		fx.Provide(NewShop),
		framework.Handle(PaymentTimeout, NewCancelUnpaid, framework.Workers(8)),
		framework.Handle(CancelNotice, NewTellCustomer),
	)
}

// edge is what reaches outside: Redis, the configuration, HTTP, telemetry.
func edge(file, listen string) fx.Option {
	return fx.Options(
		framework.Module,
		fx.StopTimeout(40*time.Second), // handlers have 0.8 of it, see registry.Timeout in queues.go
		fx.Provide(
			func() (framework.Config, error) {
				if file == "" {
					return framework.LoadConfig("") // the environment alone
				}
				return framework.LoadConfig(file, framework.Section("duequeue"))
			},
			newLogger, newTracer, newMetrics,
		),
		fx.WithLogger(func(l *slog.Logger) fxevent.Logger {
			fl := &fxevent.SlogLogger{Logger: l}
			fl.UseLogLevel(slog.LevelDebug)
			return fl
		}),
		fx.Invoke(func(lc fx.Lifecycle, shop *Shop, e *framework.Engine, m metricsPage, log *slog.Logger) {
			serve(lc, listen, routes(shop, e.HealthHandler(), m.page), log)
		}),
	)
}

// newLogger adds trace and span to the lines that handlers write.
func newLogger() *slog.Logger {
	log := slog.New(tracing.LogHandler(slog.NewJSONHandler(os.Stdout, nil)))
	slog.SetDefault(log)
	return log
}

// newTracer samples a tenth of the offers, and each handling as its offer was. Add the exporter of
// your collector by sdktrace.WithBatcher.
func newTracer(lc fx.Lifecycle) trace.TracerProvider {
	provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(tracing.LinkAware(sdktrace.TraceIDRatioBased(0.1))))
	lc.Append(fx.StopHook(provider.Shutdown))
	return provider
}

type metricsPage struct{ page http.Handler }

func newMetrics(lc fx.Lifecycle) (metricsPage, metric.MeterProvider, error) {
	page, meters, err := metrics.Handler()
	if err != nil {
		return metricsPage{}, nil, err
	}
	lc.Append(fx.StopHook(meters.Shutdown))
	return metricsPage{page}, meters, nil
}

// routes has /readyz, /livez and /metrics where the manifests of examples/20-deploy look for them.
func routes(shop *Shop, health, page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /readyz", health)
	mux.Handle("GET /livez", health)
	mux.Handle("GET /metrics", page)
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		id, err := shop.Order(r.Context(), r.FormValue("id"))
		switch {
		case errors.Is(err, errNoOrder):
			http.Error(w, err.Error(), http.StatusBadRequest)
		case err != nil:
			slog.ErrorContext(r.Context(), "the order's timeout was not offered", "err", err)
			http.Error(w, "try again", http.StatusServiceUnavailable)
		default:
			_, _ = fmt.Fprintf(w, "message %s\n", id)
		}
	})
	mux.HandleFunc("POST /payments", func(w http.ResponseWriter, r *http.Request) {
		switch err := shop.Pay(r.Context(), r.FormValue("id")); {
		case errors.Is(err, errTooLate):
			http.Error(w, err.Error(), http.StatusConflict)
		case err != nil:
			slog.ErrorContext(r.Context(), "the order's timeout was not cancelled", "err", err)
			http.Error(w, "try again", http.StatusServiceUnavailable)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	return mux
}

func serve(lc fx.Lifecycle, addr string, handler http.Handler, log *slog.Logger) {
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
			if err != nil {
				return err
			}
			go func() { _ = srv.Serve(ln) }() // ends with Shutdown
			log.InfoContext(ctx, "listening", "addr", ln.Addr().String())
			return nil
		},
		OnStop: srv.Shutdown,
	})
}
