package web

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/operations"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// allPages lists the pages in the order of the navigation.
func (c *Console) allPages() []page {
	return []page{
		c.overviewPage(), c.processesPage(), // of the console
		c.searchPage(), c.decodePage(), c.auditPage(),
		c.queuePage(), // of one queue
		c.pendingPage(), c.readyPage(), c.inFlightPage(), c.messagePage(), c.deadPage(), c.deadEntryPage(), c.deadExportPage(),
	}
}

// allActions lists what changes something.
func (c *Console) allActions() []action {
	return c.operationActions()
}

// ownPaths are the first parts of the paths of pages, with those that are reserved.
var ownPaths = map[string]bool{
	"static": true, "processes": true, "audit": true, "decode": true, "search": true,
	"queue": true, "pending": true, "ready": true, "inflight": true, "dead": true, "message": true,
}

// place says where the navigation has a page.
type place int

const (
	nowhere place = iota
	onTop         // in the console's own navigation
	inQueue       // among the tabs of a queue; it needs the parameter q
)

// page is something to look at.
type page struct {
	path string // "/queue"
	name string // in the navigation and the title
	at   place
	role Role // the least; on the queue, where there is one
	// params are the names of its parameters besides q. Others are not given to it.
	params   []string
	past     bool // it reports queues that are no more, too
	post     bool // it takes POST too, though it changes nothing: what was pasted does not fit a URL
	template string
	get      func(r *request) (any, error) // returns what the template has as .Page, or a *download

	tmpl *template.Template
}

// action changes something. It is a POST with the parameters q and reason.
type action struct {
	path string // "/queue/pause"
	verb string // for audit and log
	role Role   // the least, on the queue
	// params are the names of its parameters besides q, reason, confirm and dry: the audit has them.
	// Others are not given to it.
	params  []string
	absent  bool   // it is for queues without a key, too
	confirm bool   // it takes the queue's name in the parameter confirm
	audits  bool   // it writes the audit itself, since it goes on behind the answer
	tries   bool   // with the parameter dry it changes nothing, and needs no reason
	back    string // path of the page that is shown afterwards
	// operation is that of the table, if it is one; many says that it is done to all that are chosen.
	operation operations.Operation
	many      bool
	// do does it and returns a sentence that says what was done.
	do func(ctx context.Context, a *acting) (done string, err error)
}

// request is a request with what the guard found out.
type request struct {
	*http.Request

	console *Console
	path    string // below the base path
	query   url.Values
	params  []string // those of the page or action
	user    User
	queue   string // the parameter q

	oldest time.Time // of all readings of the page
	late   time.Time // the oldest of those that are older than they should be; zero without one
	stale  error     // why a reading could not be made anew
	since  time.Time // since when; zero where that is not known
}

// dry reports whether a form asks to try without changing anything.
func (r *request) dry() bool { return r.query.Get("dry") != "" }

// section is the first part of the path: that of a page and of the actions on it.
func (r *request) section() string { return section(r.path) }

func section(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first
}

// acting is an action under way.
type acting struct {
	*request

	reason string
	goes   *control.Change   // the one that goes on; nil for a new one
	left   operations.Filter // what it is to change, of pending messages
}

// lateBy is how much older than it should be a reading is before a page says so.
const lateBy = 5 * time.Second

// outage is since when Redis does not answer. It is safe for concurrent use.
type outage struct {
	mu    sync.Mutex
	since time.Time
}

// note takes what came of a reading that was made at a time, and returns since when Redis does not
// answer; zero where it does.
func (o *outage) note(at time.Time, err error) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case rediserr.IsNetwork(err):
		if o.since.IsZero() {
			o.since = time.Now()
		}
		return o.since
	case err == nil && at.After(o.since):
		o.since = time.Time{}
	}
	return time.Time{}
}

// read returns a reading that all viewers share, made anew where it is older than fresh and the
// budget allows it. Name tells readings apart. Where Redis does not answer and there is an older
// one, that is returned, and the page says so.
func read[T any](r *request, name string, fresh time.Duration, load func(ctx context.Context) (T, error)) (T, error) {
	v, at, err := cachedRead(r.Context(), r.console.cache, name, fresh, load)
	since := r.console.outage.note(at, err)
	if err != nil {
		r.since = since
	}
	switch {
	case err == nil || at.IsZero():
	case errors.Is(err, errExamining): // it is only old
		err = nil
	default:
		r.stale, err = err, nil
	}
	if err == nil && time.Since(at) > fresh+lateBy && (r.late.IsZero() || at.Before(r.late)) {
		r.late = at
	}
	if err == nil && (r.oldest.IsZero() || at.Before(r.oldest)) {
		r.oldest = at
	}
	return v, err
}

// reading is one that a page reads, by its name, how old it may be, and how it is made.
type reading[T any] struct {
	name  string
	fresh time.Duration
	load  func(ctx context.Context) (T, error)
}

// read returns it, see the function.
func (l reading[T]) read(r *request) (T, error) { return read(r, l.name, l.fresh, l.load) }

// ahead begins it, so that readings of a page go on at the same time: a network may be slow.
func (l reading[T]) ahead(r *request) {
	beginReads(r.Context(), r.console.cache, l.name, l.fresh, l.load)
}

// show answers with a page.
func (c *Console) show(w http.ResponseWriter, r *request, p page) {
	data, err := p.get(r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	if d, ok := data.(*download); ok {
		c.send(w, r, d)
		return
	}
	v := c.view(r, p)
	v.Page = data
	c.render(w, http.StatusOK, p.tmpl, v)
}

// act does an action and leads to the page behind it.
func (c *Console) act(w http.ResponseWriter, r *request, a action) {
	dry := a.tries && r.dry()
	reason, err := needsReason(r)
	if err != nil && !dry {
		c.fail(w, r, err)
		return
	}
	if a.confirm && !dry && r.query.Get("confirm") != r.queue {
		c.fail(w, r, refuse(http.StatusUnprocessableEntity, "Type the name of the queue to confirm this: it cannot be undone"))
		return
	}
	done, err := c.audited(r, a, reason)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	back := a.back
	if back == "" {
		back = "/queue"
	}
	http.Redirect(w, r.Request, c.link(back, "q", r.queue, "done", c.notices.add(done)), http.StatusSeeOther)
}

// audited writes an action to the audit and the log, and does it. Where the audit cannot be
// written it is not done.
func (c *Console) audited(r *request, a action, reason string) (done string, err error) {
	log := c.options.Log.With("action", a.verb, "queue", r.queue, "by", r.user.Name, "why", clean(reason))
	do := func(ctx context.Context) (string, error) {
		done, err = a.do(ctx, &acting{request: r, reason: reason})
		return done, err
	}
	if a.audits {
		_, err = do(r.Context())
	} else {
		err = c.audit(r.Context(), r, a.verb, reason, do)
	}
	c.cache.Dirty(func(name string) bool { return name == "queues" || strings.HasSuffix(name, " "+r.queue) })
	var unwritten *fault.AuditError
	if errors.As(err, &unwritten) && !unwritten.Refused {
		log.ErrorContext(r.Context(), "console: an action was done, and what came of it is not in the audit", "err", err)
	}
	if err != nil {
		log.WarnContext(r.Context(), "console: an action failed", "err", err)
		return "", err
	}
	log.InfoContext(r.Context(), "console: an action was done", "done", done)
	return done, nil
}
