package handlers_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Imports run codecs <- handlers <- registry <- framework and never back; a
// service tests its handlers without Redis, fx or OpenTelemetry.
func TestWalls(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	const module = "github.com/duequeue/duequeue/"
	for dep := range strings.FieldsSeq(string(out)) {
		first, _, _ := strings.Cut(dep, "/")
		ours := strings.HasPrefix(dep, module)
		switch {
		case ours && dep != module+"handlers" && !strings.HasPrefix(dep, module+"codecs"):
			t.Errorf("imports %s, which lies above", dep)
		case !ours && strings.Contains(first, "."):
			t.Errorf("imports %s; only the standard library and codecs are allowed", dep)
		}
	}
}
