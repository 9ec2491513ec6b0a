package chaos

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Kinds of slots, by what their processes do. Java's producers and bystanders are not harmed.
const (
	consumers     = "consumer"
	producers     = "producer"
	transferrers  = "transferrer"
	javaProducers = "Java producer"
	bystanders    = "bystander"
)

// slot is a place in which one process after another plays the same role, each under
// a name of its own.
type slot struct {
	kind string
	base string
	make func(name string) (*exec.Cmd, error)

	mu     sync.Mutex
	run    int
	name   string
	proc   *lab.Process
	stdin  io.Closer
	harmed bool // a fault holds it: no target for another
	ending bool // its end is wanted
}

// fleet is the processes of a row. Safe for concurrent use.
type fleet struct {
	tb   testing.TB
	dir  string
	died func(name string) // called when a process ends by itself, which is then started again; nil: it must not

	mu     sync.Mutex
	slots  []*slot
	deaths []string // of processes that ended by themselves
}

// add makes a slot and starts its first process.
func (f *fleet) add(kind, base string, command func(name string) (*exec.Cmd, error)) {
	s := &slot{kind: kind, base: base, make: command}
	f.mu.Lock()
	f.slots = append(f.slots, s)
	f.mu.Unlock()
	f.start(s)
}

// start runs the next process of a slot.
func (f *fleet) start(s *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run++
	s.name = fmt.Sprintf("%s.%d", s.base, s.run)
	cmd, err := s.make(s.name)
	must(f.tb, err)
	log, err := os.Create(f.logOf(s.name))
	must(f.tb, err)
	defer func() { _ = log.Close() }() // the process has its own handle
	cmd.Stdout, cmd.Stderr = log, log
	s.stdin, err = cmd.StdinPipe()
	must(f.tb, err)
	s.proc, err = lab.StartProcess(cmd)
	must(f.tb, err)
	s.ending, s.harmed = false, false
	go f.watch(s, s.proc, s.name)
}

func (f *fleet) logOf(name string) string { return filepath.Join(f.dir, name+".log") }

// watch notes a process that ends though nobody wanted it.
func (f *fleet) watch(s *slot, proc *lab.Process, name string) {
	err := proc.Err()
	s.mu.Lock()
	wanted := s.ending
	s.mu.Unlock()
	if wanted {
		return
	}
	if f.died != nil {
		f.died(name)
		f.start(s)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaths = append(f.deaths, fmt.Sprintf("%s ended by itself (%v): %s", name, err, tailOf(f.logOf(name))))
}

func tailOf(file string) string {
	const most = 1500
	said, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(said[max(len(said)-most, 0):])
}

// lastWords is what the first process that complained said.
func (f *fleet) lastWords() string {
	logs, _ := filepath.Glob(f.logOf("*"))
	for _, log := range logs {
		if info, err := os.Stat(log); err == nil && info.Size() > 0 {
			return filepath.Base(log) + ": " + tailOf(log)
		}
	}
	return "no process said anything"
}

// of lists the slots of a kind; no kind means all.
func (f *fleet) of(kind string) (out []*slot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.slots {
		if kind == "" || s.kind == kind {
			out = append(out, s)
		}
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
		free := !s.harmed && s.proc.Running()
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

// process is the one that runs, and its name.
func (s *slot) process() (*lab.Process, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc, s.name
}

// end lets all processes of these kinds end in good order.
func (f *fleet) end(kinds ...string) {
	var all sync.WaitGroup
	for _, kind := range kinds {
		for _, s := range f.of(kind) {
			s.mu.Lock()
			s.ending = true
			proc := s.proc
			s.mu.Unlock()
			all.Go(func() {
				if err := proc.Stop(); err != nil {
					f.tb.Errorf("end a %s: %v", kind, err)
				}
			})
		}
	}
	all.Wait()
}

// kill ends all that still run, at once.
func (f *fleet) kill() {
	for _, s := range f.of("") {
		s.mu.Lock()
		s.ending = true
		if s.proc != nil {
			_ = s.proc.Signal(syscall.SIGKILL) // gone already, or going
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

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
