package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"duequeue": main})
}

// TestScripts runs the command lines of testdata/script and compares what they
// print.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireUniqueNames: true, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			// A program built with -race sleeps a second when it exits.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			// Classes that javac wrote, see testdata/generate.sh there.
			classes, err := filepath.Abs("../../../codecs/java/classfile/testdata/classes")
			e.Setenv("CLASSES", classes)
			return err
		},
	})
}
