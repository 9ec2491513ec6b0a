package lab

import "syscall"

// dieWithParent makes the kernel kill the process when this one dies without running its
// cleanups (a test timeout, kill -9).
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
