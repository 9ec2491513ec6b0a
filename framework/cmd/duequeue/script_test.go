package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain is also the program itself, which scripts find as duequeue in PATH.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "duequeue" {
		main()
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	time.Local = time.UTC // what commands print does not depend on the machine
	bin, err := os.MkdirTemp("", "duequeue-test")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(bin) }()
	self, err := os.Executable()
	if err = errors.Join(err, os.Symlink(self, filepath.Join(bin, "duequeue")), os.Setenv("PATH", bin+":"+os.Getenv("PATH"))); err != nil {
		panic(err)
	}
	return m.Run()
}

// TestScripts runs the command lines of testdata/script and compares what they
// print. "duequeue" runs in this process, "exec duequeue" as one of its own.
func TestScripts(t *testing.T) {
	testscript.RunT(serial{t}, testscript.Params{
		Dir: "testdata/script", RequireUniqueNames: true, Cmds: scriptCommands,
		Setup: func(e *testscript.Env) error {
			// A program built with -race sleeps a second when it exits.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			e.Values[scriptTest{}] = e.T()
			// Classes that javac wrote, see testdata/generate.sh there.
			classes, err := filepath.Abs("../../../codecs/java/classfile/testdata/classes")
			e.Setenv("CLASSES", classes)
			configured, lost := filepath.Abs("internal/inspect/testdata/classes/app")
			e.Setenv("CONFIGURED", configured)
			golden, missing := os.ReadFile("testdata/script/decode-classes.txtar")
			_, order, _ := bytes.Cut(golden, []byte("-- order.hex --\n"))
			order, _, _ = bytes.Cut(order, []byte("\n"))
			e.Setenv("USER", "alice")
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			// A demo.Order as Kryo5Codec of a released jar writes it.
			return errors.Join(err, lost, missing, writeJars(classes, e.WorkDir), os.WriteFile(filepath.Join(e.WorkDir, "order.hex"), order, 0o600))
		},
	})
}

// scriptTest is the key of a script's testing.TB among its values.
type scriptTest struct{}

// serial runs one script after the other: they change the environment of the process.
type serial struct{ *testing.T }

func (serial) Parallel() {}

func (serial) Verbose() bool { return testing.Verbose() }

func (s serial) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(serial{t}) })
}

// scriptVariables are the variables that scripts set, and that the program reads.
var scriptVariables = []string{"HOME", "USER", "XDG_CONFIG_HOME", "DUEQUEUE_COMPLETE", "DUEQUEUE_REDIS_URL", "DUEQUEUE_REDIS_PASSWORD"}

// runHere runs the program in this process, in the directory and with the variables of the script.
//
//	duequeue ARGUMENT...
func runHere(ts *testscript.TestScript, neg bool, args []string) {
	dir, err := os.Getwd()
	if err = errors.Join(err, os.Chdir(ts.MkAbs("."))); err != nil {
		ts.Fatalf("%v", err)
	}
	defer func() { ts.Check(os.Chdir(dir)) }()
	for _, name := range scriptVariables {
		before, set := os.LookupEnv(name)
		ts.Check(os.Setenv(name, ts.Getenv(name)))
		defer func() {
			if set {
				ts.Check(os.Setenv(name, before))
			} else {
				ts.Check(os.Unsetenv(name))
			}
		}()
	}
	if code := run(context.Background(), args, strings.NewReader(""), ts.Stdout(), ts.Stderr()); (code != exitOK) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// writeJars packs the classes into shop.jar, and that into boot.jar as Spring Boot
// does with its libraries.
func writeJars(classes, dir string) error {
	var shop, boot bytes.Buffer
	w := zip.NewWriter(&shop)
	root := os.DirFS(classes)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		f, err := w.Create(path)
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	})
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	w = zip.NewWriter(&boot)
	lib, err := w.CreateHeader(&zip.FileHeader{Name: "BOOT-INF/lib/shop.jar", Method: zip.Store})
	if err == nil {
		_, err = io.Copy(lib, bytes.NewReader(shop.Bytes()))
	}
	return errors.Join(err, w.Close(),
		os.WriteFile(filepath.Join(dir, "shop.jar"), shop.Bytes(), 0o600),
		os.WriteFile(filepath.Join(dir, "boot.jar"), boot.Bytes(), 0o600))
}
