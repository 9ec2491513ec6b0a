package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Stat is what /proc says of a process.
type Stat struct {
	PID, Parent int
	Name        string // of its program, cut to 15 bytes
	State       string // "T" for one that stands still
	Ticks       int    // of CPU time, with its children that have ended
}

// StatOf fails where there is no such process, or no /proc.
func StatOf(pid int) (Stat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Stat{}, err
	}
	// pid (name) state parent …; the name may contain parentheses.
	text := string(data)
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	fields := strings.Fields(text[end+1:])
	const state, ppid, utime, cstime = 0, 1, 11, 14
	s := Stat{PID: pid, Name: text[open+1 : end], State: fields[state]}
	s.Parent, err = strconv.Atoi(fields[ppid])
	for _, field := range fields[utime : cstime+1] {
		ticks, wrong := strconv.Atoi(field)
		s.Ticks, err = s.Ticks+ticks, errors.Join(err, wrong)
	}
	return s, err
}

// Descendants returns the processes that a process has started, and those that they have
// started: none where there is no /proc.
func Descendants(pid int) (found []Stat) {
	children := map[int][]Stat{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		child, err := strconv.Atoi(filepath.Base(folder))
		s, statErr := StatOf(child)
		if errors.Join(err, statErr) == nil { // it has not ended meanwhile
			children[s.Parent] = append(children[s.Parent], s)
		}
	}
	found = children[pid]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i].PID]...)
	}
	return found
}
