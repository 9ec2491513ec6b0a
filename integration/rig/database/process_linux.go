package database

import "syscall"

// diesWithParent starts a process in a group of its own that gets SIGINT when the tests die.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}
