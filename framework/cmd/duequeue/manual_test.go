package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/manual"
)

// COMMANDS.md is what "duequeue help manual" prints: make commands writes it anew.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	var page, errs bytes.Buffer
	if code := run(t.Context(), []string{"help", "manual"}, strings.NewReader(""), &page, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	committed, err := os.ReadFile("../../COMMANDS.md")
	if err != nil || !bytes.Equal(committed, page.Bytes()) {
		t.Errorf("framework/COMMANDS.md is not what the commands say of themselves (%v): run make commands", err)
	}
}

// Each command has an example that its flags take, and stands in a group.
func TestEachCommandHasAnExample(t *testing.T) {
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

// Lines of JSON name their fields, and no two alike.
func TestFieldsOfJSON(t *testing.T) {
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
