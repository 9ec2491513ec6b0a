package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
)

// policy is what browsers hold every page to.
const policy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// problem is an answer other than the page that was asked for.
type problem struct {
	status int
	text   string // what is wrong, and what to do
	err    error
}

func (p *problem) Error() string {
	if p.err != nil {
		return p.text + ": " + p.err.Error()
	}
	return p.text
}

func (p *problem) Unwrap() error { return p.err }

func refuse(status int, format string, args ...any) *problem {
	return &problem{status: status, text: fmt.Sprintf(format, args...)}
}

// maxForm bounds the body of a form; decode takes pasted payloads.
const maxForm = 4 << 20

// serve answers what is no file.
func (c *Console) serve(w http.ResponseWriter, r *http.Request, path string) {
	req := &request{Request: r, console: c, path: path}
	if err := c.enter(w, req); err != nil {
		c.fail(w, req, err)
		return
	}
	if a, ok := c.actions[path]; ok {
		c.act(w, req, a)
		return
	}
	c.show(w, req, c.pages[path])
}

// enter says who asks, and refuses what that user may not see.
func (c *Console) enter(w http.ResponseWriter, r *request) (err error) {
	if r.user, err = c.options.Authorize(r.Request); err != nil {
		r.user = User{}
		return &problem{status: http.StatusForbidden, text: "You may not look at this console", err: err}
	}
	r.user = c.oneName(r.user)
	if r.user.Role < RoleLook && r.user.On == nil {
		return refuse(http.StatusForbidden, "You may not look at this console")
	}
	if err = c.cross.Check(r.Request); err != nil {
		return &problem{status: http.StatusForbidden, text: "This form was sent by a page of another site", err: err}
	}
	a, acts := c.actions[r.path]
	p, shows := c.pages[r.path]
	spent := c.looking
	if acts {
		spent = c.acting
	}
	r.Request = r.WithContext(spent.Of(r.Context(), r.user.Name))
	if err = r.method(w, p, acts, shows); err != nil {
		return err
	}
	unknown, err := r.parameters(w, p, a)
	if err != nil {
		return err
	}
	r.queue = r.query.Get("q")
	role := p.role
	if acts {
		role = a.role
	}
	if r.queue == "" && (acts || p.at == inQueue) {
		return refuse(http.StatusBadRequest, "This needs a queue")
	}
	if r.queue != "" {
		if _, err := access.Of(c.client).Keys(r.queue); err != nil {
			return &problem{status: http.StatusBadRequest, text: "This is no name of a queue", err: err}
		}
		if c.options.OnlyDeclared && c.declared(r.queue) == nil {
			return refuse(http.StatusNotFound, "This console shows declared queues alone")
		}
	}
	if got := r.user.on(r.queue); got < role && (acts || r.queue != "" || r.user.On == nil) {
		return refuse(http.StatusForbidden, "This takes the role %s; yours is %s", role, got)
	}
	if acts && !c.options.Writable {
		return refuse(http.StatusForbidden, "This console is read-only: its operator can allow actions (-write, Options.Writable)")
	}
	if unknown != nil {
		return unknown
	}
	if r.queue != "" && !p.past && !a.absent {
		there, err := c.exists(r.Context(), r.queue)
		if err == nil && !there {
			err = refuse(http.StatusNotFound, "There is no such queue: no key of it is in this database, and no program listens to it")
		}
		return err
	}
	return nil
}

// method refuses what is no page or action, and methods that it does not take.
func (r *request) method(w http.ResponseWriter, p page, acts, shows bool) error {
	switch {
	case !acts && !shows:
		return refuse(http.StatusNotFound, "There is no such page")
	case acts && r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		return refuse(http.StatusMethodNotAllowed, "This changes something, and a link must not: send the form of the page")
	case shows && r.Method != http.MethodGet && r.Method != http.MethodHead && (!p.post || r.Method != http.MethodPost):
		w.Header().Set("Allow", "GET, HEAD")
		return refuse(http.StatusMethodNotAllowed, "This page only shows something")
	}
	return nil
}

// parameters reads those of a page or action; it is given no others, so that the audit has all that
// it is asked for. A form with one that nothing in the console knows is refused, which unknown says.
func (r *request) parameters(w http.ResponseWriter, p page, a action) (unknown, err error) {
	given := r.URL.Query()
	allowed := []string{"q", "done"}
	r.params = p.params
	if a.do != nil {
		r.params = a.params
	}
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			return nil, &problem{status: http.StatusBadRequest, text: "The form cannot be read", err: err}
		}
		given = r.Form
		allowed = []string{"q", "reason"}
		if a.confirm {
			allowed = append(allowed, "confirm")
		}
		if a.tries {
			allowed = append(allowed, "dry")
		}
	}
	r.query = url.Values{}
	for name, values := range given {
		if !slices.ContainsFunc(values, func(v string) bool { return v != "" }) {
			continue // it says nothing
		}
		known := slices.Contains(allowed, name) || slices.Contains(r.params, name)
		switch {
		case known && len(values) == 1:
			r.query[name] = values
		case r.Method == http.MethodPost && known:
			unknown = refuse(http.StatusBadRequest, "The form has a parameter more than once")
			r.query[name] = values[:1]
		case r.Method == http.MethodPost && !r.console.knows(name):
			unknown = refuse(http.StatusBadRequest, "The form has a parameter that the console does not know: %s", codecs.Printable(name, 100))
		case known && len(values) > 0:
			r.query[name] = values[:1]
		}
	}
	return unknown, nil
}

// knows reports whether a page or an action has such a parameter.
func (c *Console) knows(name string) bool {
	has := func(params []string) bool { return slices.Contains(params, name) }
	return has([]string{"q", "reason", "confirm", "dry", "done"}) ||
		slices.ContainsFunc(c.listed, func(p page) bool { return has(p.params) }) ||
		slices.ContainsFunc(c.allActions(), func(a action) bool { return has(a.params) })
}

// fail shows an error as a page.
func (c *Console) fail(w http.ResponseWriter, r *request, err error) {
	p := &problem{status: http.StatusServiceUnavailable, text: "Redis did not answer as expected", err: err}
	if since := c.outage.note(time.Time{}, err); !since.IsZero() {
		p.text = "Redis at " + c.where() + " does not answer" + sinceWhen(since)
	}
	var busy *budget.BusyError
	if errors.As(err, &busy) {
		p.text = "This page was never read, and the console spares Redis: try again, or use a larger budget (-budget)"
		w.Header().Set("Retry-After", strconv.Itoa(int(busy.For/time.Second)+1))
	}
	var unwritten *fault.AuditError
	if errors.As(err, &unwritten) {
		p.text = "The audit cannot be written"
	}
	errors.As(err, &p)
	v := c.view(r, page{name: "Sorry"})
	v.Page = errorData{Status: p.status, Text: p.text, Detail: detail(p.err)}
	c.render(w, p.status, errorTemplate, v)
}

type errorData struct {
	Status       int
	Text, Detail string
}

func detail(err error) string {
	if err == nil {
		return ""
	}
	return clean(err.Error())
}

// link makes the address of a page: a path of the console, then names and values.
func (c *Console) link(path string, pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Add(pairs[i], pairs[i+1])
		}
	}
	to := c.options.BasePath + path
	if len(values) > 0 {
		to += "?" + strings.ReplaceAll(values.Encode(), "+", "%20")
	}
	return to
}
