package handlers_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/duequeue/duequeue/handlers"
)

// Reasons has all constants of its file.
func TestReasons(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "reason.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, text)
		return false
	})
	if got := handlers.Reasons(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
