package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

const (
	startTimeout = 15 * time.Second // until a server answers and has loaded its data
	stopPatience = 10 * time.Second // between SIGTERM and SIGKILL
	logLimit     = 1 << 20          // a server's log is cut to this when it is started again
)

// Fsync tells when a server's append-only file is synced. The zero value is Always.
type Fsync string

// What a server keeps on disk.
const (
	Always   Fsync = "always"   // synced before each reply
	EverySec Fsync = "everysec" // written before each reply, synced each second
	Nothing  Fsync = "nothing"  // no file: a killed server has lost all
)

// ServerOptions say how a server is run. The zero value is a plain server with an
// append-only file that is synced before each reply.
type ServerOptions struct {
	Fsync Fsync
	// Config are further lines for redis.conf, for example "maxmemory 64mb". They
	// come last and win.
	Config []string
	// Clock runs the server on a clock that [RedisClock] can move; needs a C compiler.
	Clock bool

	bus      bool // a cluster node: the bus port must be free too
	sentinel bool // redis-server --sentinel: Config is the whole file
}

// Server is a real redis-server with a configuration file of its own, so that what
// CONFIG REWRITE and Sentinels write there outlasts a restart. Port and directory are
// the same for all of its processes. It is a [Process]: process faults strike whichever
// process serves at that moment. Safe for concurrent use.
type Server struct {
	binary, dir string
	port        int
	options     ServerOptions
	client      *redis.Client

	mu    sync.Mutex
	child *Child
}

// StartServer runs a server on a free loopback port; Close ends it. The binary is that
// of package lab: [lab.EnvBinary], or redis-server from PATH.
func StartServer(ctx context.Context, o ServerOptions) (*Server, error) {
	name := os.Getenv(lab.EnvBinary)
	if name == "" {
		name = "redis-server"
	}
	binary, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", lab.ErrNoBinary, err)
	}
	dir, err := os.MkdirTemp("", "duequeue-fault-")
	if err != nil {
		return nil, err
	}
	s := &Server{binary: binary, dir: dir, options: o}
	if o.Clock {
		if err := s.clock().make(); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	if err := s.launch(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.client = s.NewClient(nil)
	return s, nil
}

// launch starts the first process, on another port when somebody took the first.
func (s *Server) launch(ctx context.Context) error {
	for try := 1; ; try++ {
		port, err := freePort(s.options.bus)
		if err != nil {
			return err
		}
		s.port = port
		if err = os.WriteFile(s.configFile(), []byte(s.config()), 0o600); err != nil {
			return err
		}
		err = s.start(ctx)
		taken := strings.Contains(s.Log(), "already in use") || strings.Contains(s.Log(), "Failed listening")
		if err == nil || try == 5 || !taken {
			return err
		}
	}
}

func (s *Server) configFile() string { return filepath.Join(s.dir, "redis.conf") }
func (s *Server) clock() wrongClock  { return wrongClock{s.dir} }
func (s *Server) logFile() string    { return filepath.Join(s.dir, "redis.log") }

func (s *Server) config() string {
	lines := []string{"bind 127.0.0.1", fmt.Sprintf("port %d", s.port), fmt.Sprintf("dir %q", s.dir), "daemonize no"}
	if !s.options.sentinel {
		// Diskless replication without delay: a replica follows within milliseconds.
		lines = append(lines, `save ""`, "repl-diskless-sync yes", "repl-diskless-sync-delay 0", "enable-debug-command local")
		switch s.options.Fsync {
		case Nothing:
			lines = append(lines, "appendonly no")
		case EverySec:
			lines = append(lines, "appendonly yes", "appendfsync everysec")
		default:
			lines = append(lines, "appendonly yes", "appendfsync always")
		}
	}
	return strings.Join(append(lines, s.options.Config...), "\n") + "\n"
}

// start runs a process and waits until it serves.
func (s *Server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	child, err := s.spawn()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.child = child
	s.mu.Unlock()
	err = await(ctx, func() error {
		if !child.Running() {
			return fmt.Errorf("redis-server on port %d ended before it was ready: %w", s.port, child.Err())
		}
		return ready(s.Addr())
	})
	if err != nil {
		return fmt.Errorf("%w; its log ends with\n%s", errors.Join(err, killAndWait(child)), s.Log())
	}
	return nil
}

func (s *Server) spawn() (*Child, error) {
	if err := cutFile(s.logFile(), logLimit); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the process has its own handle
	args := []string{s.configFile()}
	if s.options.sentinel {
		args = append(args, "--sentinel")
	}
	cmd := exec.Command(s.binary, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, s.dir
	if s.options.Clock {
		cmd.Env = append(os.Environ(), s.clock().env()...)
	}
	return Start(cmd)
}

// cutFile empties a file that grew beyond limit.
func cutFile(name string, limit int64) error {
	info, err := os.Stat(name)
	if err != nil || info.Size() <= limit {
		return nil //nolint:nilerr // no file yet: nothing to cut
	}
	return os.Truncate(name, 0)
}

// process is the one that runs, or the last one.
func (s *Server) process() *Child {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.child
}

// Pid is the id of the running (or last) process.
func (s *Server) Pid() int { return s.process().Pid() }

// Done is closed when the process that runs now has ended.
func (s *Server) Done() <-chan struct{} { return s.process().Done() }

// Signal sends a signal to the process.
func (s *Server) Signal(sig os.Signal) error { return s.process().Signal(sig) }

// Running tells whether a process runs.
func (s *Server) Running() bool { return s.process().Running() }

// Target makes the server a victim of process faults.
func (s *Server) Target() Target { return func() (Process, bool) { return s, s.Running() } }

// Kill ends the process by SIGKILL and waits until it is gone.
func (s *Server) Kill() error { return killAndWait(s.process()) }

// Restart ends the process in good order if it still runs and starts the next one on
// the same port, directory and configuration. It returns when that has loaded its data.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.process().End(ctx, stopPatience); err != nil {
		return err
	}
	return s.start(ctx)
}

// Close ends the process, the client and the directory. Again it does nothing.
func (s *Server) Close() error {
	err := s.process().end(nil, stopPatience)
	_ = s.client.Close() // it says "closed already" at the second call
	return errors.Join(err, os.RemoveAll(s.dir))
}

// Port is the server's port.
func (s *Server) Port() int { return s.port }

// Addr is its address as host:port.
func (s *Server) Addr() string { return loopback(s.port) }

// URL is its address as redis://host:port.
func (s *Server) URL() string { return "redis://" + s.Addr() }

// Client is a client that never retries, the same one at each call, closed by Close.
func (s *Server) Client() *redis.Client { return s.client }

// NewClient returns a further client, whose options change may set (nil: as they
// are); the caller closes it.
func (s *Server) NewClient(change func(*redis.Options)) *redis.Client {
	o := &redis.Options{
		Addr: s.Addr(), MaxRetries: -1, DialerRetries: 1, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if change != nil {
		change(o)
	}
	return redis.NewClient(o)
}

// Log returns the last lines of the server's log, 4 kB at most.
func (s *Server) Log() string {
	f, err := os.Open(s.logFile())
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	defer func() { _ = f.Close() }()
	const most = 4096
	if _, err = f.Seek(-most, io.SeekEnd); err != nil {
		_, _ = f.Seek(0, io.SeekStart) // it is shorter than that
	}
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	return string(text)
}

func (s *Server) fsync() Fsync {
	if s.options.Fsync == "" {
		return Always
	}
	return s.options.Fsync
}
