package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
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
func TestCallsInTheDocs(t *testing.T) {
	srv := lab.Start(t)
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
			case !slices.Contains(args, "ORDERS") || slices.Contains(args, "-follow") || slices.Contains([]string{"acl", "completion", "config", "context", "decode", "inspect", "javadesc", "transfer", "web", "top", "help"}, args[0]):
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
	if len(seen) < 100 {
		t.Errorf("only %d calls were found", len(seen))
	}
}
