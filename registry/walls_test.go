package registry_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Imports run codecs <- handlers <- registry <- framework and never back; queues
// are declared without Redis, fx or OpenTelemetry.
func TestWalls(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	const module = "github.com/duequeue/duequeue/"
	for dep := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(dep, module+"framework") {
			t.Errorf("imports %s, which lies above", dep)
		}
		for _, wall := range []string{"github.com/redis/", "go.uber.org/fx", "go.opentelemetry.io/", "github.com/alicebob/"} {
			if strings.HasPrefix(dep, wall) {
				t.Errorf("imports %s", dep)
			}
		}
	}
}
