package main

import (
	"bufio"
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

// program is another process that does what it is told: one command a line on its
// standard input, one answer a line on its standard output, "ok TEXT" or "err TEXT".
// One command at a time.
type program struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	log   *os.File
	hello string // what it runs on
}

// startProgram runs a command and waits for its first answer. What it complains about
// goes to a file of that name in dir.
func startProgram(cmd *exec.Cmd, dir, name string) (*program, error) {
	p := &program{cmd: cmd}
	var err error
	if p.log, err = os.Create(filepath.Join(dir, name+".log")); err != nil {
		return nil, err
	}
	cmd.Stderr = p.log
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
		return nil, fmt.Errorf("start %s: %w\n%s", name, err, p.lastWords())
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
		const most = 200 // some commands name very many queues
		err = fmt.Errorf("%s: %w\n%s", command[:min(len(command), most)], err, p.lastWords())
	}
	return text, err
}

// rate runs a command that answers a number.
func (p *program) rate(format string, args ...any) (float64, error) {
	text, err := p.call(format, args...)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}

// micros runs a command that answers a time.
func (p *program) micros(format string, args ...any) (time.Time, error) {
	text, err := p.call(format, args...)
	if err != nil {
		return time.Time{}, err
	}
	us, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMicro(us), err
}

func (p *program) answer() (string, error) {
	line, err := p.out.ReadString('\n')
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
func (p *program) lastWords() []byte {
	const most = 4096
	said, err := os.ReadFile(p.log.Name())
	if err != nil {
		return nil
	}
	return said[max(len(said)-most, 0):]
}

// stop ends the program by closing its input, or by force.
func (p *program) stop() {
	_ = p.in.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait()
	kill.Stop()
	_ = p.log.Close()
}
