package env

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// Contexts is the file of named contexts. Each holds what a service's YAML holds, or names
// such a file and its section.
type Contexts struct {
	Current  string             `yaml:"current,omitempty"`
	Contexts map[string]Context `yaml:"contexts,omitempty"`
}

// Context is one of them.
type Context struct {
	Config  string         `yaml:"config,omitempty"`  // a service's YAML
	Section string         `yaml:"section,omitempty"` // of that file
	Inline  map[string]any `yaml:",inline"`           // else the settings themselves
}

// ContextsFile is where the contexts lie.
func ContextsFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for contexts: %w", err)
	}
	return filepath.Join(dir, "duequeue", "contexts.yaml"), nil
}

// readContexts returns the contexts of this user; none where there is no file.
func readContexts() (Contexts, error) {
	var all Contexts
	path, err := ContextsFile()
	if err != nil {
		return all, nil //nolint:nilerr // without a home there are no contexts
	}
	text, err := config.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return all, nil
	case err != nil:
		return all, err
	}
	if reason := config.TooMuch(text); reason != "" {
		return all, &fault.ConfigError{Origin: path, Reason: reason}
	}
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&all); err != nil && len(bytes.TrimSpace(text)) > 0 {
		return all, config.SyntaxError(path, err) // without an excerpt of the file: it holds passwords
	}
	return all, nil
}

// ReadContexts returns the contexts of this user and their names in order.
func ReadContexts() (Contexts, []string, error) {
	all, err := readContexts()
	return all, slices.Sorted(maps.Keys(all.Contexts)), err
}

// Write keeps the contexts, readable for this user alone: there may be passwords.
func (c Contexts) Write() error {
	path, err := ContextsFile()
	if err != nil {
		return err
	}
	text, err := yaml.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	next := path + ".new"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

var contextNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// CheckContextName refuses a name that the file cannot hold.
func CheckContextName(name string) error {
	if !contextNames.MatchString(name) {
		return Usagef("context %q: a name has letters, digits, - and _", name)
	}
	return nil
}

// Find returns a context, or an error that says which there are.
func (c Contexts) Find(name string) (Context, error) {
	found, ok := c.Contexts[name]
	if ok {
		return found, nil
	}
	names := slices.Sorted(maps.Keys(c.Contexts))
	if len(names) == 0 {
		return found, Usagef("there is no context %q, and no other: \"duequeue help context\" says how to make one", name)
	}
	return found, Usagef("there is no context %q%s; \"duequeue context list\" lists them", name, DidYouMean(name, names))
}

func contextPlace(name string) (place, error) {
	all, err := readContexts()
	if err != nil {
		return place{}, err
	}
	c, err := all.Find(name)
	if err != nil {
		return place{}, err
	}
	p := place{File: c.Config, Section: c.Section, From: "context " + name}
	if c.Config == "" {
		p.Section = "contexts." + name
		p.File, err = ContextsFile()
	}
	return p, err
}

// DidYouMean asks for the known word nearest to a misspelt one, or returns "".
func DidYouMean(word string, known []string) string {
	if best := config.Nearest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return ""
}
