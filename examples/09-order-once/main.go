// Command 09-order-once is a whole order service in which nothing is lost between the database
// and Redis, and nothing takes place twice:
//
//   - an order and the message of its timeout are written in one transaction (outbox.Offer),
//   - a payment and the end of the timeout too (outbox.Cancel),
//   - a relay sends what is committed to Redis,
//   - the handler cancels an unpaid order in a transaction that also records that it did
//     (once.In), however often the message comes.
//
// Without arguments it needs no server: SQLite and an embedded Redis; it takes five orders over
// HTTP, pays two, and tells what became of them:
//
//	go -C examples/09-order-once run .
//
// As a service, on real servers (a table "orders" is made in the database):
//
//	go -C examples/09-order-once run . -serve -pg postgres://localhost/shop -redis redis://localhost:6379
//	curl -X POST localhost:8080/orders/A-1
//	curl -X POST localhost:8080/orders/A-1/payment
//	curl localhost:8080/orders/A-1
//
// With -relay it is a relay and nothing else, beside services that have none.
//
// It is a module of its own, so that its drivers are not in the module of duequeue.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// settings are those of the command line.
type settings struct {
	listen, redis, pg, file string
	payment                 time.Duration
	serve, relay            bool
}

func main() {
	var s settings
	flag.StringVar(&s.listen, "listen", "localhost:8080", "address of the service")
	flag.StringVar(&s.redis, "redis", "embedded", "URL of Redis")
	flag.StringVar(&s.pg, "pg", "", "DSN of PostgreSQL; without it, SQLite")
	flag.StringVar(&s.file, "db", "", "file of SQLite; without it, one that is deleted at the end")
	flag.DurationVar(&s.payment, "payment", 2*time.Second, "how long a customer has to pay")
	flag.BoolVar(&s.serve, "serve", false, "serve until a signal comes")
	flag.BoolVar(&s.relay, "relay", false, "only send what is in the outbox, until a signal comes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, s); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, s settings) (err error) {
	if s.file == "" && s.pg == "" {
		dir, failed := os.MkdirTemp("", "order-once-")
		if failed != nil {
			return failed
		}
		defer func() { _ = os.RemoveAll(dir) }()
		s.file = filepath.Join(dir, "shop.db")
	}
	shop, err := open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shop.close()) }()
	if s.relay {
		fmt.Fprintln(out, "the relay runs")
		<-ctx.Done()
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: shop.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Shutdown(context.WithoutCancel(ctx)) }()
	fmt.Fprintf(out, "serves http://%s\n", listener.Addr())
	if s.serve {
		<-ctx.Done()
		return nil
	}
	return demo(ctx, out, "http://"+listener.Addr().String(), s.payment)
}
