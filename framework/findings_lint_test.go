//go:build lint

package framework_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestLintFindings looks for each test that the table of findings names.
func TestLintFindings(t *testing.T) {
	page, err := os.ReadFile("internal/FINDINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "git", "grep", "-hoE", `^func Test[A-Za-z0-9_]+`, "--", "../*_test.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		have[strings.TrimPrefix(strings.TrimSpace(line), "func ")] = true
	}
	named := regexp.MustCompile("`(Test[A-Za-z0-9_]+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 60 {
		t.Fatalf("the table names %d tests", len(named))
	}
	for _, m := range named {
		if !have[m[1]] {
			t.Errorf("there is no %s", m[1])
		}
	}
}
