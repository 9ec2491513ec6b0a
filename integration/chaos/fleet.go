package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// Kinds of slots, by what their processes do.
const (
	consumers    = "consumer"
	producers    = "producer"
	transferrers = "transferrer"
)

// slot is a place in which one process after another plays the same role, each under
// a name of its own.
type slot struct {
	kind string
	base string
	make func(name string) (*exec.Cmd, error)

	mu      sync.Mutex
	run     int
	name    string
	child   *fault.Child
	stdin   io.Closer
	harmed  bool // a fault holds it: no target for another
	ending  bool // its end is wanted
	logFile string
}

// fleet is the processes of a row. Safe for concurrent use.
type fleet struct {
	dir string

	mu     sync.Mutex
	slots  []*slot
	deaths []string // processes that ended by themselves
}

// add makes a slot and starts its first process.
func (f *fleet) add(kind, base string, command func(name string) (*exec.Cmd, error)) error {
	s := &slot{kind: kind, base: base, make: command}
	f.mu.Lock()
	f.slots = append(f.slots, s)
	f.mu.Unlock()
	return f.start(s)
}

// start runs the next process of a slot.
func (f *fleet) start(s *slot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run++
	s.name = fmt.Sprintf("%s.%d", s.base, s.run)
	cmd, err := s.make(s.name)
	if err != nil {
		return err
	}
	s.logFile = filepath.Join(f.dir, s.name+".log")
	log, err := os.Create(s.logFile)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has its own handle
	cmd.Stdout, cmd.Stderr = log, log
	if s.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if s.child, err = fault.Start(cmd); err != nil {
		return err
	}
	s.ending, s.harmed = false, false
	go f.watch(s, s.child, s.name, s.logFile)
	return nil
}

// watch tells of a process that ends though nobody wanted it.
func (f *fleet) watch(s *slot, child *fault.Child, name, log string) {
	err := child.Err()
	s.mu.Lock()
	wanted := s.ending
	s.mu.Unlock()
	if !wanted {
		f.mu.Lock()
		f.deaths = append(f.deaths, fmt.Sprintf("%s ended by itself (%v): %s", name, err, tailOf(log)))
		f.mu.Unlock()
	}
}

func tailOf(file string) string {
	const most = 1500
	said, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(said[max(len(said)-most, 0):])
}

// of lists the slots of a kind.
func (f *fleet) of(kind string) (out []*slot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.slots {
		if s.kind == kind {
			out = append(out, s)
		}
	}
	return out
}

// names are those of the processes that run now.
func (f *fleet) names() (out []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.slots {
		out = append(out, s.processName())
	}
	return out
}

// seize reserves an unharmed slot of the kind, from the given place on in turn; nil
// when there is none. expectEnd tells that its process is going to end.
func (f *fleet) seize(kind string, from int, expectEnd bool) *slot {
	slots := f.of(kind)
	for i := range slots {
		s := slots[(from+i)%len(slots)]
		s.mu.Lock()
		free := !s.harmed && s.child.Running()
		if free {
			s.harmed, s.ending = true, expectEnd
		}
		s.mu.Unlock()
		if free {
			return s
		}
	}
	return nil
}

func (s *slot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.harmed = false
}

// target is the slot's process, for a fault.
func (s *slot) target() (fault.Process, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.child, s.child.Running()
}

func (s *slot) processName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

// end lets all processes of a kind end in good order.
func (f *fleet) end(ctx context.Context, kind string) error {
	slots := f.of(kind)
	errs := make([]error, len(slots))
	var all sync.WaitGroup
	for i, s := range slots {
		s.mu.Lock()
		s.ending = true
		child := s.child
		s.mu.Unlock()
		all.Go(func() { errs[i] = child.End(ctx, stopTimeout+2*time.Second) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// kill ends all that still run, at once.
func (f *fleet) kill() {
	f.mu.Lock()
	slots := f.slots
	f.mu.Unlock()
	for _, s := range slots {
		s.mu.Lock()
		s.ending = true
		if s.child != nil {
			_ = s.child.Signal(os.Kill) // gone already, or going
			_ = s.stdin.Close()
		}
		s.mu.Unlock()
	}
}

// ownDeaths are the processes that ended though nobody wanted it.
func (f *fleet) ownDeaths() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.deaths...)
}
