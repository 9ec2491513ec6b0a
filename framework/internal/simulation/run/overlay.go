package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// edit replaces a text that stands in a file exactly once.
type edit struct {
	file     string // below the directory that is edited, with slashes
	old, new string
}

// apply returns the edited files of a directory by name. An old text that is not there
// exactly once is an error: the source is of another release.
func apply(dir string, edits []edit) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range edits {
		text, edited := files[e.file]
		if !edited {
			b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(e.file)))
			if err != nil {
				return nil, err
			}
			text = string(b)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("%s has this text %d times, not once: %q", e.file, n, e.old)
		}
		files[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return files, nil
}

// overlay writes edited files of a directory to another one, and returns the path of the
// file for -overlay.
func overlay(source, dir string, edits []edit) (string, error) {
	files, err := apply(source, edits)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range files {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err = os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(source, filepath.FromSlash(name))] = copied
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}
