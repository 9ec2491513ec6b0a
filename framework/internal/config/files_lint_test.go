//go:build lint

package config

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// opened are the places that open files by themselves, and what these are. All others read what
// people have written, by ReadFile.
var opened = map[string]string{
	"framework/internal/config/text.go":                      "ReadFile itself",
	"framework/cmd/duequeue/internal/gosource/importer.go":   "go.mod, as the go command reads it",
	"framework/cmd/duequeue/internal/payloads/input.go":      "payloads, perhaps raw ones; what is text goes through Text",
	"framework/cmd/duequeue/internal/repair/leaveexport.go":  "written, not read",
	"framework/cmd/duequeue/internal/repair/recodememory.go": "written by recode itself",
	"codecs/internal/codectest/files.go":                     "rows and golden files of tests",
	"codecs/java/classfile/source.go":                        "classes",
	"codecs/java/classfile/jar.go":                           "a jar; its manifest has the ends of lines of any system",
}

var opens = regexp.MustCompile(`\bos\.(ReadFile|Open|OpenFile)\(`)

// Files of people are read by ReadFile, so that those from Windows are.
func TestLintFilesAreReadByReadFile(t *testing.T) {
	t.Parallel()
	root := "../../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if d.IsDir() {
			switch d.Name() {
			case "integration", "examples", "testdata", "lab", "simulation", ".ci", ".cache", ".git":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || opened[name] != "" {
			return nil
		}
		text, err := os.ReadFile(path)
		if at := opens.FindIndex(text); at != nil {
			t.Errorf("%s:%d: a file of people is read by config.ReadFile; if it is none, name it in this test", name, 1+bytes.Count(text[:at[0]], []byte("\n")))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
