package lab

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Server is one running Redis server. Its methods are safe for concurrent use,
// except those that stop and start it (Kill, Pause, Resume, Restart, Stop), which
// belong to one goroutine at a time. They report trouble by failing the test that
// started the server; on one started by [RunRedis] they panic.
type Server struct {
	path string
	dir  string
	port int
	set  settings
	fail func(format string, args ...any)

	tls    *Proxy // nil without TLS
	proc   *Process
	client func() *redis.Client // made at the first call
	mu     sync.Mutex           // guards made
	made   []*redis.Client
}

// StartRedis runs a server for the duration of the test. Without options it keeps
// nothing on disk. The test fails with the tail of the server's log when it does
// not come up, and with what to install when there is no binary.
func StartRedis(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	s, err := launch(newSettings(opts), tb.TempDir(), tb.Fatalf)
	if err != nil {
		tb.Fatalf("lab: %v", err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("lab: log of %s:\n%s", s.Addr(), s.Log())
		}
		if err := s.shut(); err != nil {
			tb.Errorf("lab: %v", err)
		}
	})
	return s
}

// RunRedis starts a server outside of a test, for TestMain; the caller calls
// [Server.Stop]. It returns ErrNoBinary, wrapped, when there is nothing to run.
func RunRedis(opts ...Option) (*Server, error) {
	dir, err := os.MkdirTemp("", "duequeue-lab-")
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	s, err := launch(newSettings(opts), dir, func(format string, args ...any) {
		panic(fmt.Sprintf(format, args...))
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lab: %w", err), os.RemoveAll(dir))
	}
	return s, nil
}

// Stop ends a server that [RunRedis] started, closes its clients and removes its
// directory. Calling it again is harmless. Servers of [StartRedis] stop by themselves.
func (s *Server) Stop() error {
	return errors.Join(s.shut(), os.RemoveAll(s.dir))
}

func newSettings(opts []Option) settings {
	var set settings
	for _, o := range opts {
		o(&set)
	}
	return set
}

// launch starts a server on a free port; a port that somebody else took in the
// meantime is given up for another one.
func launch(set settings, dir string, fail func(string, ...any)) (*Server, error) {
	path, err := binary()
	if err != nil {
		return nil, err
	}
	s := &Server{path: path, dir: dir, set: set, fail: fail}
	s.client = sync.OnceValue(func() *redis.Client { return s.NewClient(nil) })
	if err = s.writeSentinelFile(); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		if s.port, err = FreePort(); err != nil {
			return nil, err
		}
		if err = s.start(); err == nil {
			if err = s.serveTLS(); err != nil {
				return nil, errors.Join(err, s.shut())
			}
			return s, nil
		}
		if try == 5 || !portTaken(s.Log()) {
			return nil, fmt.Errorf("%w; its log ends with\n%s", err, s.Log())
		}
	}
}

// portTaken tells from the server's log that somebody else took its port.
func portTaken(log string) bool {
	return strings.Contains(log, "already in use") || strings.Contains(log, "Failed listening on port")
}

// start runs the process on the server's port, with its output appended to the log, and waits
// until it says that it serves, and answers. An answer alone is not enough: it may come from the
// server of another test, which took the port first.
func (s *Server) start() error {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the child has its own
	before, err := log.Stat()
	if err != nil {
		return err
	}
	cmd := exec.Command(s.path, s.commandLine()...)
	cmd.Env = append(os.Environ(), s.set.env...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, s.dir
	proc, err := StartProcess(cmd)
	if err != nil {
		return err
	}
	err = await(proc.done, pollEvery, func() string {
		if !s.listens(before.Size()) {
			return "its log does not say that it serves"
		}
		if pingErr := ping(s.Addr()); pingErr != nil {
			return fmt.Sprintf("no answer to PING on %s: %v", s.Addr(), pingErr)
		}
		return ""
	})
	if err != nil {
		return errors.Join(err, proc.Kill(), proc.Err())
	}
	s.proc = proc
	return nil
}

// listens reports whether the process logged that it has its port, behind the first bytes of the log,
// which are of earlier starts.
func (s *Server) listens(earlier int64) bool {
	log, err := os.ReadFile(s.logFile())
	if err != nil || int64(len(log)) < earlier {
		return false
	}
	log = log[earlier:]
	return bytes.Contains(log, []byte("Ready to accept connections")) || bytes.Contains(log, []byte("Sentinel ID is"))
}

// ping asks over a bare connection, so that it needs no user or password: a server
// that demands one is up as well.
func ping(addr string) (err error) {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err = conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	if _, err = conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return err
	}
	if strings.HasPrefix(line, "+PONG") || strings.HasPrefix(line, "-NOAUTH") {
		return nil
	}
	return fmt.Errorf("PING answered %q", strings.TrimSpace(line))
}

