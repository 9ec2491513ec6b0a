package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// stopTimeout is between SIGTERM and SIGKILL.
const stopTimeout = 10 * time.Second

// Process is a program that [StartProcess] started. It is safe for concurrent use.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has been waited for
	err  error         // result of the wait; read after done
}

// StartProcess starts a command. On Linux the kernel kills the process when this one dies.
func StartProcess(cmd *exec.Cmd) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	dieWithParent(cmd.SysProcAttr)
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel ties "die with the parent" to the thread that starts the process, so
		// that thread stays for as long as the process runs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
		}
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// PID is the process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err waits for the end of the process and returns what it ended with, nil for status 0.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Running reports whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Signal sends sig to this process alone. A process that has ended is no error.
func (p *Process) Signal(sig os.Signal) error {
	if !p.Running() {
		return nil
	}
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %v to process %d: %w", sig, p.PID(), err)
	}
	return nil
}

// Pause stops the process until Resume; see [Pause].
func (p *Process) Pause() error {
	if !p.Running() {
		return nil
	}
	return Pause(p.PID())
}

// Resume lets a paused process go on (SIGCONT).
func (p *Process) Resume() error { return p.Signal(syscall.SIGCONT) }

// Kill ends the process at once (SIGKILL) and waits until it is gone.
func (p *Process) Kill() error {
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// Stop asks the process to end (SIGTERM), waits until it is gone, and kills it when that takes
// ten seconds. A paused process goes on first, or it would not see the signal.
func (p *Process) Stop() error {
	if err := errors.Join(p.Signal(syscall.SIGTERM), p.Signal(syscall.SIGCONT)); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
		return p.Kill()
	}
}

// Pause stops a process (SIGSTOP) until it gets SIGCONT, and returns when it stands still or is
// gone. The program of "make stalls" does not wake it.
func Pause(pid int) error {
	return withoutStalls(pid, func() error {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			return fmt.Errorf("stop process %d: %w", pid, err)
		}
		return await(nil, pollEvery, func() string {
			if s, err := StatOf(pid); err != nil || s.State == "T" {
				return "" // also where there is no /proc
			}
			return fmt.Sprintf("process %d still runs", pid)
		})
	})
}
