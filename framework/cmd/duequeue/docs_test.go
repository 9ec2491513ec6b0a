//go:build lint

// These tests hold the documentation to the program: make lint runs them.

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/manual"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// calls are how the docs show a call: between backquotes, or on a line of a block.
var calls = regexp.MustCompile("`duequeue ([^`]+)`|(?m)^(?:    |\\$ )?duequeue ([^|>#\n]+)")

// placeholders of the docs, and what a test can give.
var placeholders = strings.NewReplacer(
	"[-for 2h]", "-for 2h", "'provider is down'", "down", "QUEUE…", "ORDERS", "QUEUE...", "ORDERS", "QUEUE", "ORDERS", "-group KEY", "-group 0123456789abcdef",
	"-reason …", "-reason x", "-redis … ", "", "-reason TEXT", "-reason x", "-codec NAME", "-codec string", "-workers N", "-workers 3", "-rate R", "-rate 5", "ENTRY", "1700000000000-0",
	"ORDERS ID", "ORDERS 19f4a7d2c30-0123456789abcd", "-in hex …", "-in hex 03343731b1", "-export-dead FILE", "-dry-run -redrive-dead",
)

// Every call that the docs show is one that the program takes: no command, flag or argument is
// wrong. Those that end by themselves run, on a queue that has all there can be; of the others,
// and of those that need files, the flags are read.
func TestLintCallsInTheDocs(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	rdb := srv.Client()
	files := []string{"../../../README.md", "../../../examples/README.md", "../../../examples/20-deploy/README.md"}
	pages, err := filepath.Glob("../../*.md")
	if err != nil || len(pages) < 8 {
		t.Fatalf("%q %v", pages, err)
	}
	texts, seen := map[string]string{}, map[string]bool{}
	for _, file := range append(files, pages...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	t.Chdir(t.TempDir()) // some write files
	for file, text := range texts {
		for _, m := range calls.FindAllStringSubmatch(text, -1) {
			call := strings.TrimSpace(m[1] + m[2])
			if seen[call] || strings.Contains(call, "[flags]") { // a synopsis
				continue
			}
			seen[call] = true
			args := strings.Fields(placeholders.Replace(call))
			switch {
			case !slices.Contains(args, "ORDERS") || slices.Contains(args, "-follow") || slices.Contains([]string{"acl", "completion", "config", "context", "decode", "inspect", "javadesc", "compat", "transfer", "web", "top", "help"}, args[0]):
				args = append(args, "-help") // or the prose names the command alone
			case args[0] == "cancel":
				args = append(args, "-yes") // at a terminal it asks
			}
			rdb.FlushDB(t.Context())
			seedOrders(t, rdb)
			if code, out, errs := called(t, args...); code == exitUsage {
				t.Errorf("%s: duequeue %s\n  run as %q: %s%s", filepath.Base(file), call, args, out, errs)
			}
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d calls were found", len(seen))
	}
}

// Each command has an example that its flags take, and stands in a group.
func TestLintExamplesOfCommands(t *testing.T) {
	t.Parallel()
	for _, c := range leaves(tree(&env.Env{})) {
		spec := env.SpecOf(c)
		if len(spec.Examples) == 0 || spec.Short == "" {
			t.Errorf("%s has no example, or no line for the list", env.Path(c))
		}
		for _, example := range spec.Examples {
			line, _, _ := strings.Cut(example, " >")
			if at := strings.Index(line, "| "); at >= 0 {
				line = line[at+2:]
			}
			line = strings.TrimSuffix(strings.TrimPrefix(line, "source <("), ")")
			out, err := exec.CommandContext(t.Context(), "sh", "-c", `duequeue() { printf '%s\n' "$@"; }; `+line).Output()
			if err != nil {
				t.Fatalf("%s: %v", example, err)
			}
			var stdout, stderr bytes.Buffer
			args := slices.Concat(strings.Split(strings.TrimSpace(string(out)), "\n"), []string{"-help"})
			if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != exitOK {
				t.Errorf("%s: %s", example, stderr.String())
			}
		}
	}
	root := tree(&env.Env{})
	for _, c := range root.Commands {
		if !slices.Contains(env.Groups(), c.Category) {
			t.Errorf("%s is in the group %q, which is not listed", c.Name, c.Category)
		}
	}
}

// leaves returns the commands that run.
func leaves(c *cli.Command) (all []*cli.Command) {
	if len(c.Commands) == 0 {
		return []*cli.Command{c}
	}
	for _, below := range c.Commands {
		all = append(all, leaves(below)...)
	}
	return all
}

// The unit and the manifest of the examples call the daemon as it wants to be called.
func TestLintTransferExamples(t *testing.T) {
	for file, call := range map[string]*regexp.Regexp{
		"systemd/duequeue-transfer.service": regexp.MustCompile(`(?m)^ExecStart=\S+ transfer (.*)$`),
		"kubernetes/transfer.yaml":          regexp.MustCompile(`(?m)^ *args: \["transfer", (.*)\]$`),
	} {
		text, err := os.ReadFile("../../../examples/20-deploy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		m := call.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s does not run duequeue transfer", file)
			continue
		}
		args := strings.Fields(strings.NewReplacer(`"`, "", ",", " ").Replace(string(m[1])))
		var out, errs bytes.Buffer
		if code := run(t.Context(), slices.Concat([]string{"transfer", "-help"}, args), strings.NewReader(""), &out, &errs); code != exitOK {
			t.Errorf("%s: %q: %s", file, args, errs.String())
		}
	}
}

// Lines of JSON name their fields, and no two alike.
func TestLintFieldsOfJSON(t *testing.T) {
	t.Parallel()
	for _, c := range leaves(tree(&env.Env{})) {
		seen := map[string]bool{}
		for _, field := range manual.Fields(env.SpecOf(c).JSON) {
			name, _, _ := strings.Cut(field, " ")
			if seen[name] {
				t.Errorf("%s: two fields are called %s", env.Path(c), name)
			}
			seen[name] = true
		}
	}
}
