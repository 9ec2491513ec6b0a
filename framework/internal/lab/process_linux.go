package lab

import "syscall"

// diesWithParent makes the kernel end the server when the test binary dies without
// running its cleanups (a test timeout, kill -9).
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
