package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/metrics"
	"github.com/duequeue/duequeue/framework/web"
)

const consoleHelp = `
web serves the console: all delayed queues of a database, Java's and Go's, what is wrong
with each and what to do, what falls due when, who serves it. It runs until it gets SIGINT
or SIGTERM. A service in Go can have the same in its own mux: package framework/web.

It looks, and changes nothing. -write allows actions to those whose role allows them; each
takes a reason and is written to the audit and the log.

Without more it listens on loopback, where who reaches the port is "local" with the role of
-role. On any other address say who may look:

  -users FILE     names and passwords: a line "name:role:hash" for each, of the role look,
                  support, operate or admin; -hash makes the hash. Put TLS in front of it.
  -user-header X  a proxy in front has checked the user and names it in this header, with the
                  role of -role. The proxy must remove the header from what comes from outside,
                  and no one else may reach the port.
  -open           who reaches the port may look, with the role of -role

-base is the path behind a proxy, as in -base /queues, whether the proxy takes it off or not;
-origin is where browsers see the console, if the proxy changes the host.

Payloads are shown as trees in which values are hidden, but for those of -visible fields; the
role support may show the others of a message, which takes a reason and is audited. -search
names the fields by which the search page finds messages, besides ID and key. The codec is
guessed, or named by -codec; user classes of Kryo and others come from a jar, by -classes.

-metrics serves, on an address of its own and without a login, /metrics for Prometheus:
how many messages of each queue are ready, delayed, overdue and dead, and the lag.

All viewers together take the share -budget of Redis's time; where that is used up, pages show
older data, and say how old. The Redis user needs what "duequeue acl -role look" prints, with
-write "-role operate".
`

// consoleCommand returns the command web.
func consoleCommand(e *env.Env) *cli.Command {
	s := &serving{}
	return e.Command(env.Spec{
		Name: "web", Short: "serve the console: queues, findings, forecasts, processes", Group: env.GroupServe, Long: consoleHelp,
		Examples: []string{"duequeue web", "duequeue web -write -role operate", "duequeue web -classes shop.jar -visible orderId -search orderId", "duequeue web -listen :8090 -users /etc/duequeue/users -base /queues", "duequeue web -hash"},
		Flags: []cli.Flag{
			env.String(&s.listen, "listen", "127.0.0.1:9465", "`ADDRESS` of the console"),
			env.String(&s.metrics, "metrics", "off", "`ADDRESS` of /metrics for Prometheus, or off"),
			env.String(&s.options.BasePath, "base", "", "`PATH` below which it is"),
			env.String(&s.origin, "origin", "", "`URL` where browsers see it, behind a proxy that changes the host"),
			env.Bool(&s.options.Writable, "write", false, "allow actions"),
			env.String(&s.role, "role", "look", "`ROLE` of those who have none by -users: look, support, operate or admin"),
			env.String(&s.users, "users", "", "`FILE` with names, roles and hashes of passwords"),
			env.String(&s.header, "user-header", "", "`NAME` of the header in which a proxy names the user"),
			env.Bool(&s.open, "open", false, "let everybody in who reaches the port"),
			env.Bool(&s.hash, "hash", false, "read a password from standard input, print its hash for -users, and end"),
			env.String(&s.options.Payloads.Codec, "codec", "", "codec `NAME` of all payloads; guessed by their bytes without it"),
			env.Func("classes", "know the user classes in `FILE.jar|DIR`; may be given several times", func(text string) error { return (*env.Paths)(&s.options.Payloads.Classes).Set(text) }),
			env.Func("visible", "`FIELD` whose values are shown, as orderId or customer.id; may be given several times", list(&s.options.Payloads.Visible)),
			env.Func("search", "`FIELD` by which messages are found; may be given several times", list(&s.options.Payloads.SearchFields)),
			env.Float(&s.options.SearchBudget, "search-budget", web.DefaultSearchBudget, "that share of all searches by field together"),
			env.Float(&s.options.Budget, "budget", web.DefaultBudget, "share of Redis's time for all viewers together"),
			env.Duration(&s.options.History, "history", web.DefaultHistory, "how long depth and lag are remembered"),
		},
		Run: func(ctx context.Context, args []string) error { return s.run(ctx, e, args) },
	})
}

