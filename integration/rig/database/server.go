// Package database runs real database servers for tests, each on a free port of the
// loopback, with its data in a temporary folder, and stops them by pid: PostgreSQL and
// MariaDB of the system's packages, and SQLite in this process. A server that is not
// installed fails the test; .ci/setup.sh installs them.
package database

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver mysql
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite

	"github.com/duequeue/duequeue/framework/internal/lab"
)

const (
	stopTimeout = 20 * time.Second
	idleConns   = 10
)

// Server is a database. DB is a pool of connections to it, which is closed when the test ends.
// Kill and Restart belong to the goroutine of the test.
type Server struct {
	*sql.DB
	Driver, DSN string // for sql.Open
	Name        string // postgres, mysql or sqlite

	tb      testing.TB
	command []string
	owner   *syscall.SysProcAttr
	goodbye syscall.Signal // ends it in good order
	dir     string
	mu      sync.Mutex
	running *lab.Process // nil before the first start
}

// Kinds are the functions that start a server, by its name.
func Kinds() map[string]func(testing.TB) *Server {
	return map[string]func(testing.TB) *Server{"sqlite": SQLite, "postgres": Postgres, "mysql": MariaDB}
}

// SQLite opens a database file. It has no server: Kill and Restart fail the test.
func SQLite(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{tb: tb, Name: "sqlite", Driver: "sqlite"}
	s.DSN = "file:" + filepath.Join(tb.TempDir(), "test.db") +
		"?_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate"
	s.open()
	return s
}

// Postgres runs PostgreSQL.
func Postgres(tb testing.TB) *Server {
	tb.Helper()
	s := newServer(tb, "postgres", "pgx", "postgres")
	s.goodbye = syscall.SIGINT // its fast shutdown
	data := filepath.Join(s.dir, "data")
	s.run(binary(tb, "initdb", "/usr/lib/postgresql/*/bin/initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
	port := freePort(tb)
	s.command = []string{
		binary(tb, "postgres", "/usr/lib/postgresql/*/bin/postgres"), "-D", data, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200",
	}
	s.DSN = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
	s.Restart()
	return s
}

// MariaDB runs MariaDB.
func MariaDB(tb testing.TB) *Server {
	tb.Helper()
	s := newServer(tb, "mysql", "mysql", "mysql")
	data := filepath.Join(s.dir, "data")
	s.run(binary(tb, "mariadb-install-db", "/usr/bin/mariadb-install-db"), "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db", "--tmpdir="+s.dir)
	port := freePort(tb)
	s.command = []string{
		binary(tb, "mariadbd", "/usr/sbin/mariadbd"), "--no-defaults", "--datadir=" + data, "--port=" + strconv.Itoa(port),
		"--bind-address=127.0.0.1", "--socket=" + filepath.Join(s.dir, "sock"), "--pid-file=" + filepath.Join(s.dir, "pid"),
		"--tmpdir=" + s.dir, "--max-connections=200", "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=2",
	}
	s.DSN = fmt.Sprintf("root@tcp(127.0.0.1:%d)/shop?multiStatements=true", port)
	s.start()
	bare, err := sql.Open("mysql", fmt.Sprintf("root@tcp(127.0.0.1:%d)/", port))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = bare.Close() }()
	s.await(bare)
	if _, err := bare.ExecContext(tb.Context(), "CREATE DATABASE shop CHARACTER SET utf8mb4"); err != nil {
		tb.Fatal(err)
	}
	s.open()
	return s
}

// newServer makes a folder that the server may write: neither runs as root, so it then runs
// as the user of its package.
func newServer(tb testing.TB, name, driver, account string) *Server {
	tb.Helper()
	s := &Server{tb: tb, Name: name, Driver: driver, owner: &syscall.SysProcAttr{Setpgid: true}, goodbye: syscall.SIGTERM}
	// Not tb.TempDir, whose parents only this user may enter.
	dir, err := os.MkdirTemp("", "duequeue-"+name+"-") //nolint:usetesting // see above
	if err != nil {
		tb.Fatal(err)
	}
	s.dir = dir
	tb.Cleanup(func() {
		if log, readErr := os.ReadFile(filepath.Join(dir, "log")); readErr == nil && tb.Failed() {
			tb.Logf("%s said at last\n%s", name, log[max(0, len(log)-4096):])
		}
		_ = os.RemoveAll(dir)
	})
	if os.Geteuid() != 0 {
		return s
	}
	u, err := user.Lookup(account)
	if err != nil {
		tb.Fatalf("%v: %s does not run as root; install its package, or run the tests as another user", err, name)
	}
	uid, gid := id(tb, u.Uid), id(tb, u.Gid)
	s.owner.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		tb.Fatal(err)
	}
	return s
}

