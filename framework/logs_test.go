//go:build lint

package framework

import (
	"cmp"
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

// TestLintLogsPage compares LOGS.md with the sources, both ways.
func TestLintLogsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("LOGS.md")
	if err != nil {
		t.Fatal(err)
	}
	calls := logCalls(t)
	if len(calls) < 40 {
		t.Fatalf("only %d calls of loggers found: has their spelling changed?", len(calls))
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| (DEBUG|INFO|WARN|ERROR) \\| `([^`]+)` \\| ([^|]+) \\|$").FindAllStringSubmatch(string(page), -1) {
		rows[m[1]+" "+m[2]] = false
	}
	keys := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		keys[m[1]] = true
	}
	var missing []string
	for _, c := range calls {
		row := c.level + " " + c.message
		if _, known := rows[row]; !known {
			missing = append(missing, fmt.Sprintf("| %s | `%s` |  | (%s)", c.level, c.message, c.place))
		}
		rows[row] = true
		for _, k := range c.keys {
			if k == "error" || k == "code" || k == "error_text" {
				t.Errorf("%s: the key %q: it is err and queue everywhere", c.place, k)
			}
			if regexp.MustCompile(`^[a-z_]+$`).MatchString(k) && !keys[k] {
				t.Errorf("%s: the key %q is not in the table of keys in LOGS.md", c.place, k)
			}
		}
	}
	slices.SortFunc(missing, cmp.Compare)
	if len(missing) > 0 {
		t.Errorf("not in LOGS.md:\n%s", strings.Join(missing, "\n"))
	}
	for row, used := range rows {
		if !used {
			t.Errorf("LOGS.md has a line that nobody writes: %s", row)
		}
	}
}
