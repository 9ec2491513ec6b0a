package lab

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout = 15 * time.Second // until the first PING is answered
	stopTimeout  = 10 * time.Second // between SIGTERM and SIGKILL
	pollEvery    = 10 * time.Millisecond
)

// process is one run of the server binary.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has been waited for
	err  error         // result of the wait; read after done
}

// spawn starts the binary with its output appended to the log file in dir.
func spawn(path, dir string, args []string) (*process, error) {
	log, err := os.OpenFile(logFile(dir), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, dir
	cmd.SysProcAttr = diesWithParent()

	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel ties "die with the parent" to the starting thread, so that
		// thread stays with the process for as long as it runs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		startErr := cmd.Start()
		started <- startErr
		if startErr == nil {
			p.err = cmd.Wait()
		}
		_ = log.Close() // written by the child alone; nothing buffered here
		close(p.done)
	}()
	if err = <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return p, nil
}

// exited tells whether the process is gone.
func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// signal sends sig to this process alone; one that is gone already is no error.
func (p *process) signal(sig syscall.Signal) error {
	if p.exited() {
		return nil
	}
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %v to process %d: %w", sig, p.cmd.Process.Pid, err)
	}
	return nil
}

// kill ends the process at once and waits until it is gone.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// terminate ends the process in good order, or by force when that takes too long.
func (p *process) terminate() error {
	// A paused process sees no SIGTERM before it is resumed.
	if err := errors.Join(p.signal(syscall.SIGTERM), p.signal(syscall.SIGCONT)); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
		return p.kill()
	}
}

// awaitReady waits until the server answers PING on addr.
func (p *process) awaitReady(addr string) error {
	deadline := time.Now().Add(startTimeout)
	for {
		err := ping(addr)
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no answer to PING on %s within %v: %w", addr, startTimeout, err)
		}
		select {
		case <-p.done:
			return fmt.Errorf("server on %s ended before it was ready: %w", addr, p.exitError())
		case <-time.After(pollEvery):
		}
	}
}

func (p *process) exitError() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
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

func logFile(dir string) string { return filepath.Join(dir, "redis.log") }

// logTail returns the last lines of the server's log.
func logTail(dir string) string {
	const lines = 15
	data, err := os.ReadFile(logFile(dir))
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
