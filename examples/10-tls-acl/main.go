// Command 10-tls-acl connects over TLS, with a client certificate, as a Redis user who
// may do nothing but what the queue needs. Unlike the other examples it needs a
// redis-server on this machine: the embedded Redis knows no users. It starts one on a
// free port of loopback, with certificates made for it.
//
//	go run ./examples/10-tls-acl
//
// The user is what "duequeue acl ORDER_PAYMENT_TIMEOUT" prints. In production the
// password and the paths come from the environment: DUEQUEUE_REDIS_URL (rediss://…),
// DUEQUEUE_REDIS_PASSWORD, DUEQUEUE_REDIS_TLS_CA_FILE and their neighbours.
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

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/frameworktest/redisserver" //nolint:depguard // it brings its own server
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// PaymentTimeout is the queue that the user may use, Refunds one that it may not.
var (
	PaymentTimeout = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel", registry.Codec(codecs.String()))
	Refunds        = registry.Define[string]("REFUNDS", "of another team", registry.Codec(codecs.String()))
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	server, err := redisserver.Run(redisserver.TLS())
	if err != nil {
		return fmt.Errorf("this example needs a redis-server: %w", err)
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	const password = "from a secret store"
	if err = makeUser(ctx, server, password); err != nil {
		return err
	}
	files := server.TLSFiles()
	cfg := framework.Config{Redis: framework.RedisConfig{
		URL: "rediss://" + server.TLSAddr(), Username: "orders", Password: password,
		TLS: framework.TLSConfig{
			CAFile: files.CA, CertFile: files.Cert, KeyFile: files.Key, // who signed the server, and who we are
			ServerName: "localhost", // the name in the server's certificate, where it is not the host of the URL
		},
	}}
	if err = works(ctx, cfg, out); err != nil {
		return err
	}
	return refuses(ctx, cfg, server, out)
}

// makeUser does what an administrator does with the line of "duequeue acl".
func makeUser(ctx context.Context, server *redisserver.Server, password string) error {
	rules, err := admin.ACLRules(admin.RoleServe, PaymentTimeout.Key())
	if err != nil {
		return err
	}
	line := []any{"ACL", "SETUSER", "orders", "reset", "on", ">" + password}
	for _, rule := range rules {
		line = append(line, rule)
	}
	return server.Client().Do(ctx, line...).Err()
}

// open connects without a word in the log.
func open(ctx context.Context, cfg framework.Config) (*framework.Client, error) {
	return framework.Open(ctx, cfg, framework.WithLogger(slog.New(slog.DiscardHandler)))
}

// works offers and handles as that user.
func works(ctx context.Context, cfg framework.Config, out io.Writer) error {
	client, err := open(ctx, cfg)
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

	// What was not granted is refused, with the name of what is missing.
	_, err = framework.Bind(client, Refunds).Offer(ctx, "order A-1", 0)
	var missing *fault.PermissionError
	fmt.Fprintln(out, "another queue: a PermissionError:", errors.As(err, &missing))
	return engine.Stop(ctx)
}

// refuses shows what Open says of a connection that may not be.
func refuses(ctx context.Context, cfg framework.Config, server *redisserver.Server, out io.Writer) error {
	// A server that shows a certificate of somebody else's authority. Our own client
	// certificate is one that the CA signed, but it is no CA itself.
	wrong := cfg
	wrong.Redis.TLS.CAFile = server.TLSFiles().Cert
	client, err := open(ctx, wrong)
	if err == nil {
		return errors.Join(errors.New("an unknown authority was trusted"), client.Close())
	}
	var unreachable *fault.UnreachableError
	var unknown x509.UnknownAuthorityError
	fmt.Fprintln(out, "wrong CA: an UnreachableError:", errors.As(err, &unreachable), "of an unknown authority:", errors.As(err, &unknown))

	wrong = cfg
	wrong.Redis.TLS.ServerName = "redis.example.com"
	_, err = open(ctx, wrong)
	var name x509.HostnameError
	fmt.Fprintln(out, "wrong server name:", errors.As(err, &name))

	wrong = cfg
	wrong.Redis.Password = "guessed"
	_, err = open(ctx, wrong)
	var refused *fault.RefusedError
	fmt.Fprintln(out, "wrong password: a RefusedError:", errors.As(err, &refused))

	wrong = cfg
	wrong.Redis.TLS.KeyFile = "" // a mistake in the configuration is found before anything is connected
	_, err = open(ctx, wrong)
	var mistakes fault.ConfigErrors
	fmt.Fprintln(out, "certificate without a key:", errors.As(err, &mistakes))
	return nil
}
