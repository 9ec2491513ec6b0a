package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/mutants"
)

// orderly are edits of Go's own source: in a bubble of testing/synctest the order of select,
// of maps, of timers for one moment and of contexts that end together is always the same,
// no goroutine is interrupted, and none has a turn before those of its processor, which would
// depend on how often the collector ran. Without them a seed gives another trace now and then.
var orderly = []mutants.Edit{
	{File: "runtime/rand.go", Old: "\tseed := &globalRand.seed\n", New: "\tseed := &globalRand.seed\n\tstartupRand = nil\n"},
	{File: "runtime/rand.go", Old: "\t\tif readRandom(seed[:]) != len(seed) || allZero(seed[:]) {", New: "\t\tif seed[0] = 1; allZero(seed[:]) {"},
	{File: "runtime/rand.go", Old: "\tmp := getg().m\n\tc := &mp.chacha8\n", New: "\tif getg().bubble != nil {\n\t\treturn 0x9e3779b97f4a7c15\n\t}\n\tmp := getg().m\n\tc := &mp.chacha8\n"},
	{File: "runtime/rand.go", Old: "\tmp := getg().m\n\t// Implement wyrand", New: "\tif getg().bubble != nil {\n\t\treturn 0x9e3779b9\n\t}\n\tmp := getg().m\n\t// Implement wyrand"},
	{File: "runtime/time.go", Old: "\t\t\tt.rand = cheaprand()\n", New: "\t\t\tarmed++\n\t\t\tt.rand = armed\n"},
	{File: "runtime/time.go", Old: "func (t *timer) maybeAdd() {\n", New: "var armed uint32\n\nfunc (t *timer) maybeAdd() {\n"},
	{File: "runtime/proc.go", Old: "const forcePreemptNS = 10 * 1000 * 1000 // 10ms", New: "const forcePreemptNS = 1 << 61"},
	{File: "runtime/proc.go", Old: "\tif pp.schedtick%61 == 0 && !sched.runq.empty() {", New: "\tif false {"},
	{File: "internal/sync/mutex.go", Old: "\tstarvationThresholdNs = 1e6", New: "\tstarvationThresholdNs = 1 << 61"},
	{File: "context/context.go", Old: "\tchildren map[canceler]struct{} //", New: "\tbirths   int\n\tchildren map[canceler]int //"},
	{File: "context/context.go", Old: "make(map[canceler]struct{})", New: "make(map[canceler]int)"},
	{File: "context/context.go", Old: "\t\t\tp.children[child] = struct{}{}\n", New: "\t\t\tp.births++\n\t\t\tp.children[child] = p.births\n"},
	{
		File: "context/context.go", Old: "\tfor child := range c.children {\n",
		New: "\tfor len(c.children) > 0 {\n\t\tvar child canceler\n\t\tfor other, birth := range c.children {\n" +
			"\t\t\tif child == nil || birth < c.children[child] {\n\t\t\t\tchild = other\n\t\t\t}\n\t\t}\n\t\tdelete(c.children, child)\n",
	},
}

