package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var benchmarkLine = regexp.MustCompile(`(?m)^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op`)

// goBench runs benchmarks of a package of the root module, and returns what one operation of each
// takes, in ns. It builds them once.
func (b *bench) goBench(pkg, pattern, benchtime string) (map[string]float64, error) {
	root := filepath.Join(here(), "..", "..")
	binary := filepath.Join(b.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	if _, err := os.Stat(binary); err != nil {
		b.progress("  building the benchmarks of %s", pkg)
		build := exec.CommandContext(b.ctx, "go", "test", "-vet=off", "-c", "-o", binary, pkg)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build the benchmarks of %s: %w\n%s", pkg, err, out)
		}
	}
	run := exec.CommandContext(b.ctx, binary, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime="+benchtime)
	run.Dir = filepath.Join(root, pkg)
	out, err := run.CombinedOutput()
	found := map[string]float64{}
	for _, m := range benchmarkLine.FindAllStringSubmatch(string(out), -1) {
		found[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("benchmarks %s of %s: %w\n%s", pattern, pkg, err, out)
	}
	return found, nil
}
