package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/metrics"
)

const transferHelp = `
transfer runs until it gets SIGINT or SIGTERM and moves the due messages of delayed
queues to their ready lists, on time, for their consumers. It is for teams whose
services are Java: with Redisson alone, due messages stand still while no process has an
RDelayedQueue of the queue, and when one that has it has lost its timer or subscription,
until a restart or the next offer.

It runs next to Java's clients, which need no change, and may run several times: each
message is moved once. An element that no Redisson can read, which stops Redisson's own
transfers, goes to the dead store (see duequeue dead). With -migrate it also rewrites what
Redissons before or since 3.21.1 alone can read (see duequeue migrate -layout). What a
killed Go process held goes back to the queue. It takes no message.

-queues names the queues as Java gives them to getBlockingQueue, by comma. -discover adds
every queue of the database in which something is pending, and looks again at each -every;
the first messages of a new queue may be late by so much. Both may be given. A queue that
cannot be transferred is left out, which the log and /readyz say, and is tried again.

-listen serves HTTP: /livez and /readyz, 200 or 503 with a report in JSON, and /metrics for
Prometheus or the OpenTelemetry Collector: the metrics of the library, among them how many
messages of each queue are ready, delayed, overdue and dead, and the lag: for how long the
oldest one that is due has waited. It listens on loopback alone;
"-listen :9464" opens it to others, "-listen off" closes it.

The log goes to stderr, with -json as JSON. The Redis user needs what "duequeue acl
-role serve" prints, with -discover or -migrate "-role operate". The exit code is 0 after
a signal.
`

func transferCommand(e *env.Env) *cli.Command {
	t := &transferring{}
	return e.Command(env.Spec{
		Name: "transfer", Short: "move due messages on time, as a daemon next to Java", Group: env.GroupServe, Long: transferHelp,
		Examples: []string{"duequeue transfer -queues ORDERS,REFUNDS", "duequeue transfer -discover -listen :9464"},
		Flags: []cli.Flag{
			env.String(&t.queues, "queues", "", "`NAMES` of queues, by comma"),
			env.Bool(&t.options.Discover, "discover", false, "every queue in which something is pending"),
			env.Duration(&t.options.DiscoverEvery, "every", admin.DefaultDiscoverEvery, "with -discover: pause between two searches"),
			env.Bool(&t.options.Migrate, "migrate", false, "rewrite what not every Redisson reads"),
			env.String(&t.codec, "codec", "", "codec `NAME` of the queues; decides whether an element that may be either holds nothing or a zero byte"),
			env.String(&t.view, "view", "exact", "how Java's list of pending messages is kept: exact or off"),
			env.String(&t.listen, "listen", "127.0.0.1:9464", "`ADDRESS` of health and metrics, or off"),
		},
		Run: func(ctx context.Context, args []string) error { return t.run(ctx, e, args) },
	})
}

// transferring is one run of the transfer command.
type transferring struct {
	options             admin.TransferOptions
	queues, codec, view string
	listen              string
}

func (t *transferring) check(args []string) error {
	switch {
	case len(args) > 0:
		return env.Usagef("transfer: %s: queues are named by -queues", args[0])
	case t.queues == "" && !t.options.Discover:
		return env.Usagef("transfer: name queues by -queues, or find them by -discover")
	case t.options.DiscoverEvery < time.Second:
		return env.Usagef("transfer: -every %v: at least a second", t.options.DiscoverEvery)
	}
	for name := range strings.SplitSeq(t.queues, ",") {
		if name = strings.TrimSpace(name); name != "" {
			t.options.Queues = append(t.options.Queues, name)
		}
	}
	var ok bool
	if t.options.View, ok = env.Views[t.view]; !ok {
		return env.Usagef("transfer: -view %s: exact or off", t.view)
	}
	if t.codec != "" {
		var err error
		if t.options.Codec, err = catalog.Find(t.codec); err != nil {
			return env.Usage(err)
		}
	}
	return nil
}

func (t *transferring) run(ctx context.Context, e *env.Env, args []string) (err error) {
	if err = t.check(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(e.Stderr, nil))
	if e.JSON {
		log = slog.New(slog.NewJSONHandler(e.Stderr, nil))
	}
	page, meters, err := metrics.Handler()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, meters.Shutdown(context.WithoutCancel(ctx))) }()
	client, err := e.Open(ctx, framework.WithLogger(log), framework.WithMeterProvider(meters))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	t.options.Log = log
	transferer, err := admin.NewTransferer(client, t.options)
	if err != nil {
		return err
	}
	if t.listen != "off" {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", page)
		mux.Handle("/", health.Handler(transferer.Health))
		server, err := env.Serve(ctx, "listen", t.listen, &http.Server{Handler: mux})
		if err != nil {
			return err
		}
		defer server.Stop()
		log.InfoContext(ctx, "health and metrics", "address", server.Addr.String())
	}
	return transferer.Run(ctx)
}
