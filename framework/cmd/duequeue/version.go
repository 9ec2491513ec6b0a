package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

func versionCommand() command {
	return command{
		name:  "version",
		short: "show the version of this program",
		setup: func(*flag.FlagSet) func(context.Context, *env, []string) error {
			return func(_ context.Context, e *env, args []string) error {
				if len(args) > 0 {
					return usagef("version takes no arguments")
				}
				return e.printVersion()
			}
		},
	}
}

// build is what the binary knows about itself.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
}

func (e *env) printVersion() error {
	b := build{Version: "(devel)", Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Revision = s.Value
			}
		}
	}
	if e.json {
		return json.NewEncoder(e.stdout).Encode(b)
	}
	text := "duequeue " + b.Version
	if b.Revision != "" {
		text += " (" + b.Revision + ")"
	}
	_, err := fmt.Fprintln(e.stdout, text, b.Go)
	return err
}
