package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/web"
)

// watched is a guard of one user, whose hashes are counted and cost nothing.
type watched struct {
	*guard

	hashes, under, most atomic.Int64
	rounds              sync.Map
	at                  atomic.Int64 // ns of the clock
}

func watch() *watched {
	w := &watched{}
	l := newLogins(map[string]user{"ann": {web.RoleLook, hash{rounds: 1000}}, "bob": {web.RoleLook, hash{rounds: 2000}}})
	l.now = func() time.Time { return time.Unix(0, w.at.Load()) }
	l.hash = func(h hash, password string) bool {
		w.hashes.Add(1)
		w.rounds.Store(h.rounds, true)
		now := w.under.Add(1)
		defer w.under.Add(-1)
		for most := w.most.Load(); now > most; most = w.most.Load() {
			w.most.CompareAndSwap(most, now)
		}
		return password == "right"
	}
	w.guard = &guard{logins: l}
	return w
}

func (w *watched) login(name, password, from string) (status int, retry string) {
	h := w.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = from + ":40000"
	r.SetBasicAuth(name, password)
	got := httptest.NewRecorder()
	h.ServeHTTP(got, r)
	return got.Code, got.Header().Get("Retry-After")
}

// Whatever number of wrong logins come, they cost few hashes, one at a time; who is logged in
// already does not notice, and who comes from elsewhere gets in.
func TestWrongLoginsCostFewHashes(t *testing.T) {
	t.Parallel()
	w := watch()
	if status, _ := w.login("ann", "right", "192.0.2.1"); status != http.StatusOK {
		t.Fatalf("a right login: %d", status)
	}
	before := w.hashes.Load()
	var all sync.WaitGroup
	for i := range 400 {
		all.Go(func() {
			status, retry := w.login("ann", fmt.Sprint("wrong ", i), "203.0.113.9")
			if status != http.StatusUnauthorized && (status != http.StatusTooManyRequests || retry == "" || retry == "0") {
				t.Errorf("%d, Retry-After %q", status, retry)
			}
		})
	}
	all.Wait()
	if n := w.hashes.Load() - before; n == 0 || n > freeFailures+1 || w.most.Load() > hashesAtOnce {
		t.Errorf("400 wrong logins: %d hashes, %d at a time", n, w.most.Load())
	}
	before = w.hashes.Load()
	if status, _ := w.login("ann", "right", "203.0.113.9"); status != http.StatusOK || w.hashes.Load() != before {
		t.Errorf("a login that is known: %d, %d hashes", status, w.hashes.Load()-before)
	}
	if status, _ := w.login("bob", "right", "192.0.2.2"); status != http.StatusOK {
		t.Errorf("a login of another from elsewhere: %d", status)
	}
}

// Each wrong login makes the next pause longer, of the name and of the address; a name is not locked
// where it was right before.
func TestPausesGrow(t *testing.T) {
	t.Parallel()
	w := watch()
	if status, _ := w.login("ann", "right", "192.0.2.1"); status != http.StatusOK {
		t.Fatalf("a right login: %d", status)
	}
	for i, want := range []int{0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60} { // seconds, after each guess from another address
		if status, _ := w.login("ann", fmt.Sprint("wrong ", i), fmt.Sprintf("203.0.113.%d", i)); status != http.StatusUnauthorized {
			t.Fatalf("guess %d: %d", i, status)
		}
		if want > 0 {
			status, retry := w.login("ann", "right, but who knows", "198.51.100.1")
			if status != http.StatusTooManyRequests || retry != strconv.Itoa(want) {
				t.Errorf("after guess %d: %d, a pause of %q s, want %d", i, status, retry, want)
			}
			if status, _ = w.login("bob", "right", "198.51.100.1"); status != http.StatusOK {
				t.Errorf("another name: %d", status)
			}
		}
		w.at.Add(int64(want) * int64(time.Second))
	}
	for i := range 3 {
		if status, _ := w.login("ann", fmt.Sprint("mistyped ", i), "203.0.113.50"); i > 0 && status != http.StatusTooManyRequests {
			t.Errorf("a guess in a pause: %d", status)
		}
	}
	if status, _ := w.login("ann", "mistyped", "192.0.2.1"); status != http.StatusUnauthorized {
		t.Errorf("in a pause of the name, where it was right before: %d", status)
	}
}

// A name that there is not takes as long as one that there is, whatever the rounds of hashes are.
func TestUnknownNamesTakeAsLongAsKnownOnes(t *testing.T) {
	t.Parallel()
	w := watch()
	for i := range 100 {
		w.login(fmt.Sprint("nobody ", i), "wrong", fmt.Sprintf("203.0.%d.1", i))
	}
	w.rounds.Range(func(rounds, _ any) bool {
		if rounds != 1000 && rounds != 2000 {
			t.Errorf("%d rounds for an unknown name", rounds)
		}
		return true
	})
}

// What is remembered of wrong logins is bounded.
func TestWrongLoginsTakeLittleMemory(t *testing.T) {
	t.Parallel()
	w := watch()
	for i := range 2 * mostFailing {
		w.login(fmt.Sprint("nobody ", i), "wrong", fmt.Sprintf("203.%d.%d.1", i/250, i%250))
	}
	if n := len(w.logins.failing); n > mostFailing {
		t.Errorf("%d are remembered", n)
	}
}

// Behind a proxy each client has its own pauses, and no one else chooses their address.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ remote, forwarded, want string }{
		{"203.0.113.9:1", "", "203.0.113.9"},
		{"203.0.113.9:1", "198.51.100.1", "203.0.113.9"},
		{"127.0.0.1:1", "10.9.9.9, 198.51.100.1", "198.51.100.1"},
		{"10.0.0.2:1", "198.51.100.1", "198.51.100.1"},
		{"10.0.0.2:1", "nonsense", "10.0.0.2"},
		{"[2001:db8::1]:1", "", "2001:db8::/64"},
		{"[::ffff:203.0.113.9]:1", "", "203.0.113.9"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = row.remote
		if row.forwarded != "" {
			r.Header.Set("X-Forwarded-For", row.forwarded)
		}
		if got := addressOf(r); got != row.want {
			t.Errorf("%+v: %s", row, got)
		}
	}
}
