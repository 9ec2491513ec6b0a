package screen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Ask asks a question and reports whether the answer is yes. What is no answer means no.
func Ask(in io.Reader, out io.Writer, question string) (bool, error) {
	fmt.Fprintf(out, "%s [y/N] ", question)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// Progress tells a person who waits how far a command is, once a second. Use it from one
// goroutine.
type Progress struct {
	to   io.Writer
	told time.Time
}

// NewProgress begins now: what takes less than a second says nothing.
func NewProgress(to io.Writer) *Progress { return &Progress{to: to, told: time.Now()} }

// Tell writes a line, unless one was written within the last second.
func (p *Progress) Tell(format string, args ...any) {
	if now := time.Now(); now.Sub(p.told) >= time.Second {
		p.told = now
		fmt.Fprintf(p.to, format+"\n", args...)
	}
}
