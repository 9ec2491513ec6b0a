// Command buildcost builds a service with an empty cache and prints the CPU seconds of compilers
// and linker by whose packages they work on, our ten most expensive packages, and the size of
// the binary. Other work on the machine changes the seconds: compare runs of one hour.
//
//	go run .ci/buildcost/main.go [package]
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// action is one step of the go command, see "go help build" for -debug-actiongraph.
type action struct {
	Mode, Package   string
	CmdUser, CmdSys time.Duration
}

// share is what some packages cost.
type share struct {
	name     string
	packages int
	cpu      time.Duration
}

func main() {
	service := "./examples/00-service"
	if len(os.Args) > 1 {
		service = os.Args[1]
	}
	if err := run(service); err != nil {
		fmt.Fprintln(os.Stderr, "buildcost:", err)
		os.Exit(1)
	}
}

func run(service string) error {
	module, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		return fmt.Errorf("go list -m: %w", err)
	}
	dir, err := os.MkdirTemp("", "buildcost")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary, graph := filepath.Join(dir, "service"), filepath.Join(dir, "graph")
	build := exec.Command("go", "build", "-debug-actiongraph="+graph, "-o", binary, service)
	build.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", build, err, output)
	}
	text, err := os.ReadFile(graph)
	if err != nil {
		return err
	}
	var actions []action
	if err := json.Unmarshal(text, &actions); err != nil {
		return err
	}
	of, err := os.Stat(binary)
	if err != nil {
		return err
	}
	shares, ours := count(actions, string(bytes.TrimSpace(module)))
	for _, s := range shares {
		fmt.Printf("%6.1f s  %3d packages  %s\n", s.cpu.Seconds(), s.packages, s.name)
	}
	fmt.Printf("%6.1f MB of binary\n\nour most expensive packages:\n", float64(of.Size())/1e6)
	for _, s := range ours[:min(10, len(ours))] {
		fmt.Printf("%6.2f s  %s\n", s.cpu.Seconds(), s.name)
	}
	return nil
}

// count adds up what the actions cost, by owner and by package of the module.
func count(actions []action, module string) (owners, ours []share) {
	at := map[string]*share{}
	add := func(name string, cpu time.Duration, packages int) {
		if at[name] == nil {
			at[name] = &share{name: name}
		}
		at[name].packages += packages
		at[name].cpu += cpu
	}
	for _, a := range actions {
		cpu := a.CmdUser + a.CmdSys
		first, _, _ := strings.Cut(a.Package, "/")
		add("all", cpu, 0)
		switch {
		case a.Mode == "link":
			add("linker", cpu, 0)
		case a.Mode != "build" || a.Package == "":
			add("cgo and others", cpu, 0)
		case a.Package == module || strings.HasPrefix(a.Package, module+"/"):
			add("ours", cpu, 1)
			ours = append(ours, share{strings.TrimPrefix(a.Package, module+"/"), 1, cpu})
		case strings.HasPrefix(a.Package, "github.com/redis/go-redis/"):
			add("go-redis", cpu, 1)
		case strings.HasPrefix(a.Package, "go.opentelemetry.io/"):
			add("OpenTelemetry", cpu, 1)
		case !strings.Contains(first, "."):
			add("standard library", cpu, 1)
		default:
			add("other modules", cpu, 1)
		}
	}
	for _, s := range at {
		owners = append(owners, *s)
	}
	costliest := func(a, b share) int { return cmp.Or(cmp.Compare(b.cpu, a.cpu), cmp.Compare(a.name, b.name)) }
	slices.SortFunc(owners, costliest)
	slices.SortFunc(ours, costliest)
	return owners, ours
}
