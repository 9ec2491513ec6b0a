// Command 10-tls-acl connects over TLS, with a client certificate, as a Redis user who may
// do nothing but what its queue needs. An administrator makes the user "orders" by the line
// that this prints:
//
//	duequeue acl ORDER_PAYMENT_TIMEOUT
//
// Where to connect, the password and the paths come from the environment:
//
//	export DUEQUEUE_REDIS_URL=rediss://redis.example.com:6380
//	export DUEQUEUE_REDIS_USERNAME=orders DUEQUEUE_REDIS_PASSWORD='from a secret store'
//	export DUEQUEUE_REDIS_TLS_CA_FILE=ca.crt # who signed the server's certificate
//	export DUEQUEUE_REDIS_TLS_CERT_FILE=client.crt DUEQUEUE_REDIS_TLS_KEY_FILE=client.key # who we are
//	export DUEQUEUE_REDIS_TLS_SERVER_NAME=redis.internal # where the certificate has another name than the URL
//	go run ./examples/10-tls-acl
package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// PaymentTimeout is the queue that the user may use, Refunds one that it may not.
var (
	PaymentTimeout = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel")
	Refunds        = registry.Define[string]("REFUNDS", "of another team")
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatalf("%s: %v", advice(err), err)
	}
}

// run offers and handles as the user.
func run(ctx context.Context, out io.Writer) error {
	cfg, err := framework.LoadConfig("") // the environment alone
	if err != nil {
		return err
	}
	client, err := framework.Open(ctx, cfg, framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	handled := make(chan string, 1)
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(PaymentTimeout, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
			handled <- d.Payload
			return nil
		})),
	})
	if err != nil {
		return err
	}
	if err = engine.Start(ctx); err != nil {
		return err
	}
	if _, err = framework.Bind(client, PaymentTimeout).Offer(ctx, "order A-1", 10*time.Millisecond); err != nil {
		return err
	}
	fmt.Fprintln(out, "handled over TLS:", <-handled)
	_, err = framework.Bind(client, Refunds).Offer(ctx, "order A-1", 0)
	fmt.Fprintln(out, "another queue:", advice(err))
	return engine.Stop(ctx)
}

// advice says by the type of an error what to do.
func advice(err error) string {
	var (
		mistakes   fault.ConfigErrors
		authority  x509.UnknownAuthorityError
		name       x509.HostnameError
		refused    *fault.RefusedError
		permission *fault.PermissionError
	)
	switch {
	case errors.As(err, &mistakes):
		return "correct the configuration"
	case errors.As(err, &authority):
		return "name the CA that signed the server's certificate"
	case errors.As(err, &name):
		return "name the server as its certificate does"
	case errors.As(err, &refused):
		return "look at user and password"
	case errors.As(err, &permission):
		return "ask an administrator for the permission"
	default:
		return "look at the server"
	}
}
