package serve

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/web"
)

// answer is what a guard in front of a console lets through: the user's name and role.
func answer(g *guard, change func(*http.Request)) (int, string) {
	h := g.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, err := g.authorize(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(u.Name + " " + u.Role.String()))
	}))
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:9465/", nil)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

func TestWhoMayLook(t *testing.T) {
	t.Parallel()
	line, err := hashFrom(strings.NewReader("correct horse\n"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(file, []byte("# people\nann:operate:"+line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	guarded := func(s serving) *guard {
		g, err := s.guard()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	local := guarded(serving{listen: "127.0.0.1:0", role: "look"})
	users := guarded(serving{listen: ":0", role: "look", users: file})
	header := guarded(serving{listen: ":0", role: "support", header: "X-User"})
	open := guarded(serving{listen: ":0", role: "look", open: true})
	login := func(name, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(name, password) }
	}
	for _, row := range []struct {
		name   string
		guard  *guard
		change func(*http.Request)
		status int
		want   string
	}{
		{"loopback", local, nil, 200, "local look"},
		{"loopback by another name, as after DNS rebinding", local, func(r *http.Request) { r.Host = "evil.example:9465" }, 403, ""},
		{"loopback by IPv6", local, func(r *http.Request) { r.Host = "[::1]:9465" }, 200, "local look"},
		{"no login", users, nil, 401, ""},
		{"login", users, login("ann", "correct horse"), 200, "ann operate"},
		{"login again, from memory", users, login("ann", "correct horse"), 200, "ann operate"},
		{"wrong password", users, login("ann", "correct  horse"), 401, ""},
		{"wrong name", users, login("bob", "correct horse"), 401, ""},
		{"proxy", header, func(r *http.Request) { r.Header.Set("X-User", "eve\x1b[2J") }, 200, `eve\x1b[2J support`},
		{"proxy that names no one", header, nil, 403, ""},
		{"open", open, func(r *http.Request) { r.Host = "queues.example" }, 200, "anyone look"},
	} {
		status, got := answer(row.guard, row.change)
		if status != row.status || row.want != "" && got != row.want {
			t.Errorf("%s: %d, %q", row.name, status, got)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "users")
	content := "ann:operate\nbob:king:x\ncy:look:$2y$10$x\n" + "dee:look:pbkdf2-sha256$600000$AAAAAAAAAAAAAAAAAAAAAA$" + strings.Repeat("A", 43) + "\ndee:look:pbkdf2-sha256$600000$AAAAAAAAAAAAAAAAAAAAAA$" + strings.Repeat("A", 43) + "\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readUsers(file)
	for _, want := range []string{"users:1: a line is name:role:hash", "users:2: unknown role", "users:3: no hash of", `users:5: "dee" stands there twice`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	for _, s := range []serving{
		{listen: ":0", role: "look"},
		{listen: "10.0.0.7:80", role: "look"},
		{listen: "nothing", role: "look"},
		{listen: "127.0.0.1:0", role: "none"},
		{listen: "127.0.0.1:0", role: "root"},
		{listen: ":0", role: "look", open: true, header: "X"},
	} {
		if _, err := s.guard(); err == nil {
			t.Errorf("%+v is no mistake", s)
		}
	}
	if _, err := hashFrom(strings.NewReader("short\n")); err == nil {
		t.Error("a short password")
	}
	if r, err := web.ParseRole("admin"); r != web.RoleAdmin || err != nil {
		t.Errorf("%v, %v", r, err)
	}
}
