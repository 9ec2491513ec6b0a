package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// goTests is the test binary of a package, whose benchmarks run as peers.
type goTests struct {
	b              *bench
	binary, folder string
}

// buildTests compiles the tests of a package of the root module.
func (b *bench) buildTests(pkg string) (*goTests, error) {
	root := filepath.Join(here(), "..", "..")
	t := &goTests{b: b, binary: filepath.Join(b.dir, strings.ReplaceAll(pkg, "/", "-")+".test"), folder: filepath.Join(root, pkg)}
	cmd := exec.CommandContext(b.ctx, "go", "test", "-vet=off", "-c", "-o", t.binary, pkg)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w\n%s", pkg, err, out)
	}
	return t, nil
}

// perOp is what one operation of a benchmark takes.
type perOp struct{ ns, allocs float64 }

var benchmarkLine = regexp.MustCompile(`(?m)^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op.*?(?:\s(\d+) allocs/op.*)?$`)

// measure runs the benchmarks of a pattern once.
func (t *goTests) measure(pattern, benchtime string) (map[string]perOp, error) {
	cmd := exec.CommandContext(t.b.ctx, t.binary, "-test.run=^$", "-test.benchmem", "-test.bench="+pattern, "-test.benchtime="+benchtime)
	cmd.Dir = t.folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", t.folder, err, out)
	}
	found := map[string]perOp{}
	for _, m := range benchmarkLine.FindAllStringSubmatch(string(out), -1) {
		ns, _ := strconv.ParseFloat(m[2], 64)
		allocs, _ := strconv.ParseFloat(m[3], 64)
		found[m[1]] = perOp{ns, allocs}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no benchmark %s", t.folder, pattern)
	}
	return found, nil
}