func list(to *[]string) func(string) error {
	return func(text string) error {
		*to = append(*to, text)
		return nil
	}
}

// serving is one run of the command.
type serving struct {
	options                             web.Options
	listen, origin, role, users, header string
	metrics                             string
	open, hash                          bool
}

func (s *serving) run(ctx context.Context, e *env.Env, args []string) (err error) {
	if len(args) > 0 {
		return env.Usagef("web takes no arguments")
	}
	if s.hash {
		line, failed := hashFrom(e.Stdin)
		if failed == nil {
			_, failed = fmt.Fprintln(e.Stdout, line)
		}
		return failed
	}
	guard, err := s.guard()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(e.Stderr, nil))
	if e.JSON {
		log = slog.New(slog.NewJSONHandler(e.Stderr, nil))
	}
	client, err := e.Open(ctx, framework.WithLogger(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	s.options.Log, s.options.Authorize = log, guard.authorize
	closeMetrics, err := s.serveMetrics(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeMetrics()) }()
	console, err := web.New(client, s.options) //nolint:contextcheck // it lives until it is closed
	if err != nil {
		return env.Usage(err)
	}
	defer func() { err = errors.Join(err, console.Close()) }()
	server, err := env.Serve(ctx, "listen", s.listen, &http.Server{Handler: guard.wrap(console), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)})
	if err != nil {
		return err
	}
	defer server.Stop()
	fmt.Fprintf(e.Stdout, "http://%s%s/\n", shownAddress(server.Addr), s.options.BasePath)
	select {
	case err = <-server.Ended:
		return err
	case <-ctx.Done():
		return nil
	}
}

// serveMetrics serves the gauges of the console until stop is called.
func (s *serving) serveMetrics(ctx context.Context, log *slog.Logger) (stop func() error, err error) {
	if s.metrics == "off" {
		return func() error { return nil }, nil
	}
	page, meters, err := metrics.Handler()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", page)
	server, err := env.Serve(ctx, "metrics", s.metrics, &http.Server{Handler: mux})
	if err != nil {
		return nil, err
	}
	log.InfoContext(ctx, "metrics", "address", server.Addr.String())
	s.options.Meter = meters
	return func() error {
		server.Stop()
		return meters.Shutdown(context.WithoutCancel(ctx))
	}, nil
}

// shownAddress is one that a browser on this machine can open.
func shownAddress(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// guard decides which way users are known by.
func (s *serving) guard() (*guard, error) {
	g := &guard{header: s.header}
	role, err := web.ParseRole(s.role)
	if err != nil || role == web.RoleNone {
		return nil, env.Usagef("web: -role %s: look, support, operate or admin", s.role)
	}
	g.role = role
	ways := 0
	for _, given := range []bool{s.users != "", s.header != "", s.open} {
		if given {
			ways++
		}
	}
	host, _, err := net.SplitHostPort(s.listen)
	if err != nil {
		return nil, env.Usagef("web: -listen %s: an address such as 127.0.0.1:9465 or :9465", s.listen)
	}
	switch {
	case ways > 1:
		return nil, env.Usagef("web: one of -users, -user-header and -open")
	case ways == 0 && !loopback(host):
		return nil, env.Usagef("web: -listen %s is not loopback: say who may look, by -users, -user-header or -open", s.listen)
	}
	g.local = ways == 0
	if s.users != "" {
		users, err := readUsers(s.users)
		if err != nil {
			return nil, err
		}
		g.logins = newLogins(users)
	}
	if s.origin != "" {
		s.options.TrustedOrigins = []string{s.origin}
	}
	return g, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
