//go:build !linux

package lab

import "syscall"

// diesWithParent has no counterpart here: a test binary that dies without running
// its cleanups leaves its server behind.
func diesWithParent() *syscall.SysProcAttr { return nil }
