// Package database runs real database servers for tests, each on a free port of the
// loopback, with its data in a temporary folder, and stops them by pid: PostgreSQL and
// MariaDB of the system's packages, and SQLite in this process. A server that is not
// installed fails the test; .ci/setup.sh installs them.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver mysql
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite
)

const (
	startTimeout = 2 * time.Minute // also on a machine that is busy
	stopTimeout  = 20 * time.Second
	pollEvery    = 20 * time.Millisecond
	idleConns    = 10
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
	running *exec.Cmd
	gone    chan struct{}
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
	s := &Server{tb: tb, Name: name, Driver: driver, owner: diesWithParent(), goodbye: syscall.SIGTERM}
	// Not tb.TempDir, whose parents only this user may enter.
	dir, err := os.MkdirTemp("", "duequeue-"+name+"-") //nolint:usetesting // see above
	if err != nil {
		tb.Fatal(err)
	}
	s.dir = dir
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
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

// freePort asks the system. Somebody else may take it before the server does; then its start
// fails loudly.
func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
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
	if s.running == nil {
		return
	}
	pid := s.running.Process.Pid
	var others []int // processes of PostgreSQL have groups of their own, and may outlive the first one
	if sig == syscall.SIGKILL {
		_ = syscall.Kill(pid, syscall.SIGSTOP) // so that it starts none that nobody knows of
		others = children(pid)
	}
	_ = syscall.Kill(-pid, sig)
	select {
	case <-s.gone:
	case <-time.After(stopTimeout):
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		<-s.gone
	}
	for _, other := range others {
		_ = syscall.Kill(other, syscall.SIGKILL)
	}
	s.running = nil
}

// children returns the processes that a process has started, where the system has /proc.
func children(pid int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …, and a name may have anything in it.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			pids = append(pids, child)
		}
	}
	return pids
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
	cmd := exec.Command(s.command[0], s.command[1:]...) //nolint:noctx // ended by pid
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = s.dir, s.owner, log, log
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "TMPDIR="+s.dir, "LC_ALL=C")
	started, gone := make(chan error), make(chan struct{})
	go func() {
		// The kernel ties "die with the parent" to the starting thread.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		startErr := cmd.Start()
		started <- startErr
		if startErr == nil {
			_ = cmd.Wait()
		}
		_ = log.Close()
		close(gone)
	}()
	if err := <-started; err != nil {
		s.tb.Fatalf("%s: %v", s.command[0], err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone == nil {
		s.tb.Cleanup(s.stop)
	}
	s.running, s.gone = cmd, gone
}

func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(s.goodbye)
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.tb.Context()), startTimeout)
	defer cancel()
	for {
		err := ping(ctx, db)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			s.tb.Fatalf("%s does not answer: %v", s.Name, errors.Join(err, s.said()))
		case <-s.ended():
			<-time.After(10 * pollEvery)
			s.start()
		case <-time.After(pollEvery):
		}
	}
}

// ping asks on a new connection. One of the pool may lead to a child of a server that was
// killed.
func ping(ctx context.Context, db *sql.DB) error {
	db.SetMaxIdleConns(-1) // closes those that are idle
	defer db.SetMaxIdleConns(idleConns)
	return db.PingContext(ctx)
}

func (s *Server) ended() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone // nil for SQLite
}

// said returns what the server logged.
func (s *Server) said() error {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	return errors.New(string(text[max(0, len(text)-4096):]))
}