// commandLine is what the binary is called with. A Sentinel keeps its state in its
// configuration file, which comes first, as the binary wants it.
func (s *Server) commandLine() []string {
	port := []string{"--port", strconv.Itoa(s.port)}
	if s.set.sentinel != "" {
		return append(append([]string{s.sentinelFile()}, port...), "--sentinel")
	}
	return append(port, s.set.arguments(s.dir)...)
}

// shut closes the clients and ends the process.
func (s *Server) shut() error {
	s.mu.Lock()
	made := s.made
	s.made = nil
	s.mu.Unlock()
	for _, c := range made {
		_ = c.Close() // a test may have closed it itself
	}
	if s.tls != nil {
		s.tls.Close()
	}
	return s.proc.Stop()
}

// Kill ends the server at once, as kill -9 does, and waits until it is gone.
// [Server.Restart] brings it back.
func (s *Server) Kill() { s.must("kill", s.proc.Kill()) }

// Pause freezes the server (SIGSTOP): connections stay open and nothing answers.
func (s *Server) Pause() { s.must("pause", s.proc.Pause()) }

// Resume lets a paused server go on (SIGCONT).
func (s *Server) Resume() { s.must("resume", s.proc.Resume()) }

// Restart runs the server again on the same port and directory, ending the old
// process in good order first if it still runs. Without [AppendOnly] its data are
// gone. It returns when the server answers.
func (s *Server) Restart() {
	err := s.proc.Stop()
	if err == nil {
		err = s.start()
	}
	if err != nil {
		err = fmt.Errorf("%w; its log ends with\n%s", err, s.Log())
	}
	s.must("restart", err)
}

func (s *Server) must(what string, err error) {
	if err != nil {
		s.fail("lab: %s %s: %v", what, s.Addr(), err)
	}
}

// Addr is the server's address as host:port.
func (s *Server) Addr() string { return loopback(s.port) }

// Port is the server's TCP port.
func (s *Server) Port() int { return s.port }

// PID is the process id of the running (or last) server process.
func (s *Server) PID() int { return s.proc.PID() }

// URL is the server's address as redis://host:port, with the password if it has one.
func (s *Server) URL() string {
	u := url.URL{Scheme: "redis", Host: s.Addr()}
	if s.set.password != "" {
		u.User = url.UserPassword("", s.set.password)
	}
	return u.String()
}

// Log returns the last lines that the server logged.
func (s *Server) Log() string {
	const lines = 15
	data, err := os.ReadFile(s.logFile())
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func (s *Server) logFile() string { return filepath.Join(s.dir, "redis.log") }

// Client returns the server's plain client, the same one at each call; it is closed
// when the server stops. It never retries, so that a test sees each failure.
func (s *Server) Client() *redis.Client { return s.client() }

// NewClient returns a further client, whose options the function (may be nil) may
// change before it is built; it is closed when the server stops.
func (s *Server) NewClient(change func(*redis.Options)) *redis.Client {
	o := &redis.Options{
		Addr: s.Addr(), Password: s.set.password, MaxRetries: -1, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if change != nil {
		change(o)
	}
	c := redis.NewClient(o)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, c)
	return c
}
