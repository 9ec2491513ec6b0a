package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// jvm runs the Java side, see java/duequeue/bench/Bench.java. One command at a time.
type jvm struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	log   *os.File
	hello string // what it runs on
}

// startJVM resolves Redisson the way the interop tests do, compiles the Java side and
// starts it. The interop tests save the optimizing compiler's time; here it is the point.
func startJVM(ctx context.Context, version, dir string) (*jvm, error) {
	classes := filepath.Join(dir, "classes")
	interop := filepath.Join(here(), "..", "java")
	if out, err := exec.CommandContext(ctx, filepath.Join(interop, "build.sh"), version).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make Redisson %s ready: %w\n%s", version, err, out)
	}
	sources, err := filepath.Glob(filepath.Join(here(), "java", "duequeue", "bench", "*.java"))
	if err != nil {
		return nil, err
	}
	lib := filepath.Join(interop, "target", version, "lib", "*")
	args := append([]string{"-nowarn", "-Xlint:-options", "-encoding", "UTF-8", "-proc:none", "-cp", lib, "-d", classes}, sources...)
	if said, failed := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); failed != nil {
		return nil, fmt.Errorf("compile the Java side: %w\n%s", failed, said)
	}
	j := &jvm{cmd: exec.Command("java", "@"+filepath.Join(interop, "target", version, "java.args"),
		"-XX:TieredStopAtLevel=4", "-cp", classes+string(os.PathListSeparator)+lib, "duequeue.bench.Bench")}
	// Netty complains at length when a client shuts down: kept for errors only.
	if j.log, err = os.Create(filepath.Join(dir, "java.log")); err != nil {
		return nil, err
	}
	j.cmd.Stderr = j.log
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	j.out = bufio.NewReader(out)
	if err = j.cmd.Start(); err != nil {
		return nil, err
	}
	if j.hello, err = j.answer(); err != nil {
		j.stop()
		return nil, fmt.Errorf("start the Java side: %w", err)
	}
	return j, nil
}

// call runs one command.
func (j *jvm) call(format string, args ...any) (string, error) {
	command := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintln(j.in, command); err != nil {
		return "", fmt.Errorf("java: %s: %w", command, err)
	}
	text, err := j.answer()
	if err != nil {
		err = fmt.Errorf("java: %s: %w\n%s", command, err, j.lastWords())
	}
	return text, err
}

// rate runs a command that answers a number.
func (j *jvm) rate(format string, args ...any) (float64, error) {
	text, err := j.call(format, args...)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}

func (j *jvm) answer() (string, error) {
	line, err := j.out.ReadString('\n')
	if err != nil {
		return "", err
	}
	verdict, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	if verdict != "ok" {
		return "", errors.New(text)
	}
	return text, nil
}

// lastWords is the end of what the program complained about.
func (j *jvm) lastWords() []byte {
	const most = 4096
	said, err := os.ReadFile(j.log.Name())
	if err != nil {
		return nil
	}
	return said[max(len(said)-most, 0):]
}

// stop ends the program by closing its input, or by force.
func (j *jvm) stop() {
	_ = j.in.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = j.cmd.Process.Kill() })
	_ = j.cmd.Wait()
	kill.Stop()
	_ = j.log.Close()
}