func id(tb testing.TB, text string) uint32 {
	tb.Helper()
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		tb.Fatal(err)
	}
	return uint32(n)
}

// binary finds a program on the path or where Debian keeps it, the newest version.
func binary(tb testing.TB, name, pattern string) string {
	tb.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob(pattern)
	if len(found) == 0 {
		tb.Fatalf("%s is not installed: run .ci/setup.sh, or apt-get install postgresql mariadb-server", name)
	}
	slices.Sort(found)
	return found[len(found)-1]
}

func freePort(tb testing.TB) int {
	tb.Helper()
	port, err := lab.FreePort()
	if err != nil {
		tb.Fatal(err)
	}
	return port
}

// run runs a program to its end.
func (s *Server) run(name string, args ...string) {
	s.tb.Helper()
	cmd := exec.CommandContext(s.tb.Context(), name, args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, s.owner
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "TMPDIR="+s.dir, "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.tb.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// Restart starts the server, after it has killed the one that runs, and waits until it
// answers.
func (s *Server) Restart() {
	s.tb.Helper()
	s.Kill()
	s.start()
	s.open()
}

// Kill ends the server at once, as kill -9 does; of several processes all.
func (s *Server) Kill() {
	s.tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(syscall.SIGKILL)
}

// end sends the signal and waits. s.mu is held.
func (s *Server) end(sig syscall.Signal) {
	if s.running == nil || !s.running.Running() {
		return
	}
	pid := s.running.PID()
	var others []lab.Stat // processes of PostgreSQL have groups of their own, and may outlive the first one
	if sig == syscall.SIGKILL {
		_ = lab.Pause(pid) // so that it starts none that nobody knows of
		others = lab.Descendants(pid)
	}
	_ = syscall.Kill(-pid, sig)
	select {
	case <-s.running.Done():
	case <-time.After(stopTimeout):
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		<-s.running.Done()
	}
	for _, other := range others {
		_ = syscall.Kill(other.PID, syscall.SIGKILL)
	}
}

func (s *Server) start() {
	s.tb.Helper()
	if len(s.command) == 0 {
		s.tb.Fatalf("%s has no server", s.Name)
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer func() { _ = log.Close() }()                  // the server has its own
	cmd := exec.Command(s.command[0], s.command[1:]...) //nolint:noctx // ended by pid
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = s.dir, s.owner, log, log
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "TMPDIR="+s.dir, "LC_ALL=C")
	server, err := lab.StartProcess(cmd)
	if err != nil {
		s.tb.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.tb.Cleanup(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.end(s.goodbye)
		})
	}
	s.running = server
}

// open makes the pool, once, and waits until the server answers.
func (s *Server) open() {
	s.tb.Helper()
	if s.DB == nil {
		db, err := sql.Open(s.Driver, s.DSN)
		if err != nil {
			s.tb.Fatal(err)
		}
		db.SetMaxOpenConns(40)
		db.SetMaxIdleConns(idleConns)
		s.tb.Cleanup(func() { _ = db.Close() })
		s.DB = db
	}
	s.await(s.DB)
}

// await waits until the server answers. One that ends is started again: after a kill, the
// children of PostgreSQL hold its memory for a moment.
func (s *Server) await(db *sql.DB) {
	s.tb.Helper()
	lab.Wait(s.tb, func() string {
		err := ping(s.tb.Context(), db)
		if err == nil {
			return ""
		}
		if s.running != nil && !s.running.Running() {
			s.start()
		}
		return fmt.Sprintf("%s does not answer: %v", s.Name, err)
	})
}

// ping asks on a new connection. One of the pool may lead to a child of a server that was
// killed.
func ping(ctx context.Context, db *sql.DB) error {
	db.SetMaxIdleConns(-1) // closes those that are idle
	defer db.SetMaxIdleConns(idleConns)
	return db.PingContext(ctx)
}
