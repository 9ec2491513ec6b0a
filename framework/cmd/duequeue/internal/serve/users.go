package serve

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/web"
)

// guard says who sends a request.
type guard struct {
	role   web.Role
	local  bool    // loopback, without login
	header string  // in which a proxy names the user
	logins *logins // nil without users
}

// user is a line of the file.
type user struct {
	role web.Role
	hash hash
}

// wrap asks for a login where there are users, and refuses names of other hosts where there are
// none: a page of another site can give its name the address of this machine.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.logins != nil {
			err := errWrong
			if name, password, ok := r.BasicAuth(); ok {
				err = g.logins.check(r.Context(), name, password, addressOf(r))
			}
			if later, ok := errors.AsType[*pauseError](err); ok {
				w.Header().Set("Retry-After", strconv.Itoa(int((later.left+time.Second-1)/time.Second)))
				http.Error(w, "Too many wrong logins: try again later.", http.StatusTooManyRequests)
				return
			}
			if err != nil {
				w.Header().Set("WWW-Authenticate", `Basic realm="duequeue", charset="UTF-8"`)
				http.Error(w, "Name and password, please.", http.StatusUnauthorized)
				return
			}
		}
		if g.local {
			host := r.Host
			if h, _, err := net.SplitHostPort(host); err == nil {
				host = h
			}
			if !loopback(strings.Trim(host, "[]")) {
				http.Error(w, "This console is for this machine: open it as localhost, or start it with -open.", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// authorize is that of the console; wrap has looked at the password.
func (g *guard) authorize(r *http.Request) (web.User, error) {
	switch {
	case g.logins != nil:
		name, _, _ := r.BasicAuth()
		u, ok := g.logins.users[name]
		if !ok {
			return web.User{}, errors.New("no such user")
		}
		return web.User{Name: name, Role: u.role}, nil
	case g.header != "":
		name := strings.TrimSpace(r.Header.Get(g.header))
		if name == "" {
			return web.User{}, fmt.Errorf("the proxy has not named a user in %s", g.header)
		}
		return web.User{Name: codecs.Printable(name, 200), Role: g.role}, nil
	case g.local:
		return web.User{Name: "local", Role: g.role}, nil
	}
	return web.User{Name: "anyone", Role: g.role}, nil
}

// rounds of a new hash: some 100 ms.
const rounds = 600_000

// hash is one of a password, by PBKDF2 with SHA-256. Its text is "pbkdf2-sha256$rounds$salt$sum".
type hash struct {
	rounds    int
	salt, sum []byte
}

func (h hash) is(password string) bool {
	sum, err := pbkdf2.Key(sha256.New, password, h.salt, h.rounds, len(h.sum))
	return err == nil && hmac.Equal(sum, h.sum)
}

const hashKind = "pbkdf2-sha256"

func (h hash) String() string {
	text := base64.RawStdEncoding
	return fmt.Sprintf("%s$%d$%s$%s", hashKind, h.rounds, text.EncodeToString(h.salt), text.EncodeToString(h.sum))
}

func parseHash(text string) (h hash, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 4 || parts[0] != hashKind {
		return h, errors.New("no hash of \"duequeue web -hash\"")
	}
	if h.rounds, err = strconv.Atoi(parts[1]); err != nil || h.rounds < 1000 || h.rounds > 100_000_000 {
		return h, errors.New("a hash with a wrong number of rounds")
	}
	if h.salt, err = base64.RawStdEncoding.DecodeString(parts[2]); err == nil {
		h.sum, err = base64.RawStdEncoding.DecodeString(parts[3])
	}
	if err != nil || len(h.sum) != 32 || len(h.salt) < 8 {
		return h, errors.New("a hash that was cut off")
	}
	return h, nil
}

// hashFrom reads a password, which is the first line.
func hashFrom(r io.Reader) (string, error) {
	const most = 4 << 10
	line, err := bufio.NewReader(io.LimitReader(r, most)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line = bytes.TrimRight(line, "\r\n")
	if len(line) < 8 || len(line) >= most-1 {
		return "", errors.New("the password on standard input must have at least 8 characters")
	}
	h := hash{rounds: rounds, salt: make([]byte, 16)}
	_, _ = rand.Read(h.salt) // it never fails
	if h.sum, err = pbkdf2.Key(sha256.New, string(line), h.salt, h.rounds, 32); err != nil {
		return "", err
	}
	return h.String(), nil
}

// readUsers reads the file. The error names all wrong lines.
func readUsers(path string) (map[string]user, error) {
	content, err := config.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("-users: %w", err)
	}
	if reason := config.TooMuch(content); reason != "" {
		return nil, fmt.Errorf("-users: %s: %s", path, reason)
	}
	users := map[string]user{}
	var errs []error
	n := 0
	for line := range strings.Lines(string(content)) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		wrong := func(err error) { errs = append(errs, fmt.Errorf("-users: %s:%d: %w", path, n, err)) }
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 || parts[0] == "" {
			wrong(errors.New("a line is name:role:hash"))
			continue
		}
		role, err := web.ParseRole(parts[1])
		if err != nil {
			wrong(err)
			continue
		}
		h, err := parseHash(parts[2])
		if err != nil {
			wrong(err)
			continue
		}
		if _, twice := users[parts[0]]; twice {
			wrong(fmt.Errorf("%q stands there twice", parts[0]))
			continue
		}
		users[parts[0]] = user{role, h}
	}
	if len(users) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("-users: %s names no user", path))
	}
	return users, errors.Join(errs...)
}
