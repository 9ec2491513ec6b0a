package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

// layout is what all pages have around them.
var layout = template.Must(template.New("layout.html").Funcs(funcs).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/payload.html"))

var errorTemplate = parse("error.html")

// parse returns the layout with the page of a file in it. What is wrong with the files panics: it
// is a mistake in this module.
func parse(file string) *template.Template {
	return template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, "templates/"+file))
}

// view is what a template gets.
type view struct {
	console *Console
	request *request

	Name   string // of the page
	Path   string
	Query  map[string][]string
	User   User
	Role   Role   // on the queue, where there is one
	Queue  string // where the page is about one
	Title  string // what the program calls that queue
	Server string
	Notice string // what an action has done
	Stale  string // what the data lack, in a sentence; "" where nothing
	Why    string // the error behind that
	Late   string // for how long the data are old that a verdict is made of; "" where they are fresh
	Now    time.Time
	Oldest time.Time // of the data; zero where none were read
	Page   any       // what the page returned
}

// navLink is an entry of the navigation.
type navLink struct {
	Name, To string
	Here     bool
}

func (c *Console) view(r *request, p page) *view {
	v := &view{
		console: c, request: r, Name: p.name, Path: r.path, Query: r.query, User: r.user, Role: r.user.on(r.queue), Queue: r.queue,
		Notice: c.notices.take(r.query.Get("done")), Now: time.Now(), Oldest: r.oldest, Server: c.where(),
	}
	if d := c.declared(r.queue); d != nil {
		v.Title = d.Title()
	}
	switch {
	case r.stale != nil:
		v.Stale, v.Why = c.silence(r), detail(r.stale)
	case !r.late.IsZero():
		v.Stale = "This page is " + age(r.late) + " old: the console spares Redis. A larger budget (-budget) makes it sooner."
	}
	if v.Stale != "" && !r.late.IsZero() {
		v.Late = age(r.late)
	}
	return v
}

// silence says why a page cannot be fresh, and how old it is.
func (c *Console) silence(r *request) string {
	text := "Redis refuses a part of this page"
	if !r.since.IsZero() || rediserr.IsNetwork(r.stale) {
		text = "Redis at " + c.where() + " does not answer" + sinceWhen(r.since)
	}
	switch {
	case !r.late.IsZero():
		return text + ". What you see is " + age(r.late) + " old."
	case r.oldest.IsZero():
		return text + "."
	}
	return text + ". What you see may not be all."
}

// sinceWhen says since when something is so; nothing where that is not known.
func sinceWhen(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " since " + t.UTC().Format("2006-01-02 15:04:05") + " UTC (" + age(t) + ")"
}

// Link makes the address of a page, with names and values of parameters.
func (v *view) Link(path string, pairs ...string) string { return v.console.link(path, pairs...) }

// Static makes the address of a file of the console, which changes with its content.
func (v *view) Static(name string) string {
	return v.console.link("/static/"+name, "v", staticVersions[name])
}

// May reports whether the user may do an action on the queue of the page.
func (v *view) May(path string) bool {
	a, ok := v.console.actions[path]
	return ok && v.console.options.Writable && v.User.on(v.Queue) >= a.role
}

// Has reports whether there is such a page, which the user may see.
func (v *view) Has(path string) bool {
	p, ok := v.console.pages[path]
	return ok && v.User.on(v.Queue) >= p.role
}

// Writable reports whether the console may change anything.
func (v *view) Writable() bool { return v.console.options.Writable }

// Nav returns the console's own navigation, Tabs that of the queue.
func (v *view) Nav() []navLink { return v.links(onTop) }

// Tabs returns the pages of the queue.
func (v *view) Tabs() []navLink { return v.links(inQueue) }

func (v *view) links(at place) []navLink {
	var out []navLink
	for _, p := range v.console.listed {
		if p.at != at || v.request.user.on(v.Queue) < p.role && v.User.On == nil {
			continue
		}
		l := navLink{Name: p.name, To: v.Link(p.path), Here: p.path == v.Path}
		if at == inQueue {
			l.To = v.Link(p.path, "q", v.Queue)
		}
		out = append(out, l)
	}
	return out
}

// render writes a page, whole or not at all.
func (c *Console) render(w http.ResponseWriter, status int, t *template.Template, v *view) {
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, "layout.html", v); err != nil {
		c.options.Log.Error("console: a page cannot be made", "path", v.Path, "err", err)
		http.Error(w, "This page cannot be made; the log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(out.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // who went away misses it
}

// staticVersions are the digests of the files by their paths in folder static.
var staticVersions = func() map[string]string {
	out := map[string]string{}
	err := fs.WalkDir(staticFiles, "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := staticFiles.ReadFile(path)
		sum := sha256.Sum256(content)
		out[strings.TrimPrefix(path, "static/")] = hex.EncodeToString(sum[:6])
		return err
	})
	if err != nil {
		panic(err)
	}
	return out
}()

// serveStatic answers with a file.
func serveStatic(w http.ResponseWriter, r *http.Request, name string) {
	content, err := staticFiles.ReadFile("static/" + name)
	if err != nil || staticVersions[name] == "" {
		http.NotFound(w, r)
		return
	}
	if r.URL.Query().Get("v") == staticVersions[name] {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
