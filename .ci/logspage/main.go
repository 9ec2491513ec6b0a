// Command logspage compares framework/LOGS.md with the calls of loggers in the sources of
// package framework and of those below it, both ways. It runs in the root of the module.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const page = "framework/LOGS.md"

var levels = map[string]string{
	"Debug": "DEBUG", "DebugContext": "DEBUG", "Info": "INFO", "InfoContext": "INFO",
	"Warn": "WARN", "WarnContext": "WARN", "Error": "ERROR", "ErrorContext": "ERROR",
}

// checker has what the page says, and finds what it does not.
type checker struct {
	lines   map[string]bool // "LEVEL message": whether the sources have it
	keys    map[string]bool
	set     *token.FileSet
	mistake []string
}

func main() {
	text, err := os.ReadFile(page)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := &checker{lines: map[string]bool{}, keys: map[string]bool{}, set: token.NewFileSet()}
	for _, m := range regexp.MustCompile("(?m)^\\| (DEBUG|INFO|WARN|ERROR) \\| `([^`]+)` \\| [^|]+ \\|$").FindAllStringSubmatch(string(text), -1) {
		c.lines[m[1]+" "+m[2]] = false
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		c.keys[m[1]] = true
	}
	if err := filepath.WalkDir("framework", c.file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for line, used := range c.lines {
		if !used {
			c.note("%s: no source writes %q", page, line)
		}
	}
	slices.Sort(c.mistake)
	for _, m := range c.mistake {
		fmt.Println(m)
	}
	if len(c.mistake) > 0 {
		os.Exit(1)
	}
}

func (c *checker) note(format string, args ...any) {
	c.mistake = append(c.mistake, fmt.Sprintf(format, args...))
}

// file checks a file, but for those of programs, test kits and tests.
func (c *checker) file(path string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case d.IsDir() && slices.Contains([]string{"cmd", "frameworktest", "testdata"}, d.Name()):
		return filepath.SkipDir
	case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
		return nil
	}
	source, err := parser.ParseFile(c.set, path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(source, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			c.call(call)
		}
		return true
	})
	return nil
}

// call checks a call, if it is one of a logger: x.log.Warn, x.Logger.Warn, log.Warn.
func (c *checker) call(call *ast.CallExpr) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || levels[method.Sel.Name] == "" {
		return
	}
	logger := ""
	switch of := method.X.(type) {
	case *ast.SelectorExpr:
		logger = of.Sel.Name
	case *ast.Ident:
		logger = of.Name
	}
	if logger = strings.ToLower(logger); !strings.HasPrefix(logger, "log") && logger != "slog" {
		return
	}
	place, args := c.set.Position(call.Pos()), call.Args
	if strings.HasSuffix(method.Sel.Name, "Context") {
		args = args[1:]
	}
	message, ok := text(args[0])
	line := levels[method.Sel.Name] + " " + message
	if _, known := c.lines[line]; !ok {
		c.note("%s: the message is not a constant", place)
	} else if !known {
		c.note("%s: %s has no line %q", place, page, line)
	} else {
		c.lines[line] = true
	}
	for _, a := range args[1:] {
		c.attributes(place, a)
	}
}

// attributes checks the keys among the arguments of a call: constants, also in calls of append
// and of helpers.
func (c *checker) attributes(place token.Position, e ast.Expr) {
	if key, ok := text(e); ok {
		switch {
		case slices.Contains([]string{"error", "code", "error_text"}, key):
			c.note("%s: the key %q is err or queue everywhere", place, key)
		case regexp.MustCompile(`^[a-z_]+$`).MatchString(key) && !c.keys[key]:
			c.note("%s: %s has no key %q", place, page, key)
		}
	}
	if call, ok := e.(*ast.CallExpr); ok {
		for _, a := range call.Args {
			c.attributes(place, a)
		}
	}
}

func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
