//go:build lint

package wire

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// The examples in the docs are what this package computes.
func TestLintPartitionsInTheDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../BESIDE-JAVA.md")
	if err != nil {
		t.Fatal(err)
	}
	_, examples, _ := strings.Cut(string(page), "| name of the partition |")
	examples, _, _ = strings.Cut(examples, "\n## ")
	rows := 0
	for line := range strings.Lines(examples) {
		f := strings.Split(strings.ReplaceAll(line, "`", ""), " | ")
		switch len(f) {
		case 3:
			i, err := strconv.Atoi(f[1])
			if want := strings.TrimSuffix(f[2], " |\n"); err != nil || PartitionName(strings.TrimPrefix(f[0], "| "), i) != want {
				t.Errorf("%s", line)
			}
			rows++
		case 4:
			for c, n := range []int{4, 8, 32} {
				if got := strconv.Itoa(PartitionOf(strings.TrimPrefix(f[0], "| "), n)); f[0] != "| key" && got != strings.TrimSuffix(f[c+1], " |\n") {
					t.Errorf("%s", line)
				}
			}
			rows++
		}
	}
	if rows < 15 {
		t.Errorf("%d examples", rows)
	}
}
