package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
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
		Dir: "testdata/script", RequireUniqueNames: true, RequireExplicitExec: true, Cmds: redisCommands,
		Setup: func(e *testscript.Env) error {
			// A program built with -race sleeps a second when it exits.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			// Classes that javac wrote, see testdata/generate.sh there.
			classes, err := filepath.Abs("../../../codecs/java/classfile/testdata/classes")
			e.Setenv("CLASSES", classes)
			golden, missing := os.ReadFile("testdata/script/decode-classes.txtar")
			_, order, _ := bytes.Cut(golden, []byte("-- order.hex --\n"))
			order, _, _ = bytes.Cut(order, []byte("\n"))
			e.Setenv("USER", "alice")
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			// A demo.Order as Kryo5Codec of a released jar writes it.
			return errors.Join(err, missing, writeJars(classes, e.WorkDir), os.WriteFile(filepath.Join(e.WorkDir, "order.hex"), order, 0o600))
		},
	})
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
