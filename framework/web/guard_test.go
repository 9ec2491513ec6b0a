package web

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// send sends a form as a browser does from a page of the console; change may be nil.
func send(h http.Handler, path string, form url.Values, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Every action is refused by the server to who may not do it, and done for who may.
func TestRolesAndActions(t *testing.T) {
	t.Parallel()
	c := open(t)
	name := queuetest.NewQueue().Queue
	role := RoleLook
	console := start(t, c, Options{Writable: true, History: -1, Authorize: func(*http.Request) (User, error) { return User{Name: "ann", Role: role}, nil }})
	for _, a := range console.allActions() {
		for role = RoleNone; role <= RoleAdmin; role++ {
			form := url.Values{"q": {name}, "reason": {"a test"}, "confirm": {name}}
			status := send(console, a.path, form, nil).Code
			if may := role >= a.role; may == (status == http.StatusForbidden) {
				t.Errorf("%s as %v: %d", a.path, role, status)
			}
		}
	}
	role = RoleAdmin
	for _, a := range console.allActions() {
		form := url.Values{"q": {name}, "reason": {"a test"}, "confirm": {name}}
		for what, w := range map[string]*httptest.ResponseRecorder{
			"of another site":   send(console, a.path, form, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }),
			"of another origin": send(console, a.path, form, func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "https://evil.example") }),
			"without a reason":  send(console, a.path, url.Values{"q": {name}, "reason": {"  "}}, nil),
			"without a queue":   send(console, a.path, url.Values{"reason": {"x"}}, nil),
			"by GET":            send(console, a.path+"?q="+url.QueryEscape(name)+"&reason=x", nil, func(r *http.Request) { r.Method = http.MethodGet }),
		} {
			if w.Code < 400 || w.Code >= 500 {
				t.Errorf("%s %s: %d", a.path, what, w.Code)
			}
		}
	}
	looking := start(t, c, Options{History: -1})
	if status := send(looking, "/queue/pause", url.Values{"q": {name}, "reason": {"x"}}, nil).Code; status != http.StatusForbidden {
		t.Errorf("an action of a console that only looks: %d", status)
	}
}

// A pause goes from the form to Redis, the audit and the next page; and back.
func TestPauseFromTheForm(t *testing.T) {
	t.Parallel()
	c := open(t)
	name := queuetest.NewQueue().Queue
	console := start(t, c, Options{Writable: true, BasePath: "/ops/queues"})
	w := send(console, "/ops/queues/queue/pause", url.Values{"q": {name}, "reason": {"<b>stock</b> is down"}, "for": {"15m"}}, nil)
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/ops/queues/queue?") {
		t.Fatalf("%d, to %q: %s", w.Code, to, w.Body)
	}
	set, err := admin.ControlOf(t.Context(), c, name)
	if err != nil || set.Pause == nil || set.Pause.By != "ann" || set.Pause.Until == nil {
		t.Fatalf("%+v, %v", set, err)
	}
	_, body := get(t, console, to)
	for _, want := range []string{"Paused. No Go process takes", "for 15 min", "&lt;b&gt;stock&lt;/b&gt; is down", "by ann"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page behind it lacks %q", want)
		}
	}
	trail, _, err := admin.AuditTrail(t.Context(), c, admin.AuditOptions{Queues: func(q string) bool { return q == name }})
	if err != nil || len(trail) != 1 || trail[0].Who != "ann" || trail[0].Action.Action != "pause" || !trail[0].Ended {
		t.Errorf("audit: %+v, %v", trail, err)
	}
	if w := send(console, "/queue/resume", url.Values{"q": {name}, "reason": {"it is up"}}, nil); w.Code != http.StatusSeeOther {
		t.Fatalf("resume behind a proxy that takes the base path off: %d", w.Code)
	}
	if set, err := admin.ControlOf(t.Context(), c, name); err != nil || set.Pause != nil {
		t.Errorf("after resume: %+v, %v", set, err)
	}
}

