package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/budget"
)

// Console is the console. It is safe for concurrent use.
type Console struct {
	client  *framework.Client
	options Options
	// declaredBy are the names of declared queues, see declaredByKey.
	declaredBy map[string]string

	cache   *readCache
	names   names
	stands  stands
	outage  outage
	history *history
	notices notices

	payloads payloads
	groups   deadGroups
	runs     runs

	// The budgets of Redis's time: of what pages read, of searches in payloads, of the search for
	// queues, and of actions. A request spends the first one unless it says another.
	looking, searching, finding, acting *budget.Budget

	cross   *http.CrossOriginProtection
	pages   map[string]page
	actions map[string]action
	listed  []page // in the order of the navigation

	unmeter func() error // ends the gauges; nil without a meter

	ctx  context.Context //nolint:containedctx // of what is done without a request; Close ends it
	end  context.CancelFunc
	done background.Group
}

// New returns a console for the queues of a client's Redis. The error is [fault.ConfigErrors],
// with all mistakes of the options. Call [Console.Close] before the client's.
func New(client *framework.Client, o Options) (*Console, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	read, err := newPayloads(o.Payloads)
	if err != nil {
		return nil, fault.ConfigErrors{&fault.ConfigError{Field: "web.Options.Payloads", Value: o.Payloads.Codec, Reason: err.Error()}}
	}
	looking := budget.New(o.Budget / 2)
	ctx, end := context.WithCancel(looking.Behind(background.NewPanics(o.Log).In(context.Background()))) //nolint:forbidigo // ends with Close
	c := &Console{
		declaredBy: declaredByKey(access.Of(client), o.Queues), payloads: read,
		ctx: ctx, client: client, options: o, cache: newReads(ctx, looking), end: end,
		looking: looking, searching: budget.New(o.SearchBudget), finding: budget.New(o.Budget / 2), acting: budget.New(o.SearchBudget),
		cross: http.NewCrossOriginProtection(), pages: map[string]page{}, actions: map[string]action{},
	}
	for _, origin := range o.TrustedOrigins {
		_ = c.cross.AddTrustedOrigin(origin) // validate has tried it
	}
	for _, p := range c.allPages() {
		p.tmpl = parse(p.template)
		c.pages[p.path] = p
		c.listed = append(c.listed, p)
	}
	for _, a := range c.allActions() {
		c.actions[a.path] = a
	}
	if o.Meter != nil {
		if c.unmeter, err = c.observe(o.Meter); err != nil {
			end()
			return nil, err
		}
	}
	if o.History > 0 {
		c.history = newHistory(o.History, sampleEvery)
		c.done.Loop(ctx, "console: history", func() { c.sample(ctx) })
	}
	return c, nil
}

// Close ends what the console does without requests, and waits for it. Requests that come later
// are answered with an error. Calling it again does nothing.
func (c *Console) Close() error {
	var failed error
	if c.unmeter != nil {
		failed = c.unmeter()
	}
	c.names.close()
	c.end()
	c.cache.Close()
	c.done.Wait()
	return errors.Join(failed, c.payloads.closeIf(true))
}

// ServeHTTP answers a request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	path := r.URL.Path
	if rest, ok := strings.CutPrefix(path, c.options.BasePath); ok && (rest == "" || rest[0] == '/') {
		path = rest
	}
	if path == "" {
		path = "/"
		if c.options.BasePath != "" && !strings.HasSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, c.options.BasePath+"/", http.StatusMovedPermanently)
			return
		}
	}
	if name, ok := strings.CutPrefix(path, "/static/"); ok {
		serveStatic(w, r, name)
		return
	}
	c.serve(w, r, path) //nolint:contextcheck // the audit and what was begun outlive the request
}
