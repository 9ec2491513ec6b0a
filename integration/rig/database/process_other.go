//go:build !linux

package database

import "syscall"

// diesWithParent starts a process in a group of its own.
func diesWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
