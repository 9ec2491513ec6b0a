// Package gobench runs benchmarks of Go's own testing package and reads their results.
package gobench

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Tests are the test binaries of packages of one source tree.
type Tests struct {
	name     string
	binaries []string // one for each package
	folders  []string // where each runs
}

// Build compiles the tests of packages of a source tree; name tells trees apart. The binaries lie
// in dir.
func Build(ctx context.Context, name, root, dir string, packages ...string) (*Tests, error) {
	t := &Tests{name: name}
	for i, p := range packages {
		binary := filepath.Join(dir, fmt.Sprintf("%s-%d.test", t.name, i))
		cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-c", "-o", binary, p)
		cmd.Dir = root
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: build %s: %w\n%s", t.name, p, err, text)
		}
		t.binaries = append(t.binaries, binary)
		t.folders = append(t.folders, filepath.Join(root, p))
	}
	return t, nil
}

// Results are the measurements of each benchmark, one a round, by unit.
type Results map[string]map[string][]float64

// Measure runs the benchmarks of that pattern once.
func (t *Tests) Measure(ctx context.Context, into Results, bench, benchtime string) error {
	for i, binary := range t.binaries {
		cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.benchmem", "-test.bench="+bench, "-test.benchtime="+benchtime)
		cmd.Dir = t.folders[i]
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %s: %w\n%s", t.name, t.folders[i], err, text.Bytes())
		}
		into.Add(text.String())
	}
	return nil
}

var (
	line   = regexp.MustCompile(`^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)
	figure = regexp.MustCompile(`([\d.]+) (\S+)`)
)

// Add reads what a test binary has printed.
func (r Results) Add(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		m := line.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if r[m[1]] == nil {
			r[m[1]] = map[string][]float64{}
		}
		for _, f := range figure.FindAllStringSubmatch(m[2], -1) {
			if v, err := strconv.ParseFloat(f[1], 64); err == nil {
				r[m[1]][f[2]] = append(r[m[1]][f[2]], v)
			}
		}
	}
}
