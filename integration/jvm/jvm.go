package jvm

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/rig"
)

const (
	buildTimeout = 5 * time.Minute
	// callTimeout bounds a command that has no time of its own. Redisson 3.21.x is known for
	// commands that it does not answer.
	callTimeout = time.Minute
)

// JVM is one running Java process on one Redisson release. Safe for concurrent use.
type JVM struct {
	// Version is the Redisson release.
	Version string

	stdin  io.WriteCloser
	stderr rig.Output
	gone   chan struct{} // closed when its output ends

	mu      sync.Mutex
	waiting map[string]chan string
	last    int
	names   atomic.Int64
}

// CommandError is what a command answered when Java threw.
type CommandError struct {
	Command string
	Class   string // of the exception
	Message string
}

// Error tells the command and the exception.
func (e *CommandError) Error() string {
	return fmt.Sprintf("java command %q: %s: %s", e.Command, e.Class, e.Message)
}

// Start builds the program where needed and runs it until the test ends. env is added to its
// environment.
func Start(tb testing.TB, version string, env ...string) *JVM {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), buildTimeout)
	defer cancel()
	args, err := Build(ctx, version)
	if err != nil {
		tb.Fatal(err)
	}
	j := &JVM{Version: version, stderr: rig.Output{Most: 4096}, gone: make(chan struct{}), waiting: map[string]chan string{}}
	cmd := exec.Command("java", "@"+args, "duequeue.interop.Driver")
	cmd.Env, cmd.Stderr = append(Environ(), env...), &j.stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if j.stdin, err = cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	hello := j.expect("0")
	if err := cmd.Start(); err != nil {
		tb.Fatalf("run java (install a JDK 17 and Maven, or run make setup): %v", err)
	}
	go j.read(stdout)
	tb.Cleanup(func() { j.stop(tb, cmd) })

	if _, err := j.await(tb.Context(), "start", callTimeout, hello); err != nil {
		tb.Fatal(err)
	}
	return j
}

// stop ends the program by closing its input; one that does not end is killed.
func (j *JVM) stop(tb testing.TB, cmd *exec.Cmd) {
	_ = j.stdin.Close() // ends the program; fails only when it is gone already
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	<-j.gone
	err := cmd.Wait()
	kill.Stop()
	if err != nil {
		tb.Errorf("java ended with %v; stderr ends with\n%s", err, j.stderr.String())
	}
}

// Call runs one command and returns its answer.
func (j *JVM) Call(ctx context.Context, format string, args ...any) (string, error) {
	return j.CallWithin(ctx, callTimeout, format, args...)
}

// CallWithin is Call with another bound on the time.
func (j *JVM) CallWithin(ctx context.Context, limit time.Duration, format string, args ...any) (string, error) {
	command := fmt.Sprintf(format, args...)
	j.mu.Lock()
	j.last++
	id := strconv.Itoa(j.last)
	j.mu.Unlock()
	answer := j.expect(id)

	j.mu.Lock()
	_, err := fmt.Fprintf(j.stdin, "%s %s\n", id, command)
	j.mu.Unlock()
	if err != nil {
		return "", fmt.Errorf("java command %q: %w; stderr ends with\n%s", command, err, j.stderr.String())
	}
	return j.await(ctx, command, limit, answer)
}

func (j *JVM) expect(id string) <-chan string {
	answer := make(chan string, 1)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting[id] = answer
	return answer
}

func (j *JVM) await(ctx context.Context, command string, limit time.Duration, answer <-chan string) (string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case text := <-answer:
		return parseAnswer(command, text)
	case <-timer.C:
	case <-j.gone:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	return "", fmt.Errorf("java command %q was not answered within %v, or java ended; stderr ends with\n%s", command, limit, j.stderr.String())
}

// parseAnswer takes "ok TEXT" or "err CLASS JSON-MESSAGE".
func parseAnswer(command, text string) (string, error) {
	verdict, rest, _ := strings.Cut(text, " ")
	switch verdict {
	case "ok":
		return rest, nil
	case "err":
		class, quoted, _ := strings.Cut(rest, " ")
		var message string
		if err := json.Unmarshal([]byte(quoted), &message); err != nil {
			message = quoted
		}
		return "", &CommandError{Command: command, Class: class, Message: message}
	}
	return "", fmt.Errorf("java command %q: strange answer %q", command, text)
}

// read hands each answer to the command that waits for it.
func (j *JVM) read(stdout io.Reader) {
	defer close(j.gone)
	in := bufio.NewReader(stdout)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		id, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		j.mu.Lock()
		answer := j.waiting[id]
		delete(j.waiting, id)
		j.mu.Unlock()
		if answer != nil {
			answer <- text
		}
	}
}
