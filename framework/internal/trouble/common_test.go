package trouble

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The lines are those that the code logs.
func TestCommonLines(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, dir := range []string{"../engine", "../engine/sessions", "../watch"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	for _, line := range commonLines {
		if !strings.Contains(source.String(), strconv.Quote(line)) {
			t.Errorf("nothing logs %q", line)
		}
	}
}
