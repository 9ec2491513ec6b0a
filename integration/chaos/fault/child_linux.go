package fault

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// stopped tells whether the whole process stands still (SIGSTOP).
func stopped(pid int) (bool, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false, err
	}
	// "pid (name) state …": the name may hold anything, so the last parenthesis counts.
	_, rest, found := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(" "))
	if !found || len(rest) == 0 {
		return false, fmt.Errorf("strange /proc/%d/stat: %q", pid, stat)
	}
	return rest[0] == 'T', nil
}
