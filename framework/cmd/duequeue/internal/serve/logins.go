package serve

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/budget"
)

// Bounds of the work for logins that are not known yet.
const (
	hashesAtOnce  = 1 // each takes a core for a while
	hashesWaiting = 8 // logins that wait for that, one of each address
	freeFailures  = 3 // before the first pause
	longestPause  = time.Minute
	forgetAfter   = 15 * time.Minute // after a pause
	mostFailing   = 10_000           // names and addresses that are remembered
	mostKnown     = 10_000           // logins
)

// logins checks names and passwords. It is safe for concurrent use.
type logins struct {
	users  map[string]user
	rounds []int // of the users, by name: unknown names take as long as one of them
	hash   func(h hash, password string) bool
	now    func() time.Time
	turns  *budget.Turns

	mu      sync.Mutex
	salt    [32]byte
	known   map[[32]byte]bool   // logins that were right, and from where: their hash takes a while
	failing map[string]*failing // by name and by address
}

// failing is a name or an address with which logins were wrong.
type failing struct {
	n     int
	until time.Time // no other login is looked at before
}

func newLogins(users map[string]user) *logins {
	l := &logins{
		users: users, now: time.Now, hash: hash.is, turns: budget.NewTurns(hashesAtOnce, 1, hashesWaiting),
		known: map[[32]byte]bool{}, failing: map[string]*failing{},
	}
	_, _ = rand.Read(l.salt[:]) // it never fails
	for _, name := range slices.Sorted(maps.Keys(users)) {
		l.rounds = append(l.rounds, users[name].hash.rounds)
	}
	return l
}

// errWrong says that name or password is wrong.
var errWrong = errors.New("name or password is wrong")

// pauseError says that no login is looked at for a while.
type pauseError struct{ left time.Duration }

// Error says so.
func (e *pauseError) Error() string { return "too many wrong logins: try again later" }

// check returns nil for a right login. One that was right before costs nothing; others wait for
// their turn, in turn with those of other addresses. The error is errWrong or a [*pauseError].
func (l *logins) check(ctx context.Context, name, password, address string) error {
	login, place := l.digest(name, password), l.digest(name, "at "+address)
	if l.isKnown(login) {
		return nil
	}
	if err := l.pause(name, address, place); err != nil {
		return err
	}
	end, err := l.turns.Take(ctx, address)
	if err != nil {
		return &pauseError{2 * time.Second}
	}
	defer end()
	if l.isKnown(login) { // by another request, since
		return nil
	}
	if err := l.pause(name, address, place); err != nil {
		return err
	}
	u, ok := l.users[name]
	if !ok {
		at := binary.BigEndian.Uint32(login[:]) % uint32(max(len(l.rounds), 1)) //nolint:gosec // few users
		u.hash = hash{rounds: l.rounds[at], salt: l.salt[:16], sum: make([]byte, 32)}
	}
	if !l.hash(u.hash, password) || !ok {
		l.failed(name, address)
		return errWrong
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= mostKnown {
		clear(l.known)
	}
	l.known[login], l.known[place] = true, true
	delete(l.failing, "name "+name)
	return nil
}

// digest is what is remembered of two texts.
func (l *logins) digest(name, text string) [32]byte {
	mac := hmac.New(sha256.New, l.salt[:])
	_ = binary.Write(mac, binary.BigEndian, uint64(len(name)))
	mac.Write([]byte(name + text))
	return [32]byte(mac.Sum(nil))
}

func (l *logins) isKnown(login [32]byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[login]
}

// pause returns an error while the address has a pause, or the name has: but not where the name was
// right before, or others could lock its owner out.
func (l *logins) pause(name, address string, place [32]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	until := time.Time{}
	if f := l.failing["address "+address]; f != nil {
		until = f.until
	}
	if f := l.failing["name "+name]; f != nil && !l.known[place] && f.until.After(until) {
		until = f.until
	}
	if left := until.Sub(l.now()); left > 0 {
		return &pauseError{left}
	}
	return nil
}

// failed makes the next pause of a name and an address twice as long.
func (l *logins) failed(name, address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, of := range []string{"name " + name, "address " + address} {
		f := l.failing[of]
		if f == nil || now.Sub(f.until) > forgetAfter && f.n > freeFailures {
			f = &failing{}
			l.forget(now)
			l.failing[of] = f
		}
		if f.n++; f.n > freeFailures {
			f.until = now.Add(min(time.Second<<min(f.n-freeFailures-1, 10), longestPause))
		}
	}
}

// forget makes room: pauses that are over are forgotten first.
func (l *logins) forget(now time.Time) {
	if len(l.failing) < mostFailing {
		return
	}
	maps.DeleteFunc(l.failing, func(_ string, f *failing) bool { return now.After(f.until) })
	if len(l.failing) >= mostFailing {
		clear(l.failing)
	}
}

// addressOf is where a request comes from. Behind a proxy on this machine or in a private network
// that is the last address that the proxy has added; of IPv6 it is the network.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if given := r.Header.Values("X-Forwarded-For"); len(given) > 0 && (ip.IsLoopback() || ip.IsPrivate()) {
		last := given[len(given)-1]
		if behind, err := netip.ParseAddr(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])); err == nil {
			ip = behind
		}
	}
	if ip = ip.Unmap(); ip.Is6() {
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}