// A user sees the queues on which they have a role, and no others.
func TestQueuesOfAUser(t *testing.T) {
	t.Parallel()
	c := open(t)
	mine, other := queuetest.NewQueue().Queue, queuetest.NewQueue().Queue
	for _, name := range []string{mine, other} {
		if err := framework.Bind(c, registry.Define[string](name, "")).Push(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
	}
	u := User{Name: "bob", On: func(q string) Role {
		if q == mine {
			return RoleLook
		}
		return RoleNone
	}}
	console := start(t, c, Options{Authorize: as(u), History: -1})
	if _, body := get(t, console, "/"); !strings.Contains(body, ">"+mine+"<") || strings.Contains(body, other+"<") {
		t.Errorf("the overview shows more or less than %s", mine)
	}
	for path, want := range map[string]int{"/queue?q=" + mine: 200, "/queue?q=" + other: 403} {
		if status, _ := get(t, console, path); status != want {
			t.Errorf("GET %s: %d, not %d", path, status, want)
		}
	}
	for _, refused := range []Options{
		{Authorize: func(*http.Request) (User, error) { return User{Name: "eve", Role: RoleAdmin}, errors.New("no") }},
		{Authorize: as(User{Name: "eve"})},
	} {
		if status, body := get(t, start(t, c, refused), "/"); status != http.StatusForbidden || strings.Contains(body, mine) {
			t.Errorf("a stranger gets %d", status)
		}
	}
}

// What a user may not see stays unseen, however its name is written.
func TestOtherNamesOfAQueueLeadToTheSameRole(t *testing.T) {
	t.Parallel()
	c := open(t, framework.WithNameMapper(strings.ToLower, strings.ToUpper))
	asked := map[string]bool{}
	var mu sync.Mutex
	u := User{Name: "bob", On: func(q string) Role {
		mu.Lock()
		defer mu.Unlock()
		asked[q] = true
		if q == "SECRET" || q == "{DECLARED}" {
			return RoleNone
		}
		return RoleLook
	}}
	if err := framework.Bind(c, registry.Define[string]("OTHER", "")).Push(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	console := start(t, c, Options{
		Authorize: as(u), History: -1, Queues: []registry.Descriptor{registry.Define[string]("{DECLARED}", "")},
	})
	for name, want := range map[string]int{
		"SECRET": 403, "secret": 403, "Secret": 403, "{SECRET}": 403, "{secret}": 403, wire.PartitionName("SECRET", 3): 403, strings.ToLower(wire.PartitionName("SECRET", 3)): 403,
		"redisson_delay_queue:{secret}": 400, "duequeue:due:{secret}": 400, "duequeue:inflight:{secret}:a:b": 400, "duequeue:stage:{secret}:a": 400,
		"DECLARED": 403, "{DECLARED}": 403, "{declared}": 403, wire.PartitionName("{DECLARED}", 3): 403, "OTHER": 200,
	} {
		if status, _ := get(t, console, "/pending?q="+url.QueryEscape(name)); status != want {
			t.Errorf("%s: %d, not %d", name, status, want)
		}
	}
	maps.DeleteFunc(asked, func(q string, _ bool) bool { return strings.Contains(q, ":{secret}") }) // by the page that refuses it
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, []string{"OTHER", "SECRET", "{DECLARED}"}) {
		t.Errorf("asked with %q", got)
	}
}

// A Redis user who can only read is enough for all pages, and writes nothing.
func TestWithAUserWhoCanOnlyRead(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	root, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	q := registry.Define[string]("ORDERS", "")
	for _, delay := range []time.Duration{0, time.Hour} {
		if _, err := framework.Bind(root, q).Offer(t.Context(), "4711", delay); err != nil {
			t.Fatal(err)
		}
	}
	if err := framework.Bind(root, q).Push(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Pause(t.Context(), root, "ORDERS", admin.PauseOptions{Reason: "over at once", For: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	rules, err := admin.ACLRules(admin.RoleLook, "ORD*")
	if err != nil {
		t.Fatal(err)
	}
	args := []any{"ACL", "SETUSER", "look", "reset", "on", ">pw"}
	for _, r := range rules {
		args = append(args, r)
	}
	if err := srv.Client().Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: strings.Replace(srv.URL(), "//", "//look:pw@", 1)}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	console := start(t, c, Options{Writable: true})
	for _, p := range console.listed {
		status, body := get(t, console, p.path+"?q=ORDERS")
		if status != http.StatusOK && p.at != nowhere || strings.Contains(body, "NOPERM") || strings.Contains(body, "could not be examined") {
			t.Errorf("GET %s: %d: %s", p.path, status, regexp.MustCompile(`(?s)<section id="verdict.*?</section>`).FindString(body))
		}
	}
	w := send(console, "/queue/pause", url.Values{"q": {"ORDERS"}, "reason": {"x"}}, nil)
	if w.Code < 400 || !strings.Contains(w.Body.String(), "audit cannot be written") {
		t.Errorf("a pause that the audit cannot hold: %d", w.Code)
	}
	if _, err := framework.Bind(c, q).Offer(t.Context(), "x", 0); err == nil {
		t.Error("offered as a user who can only read")
	}
}

// Names of queues and titles that others chose are shown, not run.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	c := open(t)
	name := `<img src=x onerror=alert(1)>"'&{{.}}` + "\u202e"
	d := registry.Define[string](name, "</title><script>alert(1)</script>")
	if err := framework.Bind(c, d).Push(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	console := start(t, c, Options{Queues: []registry.Descriptor{d}})
	for _, path := range []string{"/?find=" + url.QueryEscape(`"><script>alert(2)</script>`), "/?find=onerror", "/queue?q=" + url.QueryEscape(name), "/processes?q=" + url.QueryEscape(name), "/queue?q=%00%0a<script>"} {
		_, body := get(t, console, path)
		for _, bad := range []string{"<img", "<script>", "\u202e", "javascript:"} {
			if strings.Contains(body, bad) {
				t.Errorf("GET %s shows %q", path, bad)
			}
		}
	}
}

// Nothing comes from outside, and nothing in a page has a style or script of its own.
func TestNothingFromOutside(t *testing.T) {
	t.Parallel()
	outside := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9]|@import|url\(`)
	inline := regexp.MustCompile(`(?i)\sstyle=|\son[a-z]+=|<style|<script>|<script [^>]*>[^<]|javascript:`)
	for _, files := range []fs.FS{templateFiles, staticFiles} {
		err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := fs.ReadFile(files, path)
			text := string(content)
			for _, name := range []string{`xmlns="http://www.w3.org/2000/svg"`, `/*! https://github.com/leeoniya/uPlot (v1.6.32) */`} { // names that nothing asks for
				text = strings.ReplaceAll(text, name, "")
			}
			if found := outside.FindString(text); found != "" {
				t.Errorf("%s: %q", path, found)
			}
			if strings.HasSuffix(path, ".html") {
				if found := inline.FindString(text); found != "" {
					t.Errorf("%s: %q", path, found)
				}
			}
			if most := map[string]int{"static/app.js": 150, "static/charts.js": 150}[path]; strings.HasSuffix(path, ".js") && path != "static/uplot/uPlot.iife.min.js" && strings.Count(text, "\n") > most {
				t.Errorf("%s has more than %d lines", path, most)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What others wrote is as they released it, with its license next to it, also in the binary.
func TestUPlotIsAsReleased(t *testing.T) {
	t.Parallel()
	console := start(t, open(t), Options{})
	for name, want := range map[string]struct{ sum, contentType string }{ // of npm's uplot 1.6.32
		"uPlot.iife.min.js": {"19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f", "text/javascript; charset=utf-8"},
		"uPlot.min.css":     {"df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04", "text/css; charset=utf-8"},
		"LICENSE.txt":       {"8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd", "text/plain; charset=utf-8"},
	} {
		w := httptest.NewRecorder()
		console.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/static/uplot/"+name+"?v="+staticVersions["uplot/"+name], nil))
		if sum := fmt.Sprintf("%x", sha256.Sum256(w.Body.Bytes())); w.Code != http.StatusOK || sum != want.sum {
			t.Errorf("%s: %d, %s", name, w.Code, sum)
		}
		if got := w.Header(); got.Get("Content-Type") != want.contentType || !strings.Contains(got.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestMistakesOfOptions(t *testing.T) {
	t.Parallel()
	_, err := New(nil, Options{BasePath: "queues", Budget: 7, History: 48 * time.Hour, TrustedOrigins: []string{"nothing"}, Queues: []registry.Descriptor{nil}})
	var all fault.ConfigErrors
	if !errors.As(err, &all) || len(all) != 6 {
		t.Errorf("%v", err)
	}
}
