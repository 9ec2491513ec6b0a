package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// program is another process that does what it is told: one command a line on its standard input,
// one answer a line on its standard output, "ok TEXT" or "err TEXT". One command at a time.
type program struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	log   string // file of what it complains about
	hello string // what it runs on
}

// startProgram runs a command and waits for its first answer.
func startProgram(cmd *exec.Cmd, dir, name string) (*program, error) {
	p := &program{cmd: cmd, log: filepath.Join(dir, name+".log")}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the process has its own
	cmd.Stderr = log
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err = cmd.Start(); err != nil {
		return nil, err
	}
	if p.hello, err = p.answer(); err != nil {
		p.stop()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// call runs one command.
func (p *program) call(format string, args ...any) (string, error) {
	command := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return "", fmt.Errorf("%s: %w", command, err)
	}
	text, err := p.answer()
	if err != nil {
		err = fmt.Errorf("%s: %w", command, err)
	}
	return text, err
}

// rate runs a command that answers a number, and perhaps others.
func (p *program) rate(command string, others ...any) (rate float64, err error) {
	answer, err := p.call("%s", command)
	if err == nil {
		_, err = fmt.Sscan(answer, append([]any{&rate}, others...)...)
	}
	return rate, err
}

func (p *program) answer() (string, error) {
	line, err := p.out.ReadString('\n')
	verdict, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	if err == nil && verdict != "ok" {
		err = errors.New(text)
	}
	if err != nil {
		said, _ := os.ReadFile(p.log)
		err = fmt.Errorf("%w\n%s", err, said[max(len(said)-4096, 0):])
	}
	return text, err
}

// stop ends the program by closing its input, or by force.
func (p *program) stop() {
	_ = p.in.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait()
	kill.Stop()
}

// roleEnv says that this process is one of ours that another one measures.
const roleEnv = "DUEQUEUE_TEST_BENCH_SERVICE"

// service handles queues of texts by the public API, and notes when each one is handled.
type service struct {
	side      *side
	consumers []framework.Consumer

	mu    sync.Mutex
	count int
	times []int64 // µs, by the number that a text begins with
}

// serveCommands obeys the process that started this one until that closes our standard input, as
// [program] expects it.
func serveCommands(ctx context.Context) error {
	s := &service{}
	fmt.Println("ok", runtime.Version())
	for commands := bufio.NewScanner(os.Stdin); commands.Scan(); {
		verdict := "ok"
		answer, err := s.obey(ctx, strings.Fields(commands.Text()))
		if err != nil {
			verdict, answer = "err", strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(verdict, answer)
	}
	return nil
}

// obey runs one command; the JVM knows the same ones but weigh.
func (s *service) obey(ctx context.Context, args []string) (answer string, err error) {
	switch args[0] {
	case "serve": // URL QUEUE PROCESSES WORKERS COUNT VIEW QUEUES
		var workers, n, view, queues int
		if _, err = fmt.Sscan(strings.Join(args[4:], " "), &workers, &n, &view, &queues); err != nil {
			return "", err
		}
		s.count, s.times, s.consumers = 0, make([]int64, n), nil
		for i := range queues {
			queue := textsIn(nameOf(args[2], i), registry.ViewMode(view))
			s.consumers = append(s.consumers, framework.Consume(queue, handlers.Func[string](s.handle), framework.Workers(workers)))
		}
		s.side, err = open(ctx, args[1])
	case "serve-start":
		err = s.side.run(ctx, s.consumers...)
	case "serve-count":
		s.mu.Lock()
		defer s.mu.Unlock()
		answer = strconv.Itoa(s.count)
	case "serve-times":
		s.mu.Lock()
		defer s.mu.Unlock()
		var line []byte
		line, err = json.Marshal(s.times)
		answer = string(line)
	case "serve-stop":
		err = s.side.close(ctx)
	case "weigh": // goroutines, and bytes of heap after a collection
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		answer = fmt.Sprint(runtime.NumGoroutine(), m.HeapAlloc)
	default:
		err = fmt.Errorf("unknown command %q", args)
	}
	return answer, err
}

// nameOf is the name of one of several queues; the first one's is the bare name.
func nameOf(queue string, i int) string {
	if i == 0 {
		return queue
	}
	return fmt.Sprintf("%s-%d", queue, i)
}

func (s *service) handle(_ context.Context, d *handlers.Delivery[string]) error {
	now := time.Now().UnixMicro()
	i, err := strconv.Atoi(d.Payload[:8])
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	s.times[i] = now
	return nil
}
