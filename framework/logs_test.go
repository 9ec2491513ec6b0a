//go:build lint

package framework

import (
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
	"testing"
)

// logCall is one call of a logger in the sources.
type logCall struct {
	level, message, place string
	keys                  []string
}

var logMethods = map[string]string{
	"Debug": "DEBUG", "DebugContext": "DEBUG", "Info": "INFO", "InfoContext": "INFO",
	"Warn": "WARN", "WarnContext": "WARN", "Error": "ERROR", "ErrorContext": "ERROR",
}

// logCalls finds what the framework's packages log, but for its programs and test kits.
func logCalls(t *testing.T) []logCall {
	t.Helper()
	var calls []logCall
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"cmd", "frameworktest", "testdata"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if c, ok := logCallOf(t, set, call); ok {
					calls = append(calls, c)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// logCallOf reads one call, if it is one of a logger.
func logCallOf(t *testing.T, set *token.FileSet, call *ast.CallExpr) (logCall, bool) {
	t.Helper()
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || logMethods[method.Sel.Name] == "" {
		return logCall{}, false
	}
	switch of := method.X.(type) { // x.log, x.Logger, log
	case *ast.SelectorExpr:
		ok = strings.HasPrefix(strings.ToLower(of.Sel.Name), "log")
	case *ast.Ident:
		ok = strings.HasPrefix(strings.ToLower(of.Name), "log") || of.Name == "slog"
	default:
		ok = false
	}
	if !ok {
		return logCall{}, false
	}
	args := call.Args
	if strings.HasSuffix(method.Sel.Name, "Context") {
		args = args[1:]
	}
	c := logCall{level: logMethods[method.Sel.Name], place: set.Position(call.Pos()).String()}
	if c.message, ok = text(args[0]); !ok {
		t.Errorf("%s: the message is no constant: nobody can look it up", c.place)
	}
	for _, a := range args[1:] {
		c.keys = append(c.keys, keysOf(a)...)
	}
	return c, true
}

// keysOf finds the keys in the attributes of a call: constants in front of values, also in
// calls of append and of helpers.
func keysOf(e ast.Expr) []string {
	if k, ok := text(e); ok {
		return []string{k}
	}
	var keys []string
	if call, ok := e.(*ast.CallExpr); ok {
		for _, a := range call.Args {
			keys = append(keys, keysOf(a)...)
		}
	}
	return keys
}

func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// TestLintLogsPage compares LOGS.md with the sources: each of its lines is written by the code, it
// has every ERROR, and it names every key.
func TestLintLogsPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("LOGS.md")
	if err != nil {
		t.Fatal(err)
	}
	page, glossary, _ := strings.Cut(string(text), "\n## Keys\n")
	calls := logCalls(t)
	if len(calls) < 40 {
		t.Fatalf("only %d calls of loggers found: has their spelling changed?", len(calls))
	}
	var explained []logLine
	for _, m := range regexp.MustCompile("(?m)^\\| (DEBUG|INFO|WARN|ERROR) \\| `([^`]+)` \\| ([^|]+) \\|$").FindAllStringSubmatch(page, -1) {
		begins, cut := strings.CutSuffix(m[2], "…")
		of := logLine{m[1], begins, cut}
		explained = append(explained, of)
		if !slices.ContainsFunc(calls, of.explains) {
			t.Errorf("LOGS.md explains a line that no code writes: %s %s", m[1], m[2])
		}
	}
	for _, c := range calls {
		known := slices.ContainsFunc(explained, func(l logLine) bool { return l.explains(c) })
		if c.level == "ERROR" && !known {
			t.Errorf("not in LOGS.md: | ERROR | `%s` |  | (%s)", c.message, c.place)
		}
		checkKeys(t, c, glossary)
	}
}

// logLine is a line that the page explains: its level and its text, or how that begins.
type logLine struct {
	level, begins string
	cut           bool
}

func (l logLine) explains(c logCall) bool {
	return c.level == l.level && (c.message == l.begins || l.cut && strings.HasPrefix(c.message, l.begins))
}

func checkKeys(t *testing.T, c logCall, glossary string) {
	t.Helper()
	for _, k := range c.keys {
		if k == "error" || k == "code" || k == "error_text" {
			t.Errorf("%s: the key %q: it is err and queue everywhere", c.place, k)
		}
		if regexp.MustCompile(`^[a-z_]+$`).MatchString(k) && !strings.Contains(glossary, "`"+k+"`") {
			t.Errorf("%s: the key %q is not among the keys of LOGS.md", c.place, k)
		}
	}
}
