package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/registry"
)

// Defaults of [Options].
const (
	DefaultBudget       = 0.01
	DefaultSearchBudget = 0.1
	DefaultHistory      = 2 * time.Hour
)

// Options shape a [Console].
type Options struct {
	// BasePath is where the console is, such as "/queues"; "" is the root of the host. A
	// proxy may take it off the requests' paths or leave it there.
	BasePath string

	// Queues are those that the program declares: pages show their titles and policies. Others
	// are found in Redis.
	Queues []registry.Descriptor
	// OnlyDeclared shows Queues alone and looks for no others.
	OnlyDeclared bool

	// Authorize says who sends a request, and what that user may do; an error, or a user
	// without any role, is answered with 403. It is called for each request but those of the
	// console's own scripts, styles and icon, before anything is read. Required: a console without
	// login would show customers' data to everybody who reaches the port. Safe for concurrent use.
	Authorize func(*http.Request) (User, error)

	// Writable allows actions, to users whose role allows them. Without it the console only looks.
	Writable bool

	// TrustedOrigins may send forms though they are another origin, as behind a proxy that
	// changes the host: "https://ops.example.com".
	TrustedOrigins []string

	// Payloads say how payloads of queues are read that are not declared, and which fields are
	// shown. The zero value guesses the codecs and shows no values.
	Payloads PayloadOptions

	// Budget is the share of the time for which Redis works for all viewers together, from
	// 0.001 to 1; it is counted as time waited for Redis without the network. Where it is used up,
	// pages show older data and say how old. Defaults to DefaultBudget.
	Budget float64

	// SearchBudget is that share of all searches in payloads together, besides Budget. Defaults to
	// DefaultSearchBudget.
	SearchBudget float64

	searchTime time.Duration // of one page; a test on a busy machine has more

	// History is how long depth and lag are remembered, in memory, from the start of the
	// console. Defaults to DefaultHistory; negative for none, and then nothing is read while
	// no one looks.
	History time.Duration

	// Meter gets the gauges of each queue that the console sees: ready, delayed, overdue, dead
	// and lag, ten seconds old while the budget allows; one that is older than 30 s is left out. Services whose engines
	// have these gauges do not need it. Defaults to none.
	Meter metric.MeterProvider

	// Log gets a line for each action. Defaults to slog.Default.
	Log *slog.Logger
}

// validate fills in defaults and returns all mistakes together.
func (o *Options) validate() error {
	var errs fault.ConfigErrors
	wrong := func(field, value, reason string) {
		errs = append(errs, &fault.ConfigError{Field: "web.Options." + field, Value: value, Reason: reason})
	}
	if o.Authorize == nil {
		wrong("Authorize", "", "must be set: it says who may look at customers' messages")
	}
	o.BasePath = strings.TrimSuffix(o.BasePath, "/")
	if b := o.BasePath; b != "" && (!strings.HasPrefix(b, "/") || path.Clean(b) != b || (&url.URL{Path: b}).EscapedPath() != b) {
		wrong("BasePath", b, `must be a path such as "/queues"`)
	}
	if first, _, _ := strings.Cut(strings.TrimPrefix(o.BasePath, "/"), "/"); ownPaths[first] {
		wrong("BasePath", o.BasePath, "must not begin as a page of the console does")
	}
	for i, d := range o.Queues {
		if d == nil {
			wrong(fmt.Sprintf("Queues[%d]", i), "", "is nil")
		}
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if !(o.Budget >= 0.001 && o.Budget <= 1) {
		wrong("Budget", fmt.Sprint(o.Budget), "must be from 0.001 to 1")
	}
	if o.searchTime == 0 {
		o.searchTime = defaultSearchTime
	}
	if o.SearchBudget == 0 {
		o.SearchBudget = DefaultSearchBudget
	}
	if !(o.SearchBudget >= 0.001 && o.SearchBudget <= 1) {
		wrong("SearchBudget", fmt.Sprint(o.SearchBudget), "must be from 0.001 to 1")
	}
	if o.History == 0 {
		o.History = DefaultHistory
	}
	if o.History > 24*time.Hour {
		wrong("History", o.History.String(), "at most a day fits into memory")
	}
	for _, origin := range o.TrustedOrigins {
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
			wrong("TrustedOrigins", origin, `must be "scheme://host" or "scheme://host:port"`)
		}
	}
	o.Log = errtext.Guard(o.Log)
	if len(errs) > 0 {
		return errs
	}
	return nil
}
