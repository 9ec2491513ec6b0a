package fault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Process is a running program that process faults strike. [*Child] is one.
type Process interface {
	// Pid is its process id.
	Pid() int
	// Signal sends a signal to this process alone. One that is gone already is no error.
	Signal(sig os.Signal) error
	// Done is closed when the process has ended and has been waited for.
	Done() <-chan struct{}
}

// Child is a program that this process started. Safe for concurrent use.
type Child struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // result of the wait; read after done
}

// Start runs a command whose process ends, on Linux, when this one does, however
// this one ends, and which is waited for from the beginning.
func Start(cmd *exec.Cmd) (*Child, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	dieWithParent(cmd.SysProcAttr)
	c := &Child{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel ties "die with the parent" to the starting thread, so that
		// thread stays with the process for as long as it runs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.err = cmd.Wait()
		}
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return c, nil
}

// Pid is its process id.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Done is closed when the process has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err is what the process ended with, nil for exit status 0. It waits for the end.
func (c *Child) Err() error {
	<-c.done
	return c.err
}

// Running tells whether the process has not ended yet.
func (c *Child) Running() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// Signal sends a signal to this process alone.
func (c *Child) Signal(sig os.Signal) error {
	if !c.Running() {
		return nil
	}
	if err := c.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %v to process %d: %w", sig, c.Pid(), err)
	}
	return nil
}

// End asks the process to end by SIGTERM and kills it when that takes longer than
// patience or ctx lasts. A stopped one is continued, or it would not see the signal.
func (c *Child) End(ctx context.Context, patience time.Duration) error {
	return c.end(ctx.Done(), patience)
}

func (c *Child) end(enough <-chan struct{}, patience time.Duration) error {
	if err := errors.Join(c.Signal(syscall.SIGTERM), c.Signal(syscall.SIGCONT)); err != nil {
		return err
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.done:
		return nil
	case <-timer.C:
	case <-enough:
	}
	return killAndWait(c)
}

func killAndWait(p Process) error {
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.Done() // SIGKILL cannot be refused
	return nil
}
