package framework_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// TestTheReadmesProgramRuns builds the program of the first page as it is printed and runs it on
// a Redis: its handler runs, offers the next message, whose handler runs too.
func TestTheReadmesProgramRuns(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```go\n")
	program, _, closed := strings.Cut(rest, "```")
	if !closed || strings.Contains(rest[len(program)+3:], "```go") {
		t.Fatal("README.md must have one Go program")
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("README.md: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), "DUEQUEUE_REDIS_URL="+lab.StartRedis(t, lab.AppendOnly()).URL())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd.Stderr = &log
	p, err := lab.StartProcess(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	lines := make(chan string)
	go func() {
		defer close(lines)
		for all := bufio.NewScanner(out); all.Scan(); {
			lines <- all.Text()
		}
	}()
	for _, want := range []string{"cancel order 100", "tell the customer of order 100"} {
		if got := await(t, lines, want); got != want {
			t.Fatalf("it prints %q, want %q", got, want)
		}
	}
	if err := p.Stop(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	if strings.Contains(log.String(), "WARN") || strings.Contains(log.String(), "ERROR") {
		t.Errorf("its log warns:\n%s", log.String())
	}
}
