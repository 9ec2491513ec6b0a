package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

func versionCommand(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "version", Short: "show the version of this program", Group: env.GroupSelf, Examples: []string{"duequeue --version"}, JSON: build{},
		Run: func(_ context.Context, args []string) error {
			if len(args) > 0 {
				return env.Usagef("version takes no arguments")
			}
			return printVersion(e)
		},
	})
}

// build is what the binary knows about itself.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
}

// release and revision are set by make release.
var release, revision string

func printVersion(e *env.Env) error {
	b := build{Version: "(devel)", Go: runtime.Version()}
	if release != "" {
		b.Version, b.Revision = release, revision
	} else if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Revision = s.Value
			}
		}
	}
	if e.JSON {
		return e.Line(b)
	}
	text := "duequeue " + b.Version
	if b.Revision != "" {
		text += " (" + b.Revision + ")"
	}
	_, err := fmt.Fprintln(e.Stdout, text, b.Go)
	return err
}
