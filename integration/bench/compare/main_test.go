package main

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/bench/gobench"
)

const printed = `goos: linux
BenchmarkConsume/prefetch=128-2         	  400000	      %s ns/op	    1949 B/op	       %s allocs/op
BenchmarkOnlyHere-2 	 100 	 5 ns/op
PASS
`

func TestReport(t *testing.T) {
	t.Parallel()
	base, now := gobench.Results{}, gobench.Results{}
	fill := func(r gobench.Results, ns, allocs string) {
		r.Add(strings.Replace(strings.Replace(strings.Replace(printed, "%s", ns, 1), "%s", allocs, 1), "OnlyHere", "Only"+allocs, 1))
	}
	for _, ns := range [][2]string{{"100", "80"}, {"1000", "500"}, {"200", "180"}} {
		fill(base, ns[0], "11")
		fill(now, ns[1], "6")
	}
	var out strings.Builder
	if err := report(&out, base, now); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%q", lines)
	}
	if got := strings.Join(strings.Fields(lines[1]), " "); got != "BenchmarkConsume/prefetch=128 200.0 180.0 0.800 0.50…0.90 11 6" {
		t.Errorf("%q", got)
	}
	if err := report(&out, base, gobench.Results{}); err == nil {
		t.Error("nothing to compare, and no error")
	}
}
