// Command 01-order-timeout is the order system that delayed queues live on:
// an unpaid order is cancelled, an unreviewed one gets a default review.
//
//	go run ./examples/01-order-timeout -demo   # make demo: two orders, then it ends
//	go run ./examples/01-order-timeout         # serves until Ctrl-C, on an embedded Redis
//	go run ./examples/01-order-timeout -redis redis://localhost:6379
//
// Offer two orders with: curl -X POST localhost:8080/orders, or GET /addQueue as in the
// Java services. Java services on the same Redis share the queues.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/handlers"
)

type settings struct {
	redis, addr     string
	payment, notice time.Duration
	praise          time.Duration
	demo            bool // offer two orders, and end when both are handled
}

func main() {
	var s settings
	flag.StringVar(&s.redis, "redis", "embedded", "Redis URL; \"embedded\" needs no server")
	flag.StringVar(&s.addr, "addr", "127.0.0.1:8080", "address of the HTTP endpoint")
	flag.DurationVar(&s.payment, "payment-timeout", 2*time.Second, "delay of ORDER_PAYMENT_TIMEOUT (30m in real life)")
	flag.DurationVar(&s.notice, "cancel-notice", time.Second, "delay of ORDER_CANCEL_NOTICE, which the handler of ORDER_PAYMENT_TIMEOUT offers")
	flag.DurationVar(&s.praise, "review-timeout", 4*time.Second, "delay of ORDER_TIMEOUT_NOT_EVALUATED (7 days in real life)")
	flag.BoolVar(&s.demo, "demo", false, "offer two orders, and end when both are handled")
	flag.Parse()
	fx.New(app(s)).Run() // exits with the code of the demo where that failed
	if s.demo {
		fmt.Printf("Order 100 was not paid within %v, so it was cancelled, and the customer was told. Order 200 had no review after %v, so it got a good one.\n"+
			"Next: go run ./examples/01-order-timeout keeps serving (curl -X POST localhost:8080/orders offers two orders); go run ./examples/11-console shows the console.\n",
			s.payment, s.praise)
	}
}

func app(s settings) fx.Option {
	opts := []fx.Option{
		framework.Module,
		fx.StopTimeout(90 * time.Second), // above the handlers' timeout, so that a deploy lets them finish
		fx.Supply(s, framework.Config{Redis: framework.RedisConfig{URL: s.redis}}),
		fx.Provide(func() *slog.Logger { return slog.New(slog.NewTextHandler(os.Stdout, nil)) }, NewOrders, NewReviews),
		fx.WithLogger(func(l *slog.Logger) fxevent.Logger {
			fl := &fxevent.SlogLogger{Logger: l}
			fl.UseLogLevel(slog.LevelDebug)
			return fl
		}),

		framework.Handle(PaymentTimeout, NewCancelUnpaid, framework.Workers(8)),
		framework.Handle(CancelNotice, NewTellCustomer),
		framework.Handle(NotEvaluated, NewPraiseByDefault),
		framework.HandleFunc(NotAccepted, func(ctx context.Context, d *handlers.Delivery[Order]) error {
			slog.InfoContext(ctx, "merchant did not accept: order cancelled", "order", d.Payload.OrderID)
			return nil
		}),
		framework.HandleFunc(DeliveryTimeout, func(ctx context.Context, d *handlers.Delivery[Order]) error {
			slog.InfoContext(ctx, "delivery is late: text message sent", "order", d.Payload.OrderID)
			return nil
		}),
	}
	if s.demo {
		opts = append(opts, fx.Invoke(demo))
	} else {
		opts = append(opts, fx.Invoke(serveHTTP))
	}
	if s.redis == "embedded" {
		opts = append(opts, embedded.Module)
	}
	return fx.Options(opts...)
}

// addOrders offers two messages, as the Java services do.
func addOrders(ctx context.Context, c *framework.Client, s settings) ([]framework.ID, error) {
	unpaid, err := framework.Bind(c, PaymentTimeout).Offer(ctx, Order{OrderID: "100", Remark: "其他信息"}, s.payment)
	if err != nil {
		return nil, err
	}
	praise, err := framework.Bind(c, NotEvaluated).Offer(ctx, Order{OrderID: "200", Remark: "其他信息"}, s.praise)
	return []framework.ID{unpaid.ID, praise.ID}, err
}

// demo offers two orders and stops the application when both are handled.
func demo(lc fx.Lifecycle, stop fx.Shutdowner, c *framework.Client, s settings, orders *Orders, reviews *Reviews, log *slog.Logger) {
	lc.Append(fx.StartHook(func(ctx context.Context) error {
		if _, err := addOrders(ctx, c, s); err != nil {
			return err
		}
		log.Info("offered two orders", "unpaid_after", s.payment, "not_reviewed_after", s.praise)
		go func() {
			giveUp := time.After(time.Minute)
			for _, changed := range []<-chan string{orders.told, reviews.written} {
				select {
				case <-changed:
				case <-giveUp:
					log.Error("the handlers did not run within a minute")
					_ = stop.Shutdown(fx.ExitCode(1))
					return
				}
			}
			_ = stop.Shutdown()
		}()
		return nil
	}))
}

func serveHTTP(lc fx.Lifecycle, c *framework.Client, e *framework.Engine, s settings, log *slog.Logger) {
	offer := func(w http.ResponseWriter, r *http.Request) {
		ids, err := addOrders(r.Context(), c, s)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "offered %s due in %v and %s due in %v\n", ids[0], s.payment, ids[1], s.praise)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", offer)
	mux.HandleFunc("GET /addQueue", offer)
	mux.Handle("/health/", http.StripPrefix("/health", e.HealthHandler()))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}

	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.addr)
			if err != nil {
				return err
			}
			go func() { _ = srv.Serve(ln) }() // ends with Shutdown below
			log.Info("listening: POST /orders, GET /addQueue, GET /health/readyz; Ctrl-C stops", "addr", ln.Addr().String())
			return nil
		},
		OnStop: srv.Shutdown,
	})
}
