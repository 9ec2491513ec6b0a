//go:build !linux

package fault

import "syscall"

// dieWithParent has no counterpart here.
func dieWithParent(*syscall.SysProcAttr) {}

// stopped cannot be asked here: the signal is taken for the fact.
func stopped(int) (bool, error) { return true, nil }
