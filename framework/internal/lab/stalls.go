package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// EnvStalls names the environment variable with the folder in which the tests and the program
// of "make stalls" agree on who may stop and continue a process.
const EnvStalls = "DUEQUEUE_TEST_STALLS"

// LockProcess takes the lock of a process in a folder. If another has it, LockProcess waits or
// returns an error.
func LockProcess(dir string, pid int, wait bool) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(pid)), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), how)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock process %d: %w", pid, err), f.Close())
	}
	return func() { _ = f.Close() }, nil // releases the lock
}

// withoutStalls calls f while the program of "make stalls", if it runs, leaves a process alone.
func withoutStalls(pid int, f func() error) error {
	if dir := os.Getenv(EnvStalls); dir != "" {
		release, err := LockProcess(dir, pid, true)
		if err != nil {
			return err
		}
		defer release()
	}
	return f()
}
