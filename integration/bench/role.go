package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// roleEnv holds the role of a process of this program that another one has started.
const roleEnv = "DUEQUEUE_TEST_BENCH_ROLE"

// role is what a service does that is measured in a process of its own: it handles one
// queue of strings by the public API.
type role struct {
	URL     string
	Queue   string
	View    registry.ViewMode
	Workers int
	Due     int64  // µs: handlers that begin before it are early; 0 for none
	Profile string // file for a CPU profile from the command rest on; empty for none
	Many    int    // queues, where it serves very many, see [many]
	Plain   bool   // it has neither traces nor metrics
	Fleet   int    // processes with so many queues each, see [fleet]
	Mixed   string // its name in the soak, see [mixer]
}

// queue declares a queue of strings.
func (r role) queue() *registry.Queue[string] { return textsIn(r.Queue, r.View) }

func textsIn(name string, view registry.ViewMode) *registry.Queue[string] {
	return registry.Define[string](name, "texts of 200 bytes", registry.Codec(codecs.String()), registry.View(view))
}

// handled is what such a process tells of itself.
type handled struct {
	Count int64
	Early int64   // of them, began before they were due, where the role knows when that is
	First int64   // µs: when the first handler began
	Last  int64   // µs: when the last handler began
	Rest  uint64  // bytes of memory in use before the burst
	Peak  uint64  // the most since then
	CPU   float64 // µs of this process since then
}

// service is the process itself.
type service struct {
	role
	side    *side
	began   tally
	rest    uint64
	cpu     float64
	profile *os.File
}

// serveRole does what the process that started this one asks for until it closes our
// standard input.
func serveRole(spec string) error {
	s := &service{}
	if err := json.Unmarshal([]byte(spec), &s.role); err != nil {
		return err
	}
	s.began.due = s.Due
	ctx := context.Background()
	var err error
	interval := metricsInterval
	if s.Many > 0 {
		interval = time.Minute // the default of OpenTelemetry: each collection counts the messages of each queue
	}
	if s.Plain {
		s.side, err = openSilent(ctx, s.URL)
	} else {
		s.side, err = openWith(ctx, s.URL, interval, sampled)
	}
	if err != nil {
		return err
	}
	obey := s.obey
	switch {
	case s.Fleet > 0:
		obey = (&fleet{role: s.role}).obey
	case s.Mixed != "":
		obey = (&mixer{role: s.role, side: s.side}).obey
	case s.Many > 0:
		obey = (&many{Queues: s.Many, side: s.side}).obey
	}
	fmt.Println("ok", runtime.Version())
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		answer, err := obey(ctx, commands.Text())
		if err != nil {
			fmt.Println("err", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Println("ok", answer)
	}
	return errors.Join(s.endProfile(), s.side.close(ctx))
}

func (s *service) obey(ctx context.Context, command string) (string, error) {
	switch command {
	case "start": // begins to take and to transfer; answers when that was, in µs
		began := time.Now().UnixMicro()
		handler := handlers.Func[string](s.handle)
		return strconv.FormatInt(began, 10), s.side.run(ctx, framework.Consume(s.queue(), handler, framework.Workers(s.Workers)))
	case "rest": // what is measured comes next
		return "", s.begin()
	case "count":
		return strconv.FormatInt(s.began.count.Load(), 10), nil
	case "report":
		return s.report()
	}
	return "", fmt.Errorf("unknown command %q", command)
}

func (s *service) handle(context.Context, *handlers.Delivery[string]) error {
	s.began.hit()
	return nil
}

func (s *service) begin() (err error) {
	runtime.GC()
	if s.rest, err = resident("VmRSS"); err != nil {
		return err
	}
	// 5 resets the peak (proc(5)).
	if err = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return err
	}
	s.cpu = ownCPU()
	if s.Profile == "" {
		return nil
	}
	if s.profile, err = os.Create(s.Profile); err != nil {
		return err
	}
	return pprof.StartCPUProfile(s.profile)
}

func (s *service) endProfile() error {
	if s.profile == nil {
		return nil
	}
	pprof.StopCPUProfile()
	err := s.profile.Close()
	s.profile = nil
	return err
}

func (s *service) report() (string, error) {
	h := s.began.handled()
	h.Rest, h.CPU = s.rest, ownCPU()-s.cpu
	var err error
	if h.Peak, err = resident("VmHWM"); err != nil {
		return "", err
	}
	text, err := json.Marshal(h)
	return string(text), errors.Join(err, s.endProfile())
}
