package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// orderly are edits of Go's own source: in a bubble of testing/synctest the order of select,
// of maps, of timers for one moment and of contexts that end together is always the same,
// no goroutine is interrupted, and none has a turn before those of its processor, which would
// depend on how often the collector ran. Without them a seed gives another trace now and then.
var orderly = []edit{
	{file: "runtime/rand.go", old: "\tseed := &globalRand.seed\n", new: "\tseed := &globalRand.seed\n\tstartupRand = nil\n"},
	{file: "runtime/rand.go", old: "\t\tif readRandom(seed[:]) != len(seed) || allZero(seed[:]) {", new: "\t\tif seed[0] = 1; allZero(seed[:]) {"},
	{file: "runtime/rand.go", old: "\tmp := getg().m\n\tc := &mp.chacha8\n", new: "\tif getg().bubble != nil {\n\t\treturn 0x9e3779b97f4a7c15\n\t}\n\tmp := getg().m\n\tc := &mp.chacha8\n"},
	{file: "runtime/rand.go", old: "\tmp := getg().m\n\t// Implement wyrand", new: "\tif getg().bubble != nil {\n\t\treturn 0x9e3779b9\n\t}\n\tmp := getg().m\n\t// Implement wyrand"},
	{file: "runtime/time.go", old: "\t\t\tt.rand = cheaprand()\n", new: "\t\t\tarmed++\n\t\t\tt.rand = armed\n"},
	{file: "runtime/time.go", old: "func (t *timer) maybeAdd() {\n", new: "var armed uint32\n\nfunc (t *timer) maybeAdd() {\n"},
	{file: "runtime/proc.go", old: "const forcePreemptNS = 10 * 1000 * 1000 // 10ms", new: "const forcePreemptNS = 1 << 61"},
	{file: "runtime/proc.go", old: "\tif pp.schedtick%61 == 0 && !sched.runq.empty() {", new: "\tif false {"},
	{file: "internal/sync/mutex.go", old: "\tstarvationThresholdNs = 1e6", new: "\tstarvationThresholdNs = 1 << 61"},
	{file: "context/context.go", old: "\tchildren map[canceler]struct{} //", new: "\tbirths   int\n\tchildren map[canceler]int //"},
	{file: "context/context.go", old: "make(map[canceler]struct{})", new: "make(map[canceler]int)"},
	{file: "context/context.go", old: "\t\t\tp.children[child] = struct{}{}\n", new: "\t\t\tp.births++\n\t\t\tp.children[child] = p.births\n"},
	{
		file: "context/context.go", old: "\tfor child := range c.children {\n",
		new: "\tfor len(c.children) > 0 {\n\t\tvar child canceler\n\t\tfor other, birth := range c.children {\n" +
			"\t\t\tif child == nil || birth < c.children[child] {\n\t\t\t\tchild = other\n\t\t\t}\n\t\t}\n\t\tdelete(c.children, child)\n",
	},
}

// thrifty are edits of the in-memory server: it makes a state of Lua for each script anew,
// and two buffers of 4 kB for each command in one, and at each command it sorts all keys to
// see which have expired. That takes half of the time of a seed.
var thrifty = []edit{
	{
		file: "db.go", old: "fastForward(duration time.Duration) {\n\tfor _, key := range db.allKeys() {\n",
		new: "fastForward(duration time.Duration) {\n\tfor key := range db.ttl {\n\t\tif !db.exists(key) {\n\t\t\tcontinue\n\t\t}\n",
	},
	{
		file: "cmd_scripting.go", old: "\tl := lua.NewState(lua.Options{SkipOpenLibs: true})\n\tdefer l.Close()\n",
		new: "\tl, made := state, state != nil\n\tif !made {\n\t\tl = lua.NewState(lua.Options{SkipOpenLibs: true})\n\t}\n" +
			"\tstate = nil // a script that panics leaves none\n\tdefer func() { l.SetTop(0); state = l }()\n",
	},
	{file: "lua.go", old: "bufio.NewWriter(buf)", new: "bufio.NewWriterSize(buf, 64)"},
	{file: "lua.go", old: "bufio.NewReader(buf)", new: "bufio.NewReaderSize(buf, 64)"},
	{file: "cmd_scripting.go", old: "\tparsedScripts = sync.Map{}\n", new: "\tparsedScripts = sync.Map{}\n\tstate *lua.LState\n"},
	{file: "cmd_scripting.go", old: "\t\tif err := l.CallByParam(lua.P{\n", new: "\t\tif made {\n\t\t\tbreak\n\t\t}\n\t\tif err := l.CallByParam(lua.P{\n"},
	{file: "cmd_scripting.go", old: "\tluajson.Preload(l)\n\trequireGlobal(l,", new: "\tif !made {\n\t\tluajson.Preload(l)\n\t\trequireGlobal(l,"},
	{file: "cmd_scripting.go", old: "\"cjson\", \"json\")\n", new: "\"cjson\", \"json\")\n\t}\n"},
	{file: "cmd_scripting.go", old: "\tl.RegisterModule(\"os\", mkLuaOS())\n\n\t_ =", new: "\tif !made {\n\tl.RegisterModule(\"os\", mkLuaOS())\n\t_ ="},
	{file: "cmd_scripting.go", old: "doScript(l, protectGlobals)\n", new: "doScript(l, protectGlobals)\n\t}\n"},
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
	files, err := apply(copied, thrifty)
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

func (s *simulator) build(ctx context.Context, dir string) error {
	root, err := goSays(ctx, "list", "-m", "-f", "{{.Dir}}", "github.com/duequeue/duequeue")
	if err != nil {
		return err
	}
	goroot, err := goSays(ctx, "env", "GOROOT")
	if err != nil {
		return err
	}
	replaced, err := overlay(filepath.Join(goroot, "src"), dir, orderly)
	if err != nil {
		return fmt.Errorf("this release of Go is another: %w", err)
	}
	modfile, err := faster(ctx, root, dir)
	if err != nil {
		return fmt.Errorf("this release of miniredis is another: %w", err)
	}
	_, err = goSays(ctx, "-C", root, "test", "-c", "-vet=off", "-tags", "simulation", "-modfile", modfile, "-overlay", replaced, "-o", s.binary, "./framework/internal/simulation")
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