// thrifty are edits of the in-memory server: it makes a state of Lua for each script anew,
// and two buffers of 4 kB for each command in one, and at each command it sorts all keys to
// see which have expired. That takes half of the time of a seed.
var thrifty = []mutants.Edit{
	{
		File: "db.go", Old: "fastForward(duration time.Duration) {\n\tfor _, key := range db.allKeys() {\n",
		New: "fastForward(duration time.Duration) {\n\tfor key := range db.ttl {\n\t\tif !db.exists(key) {\n\t\t\tcontinue\n\t\t}\n",
	},
	{
		File: "cmd_scripting.go", Old: "\tl := lua.NewState(lua.Options{SkipOpenLibs: true})\n\tdefer l.Close()\n",
		New: "\tl, made := state, state != nil\n\tif !made {\n\t\tl = lua.NewState(lua.Options{SkipOpenLibs: true})\n\t}\n" +
			"\tstate = nil // a script that panics leaves none\n\tdefer func() { l.SetTop(0); state = l }()\n",
	},
	{File: "lua.go", Old: "bufio.NewWriter(buf)", New: "bufio.NewWriterSize(buf, 64)"},
	{File: "lua.go", Old: "bufio.NewReader(buf)", New: "bufio.NewReaderSize(buf, 64)"},
	{File: "cmd_scripting.go", Old: "\tparsedScripts = sync.Map{}\n", New: "\tparsedScripts = sync.Map{}\n\tstate *lua.LState\n"},
	{File: "cmd_scripting.go", Old: "\t\tif err := l.CallByParam(lua.P{\n", New: "\t\tif made {\n\t\t\tbreak\n\t\t}\n\t\tif err := l.CallByParam(lua.P{\n"},
	{File: "cmd_scripting.go", Old: "\tluajson.Preload(l)\n\trequireGlobal(l,", New: "\tif !made {\n\t\tluajson.Preload(l)\n\t\trequireGlobal(l,"},
	{File: "cmd_scripting.go", Old: "\"cjson\", \"json\")\n", New: "\"cjson\", \"json\")\n\t}\n"},
	{File: "cmd_scripting.go", Old: "\tl.RegisterModule(\"os\", mkLuaOS())\n\n\t_ =", New: "\tif !made {\n\tl.RegisterModule(\"os\", mkLuaOS())\n\t_ ="},
	{File: "cmd_scripting.go", Old: "doScript(l, protectGlobals)\n", New: "doScript(l, protectGlobals)\n\t}\n"},
}

// faster copies the in-memory server to dir, edited, and returns the go.mod that uses it.
func faster(ctx context.Context, root, dir string) (modfile string, err error) {
	const fake = "github.com/alicebob/miniredis/v2"
	if _, err = goSays(ctx, "-C", root, "mod", "download", fake); err != nil {
		return "", err
	}
	source, err := goSays(ctx, "-C", root, "list", "-m", "-f", "{{.Dir}}", fake)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, "miniredis")
	if err = os.CopyFS(copied, os.DirFS(source)); err != nil {
		return "", err
	}
	files, err := mutants.Mutant{Edits: thrifty}.Apply(copied)
	if err != nil {
		return "", err
	}
	for name, text := range files {
		if err = os.WriteFile(filepath.Join(copied, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	modfile = filepath.Join(dir, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text, readErr := os.ReadFile(filepath.Join(root, name))
		if readErr != nil {
			return "", readErr
		}
		if name == "go.mod" {
			text = fmt.Appendf(text, "\nreplace %s => %s\n", fake, copied)
		}
		if err = os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return "", err
		}
	}
	return modfile, nil
}

func (s *simulator) build(ctx context.Context, dir string, number int) error {
	root, err := mutants.Root(ctx)
	if err != nil {
		return err
	}
	goroot, err := goSays(ctx, "env", "GOROOT")
	if err != nil {
		return err
	}
	m := mutants.Mutant{}
	if number != 0 {
		if m, err = mutants.Of(number); err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "mutant %d, %s: %s\n", m.Number, m.Name, m.Was)
	}
	for _, e := range orderly {
		e.File = filepath.Join(goroot, "src", filepath.FromSlash(e.File))
		m.Edits = append(m.Edits, e)
	}
	overlay, err := m.Overlay(root, dir)
	if err != nil {
		return fmt.Errorf("this release of Go or this source is another: %w", err)
	}
	modfile, err := faster(ctx, root, dir)
	if err != nil {
		return fmt.Errorf("this release of miniredis is another: %w", err)
	}
	_, err = goSays(ctx, "-C", root, "test", "-c", "-vet=off", "-tags", "simulation", "-modfile", modfile, "-overlay", overlay, "-o", s.binary, "./framework/internal/simulation")
	return err
}

func goSays(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
