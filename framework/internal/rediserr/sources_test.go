package rediserr

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// mayAsk are the files that ask for one answer of the list, for a reason of their own.
var mayAsk = map[string]bool{
	"internal/connect/await.go": true, // says what to do about answers at the start
}

// mayMakeClients are the files that make clients without connect.NewClient.
var mayMakeClients = map[string]bool{
	"internal/connect/clients.go": true, "internal/connect/equip.go": true,
	"frameworktest/kit.go": true, // looks at the embedded server
}

// Nobody else keeps a list of answers, or makes a client that has no hooks.
func TestNobodyElseJudgesAnswers(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for _, a := range answers {
		codes[a.code] = a.code != "" && a.passes != never && a.code != "NOSCRIPT"
	}
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(name, "internal/rediserr/") || strings.HasPrefix(name, "internal/lab/") || strings.HasPrefix(name, "internal/queuetest/") {
			return err
		}
		seen++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if word, _, _ := strings.Cut(text, " "); n.Kind == token.STRING && err == nil && codes[word] && !mayAsk[name] {
					t.Errorf("%s: %q is in the list of package rediserr: ask IsTransient, MayPass or Leave", set.Position(n.Pos()), word)
				}
			case *ast.CallExpr:
				of, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					break
				}
				pkg, ok := of.X.(*ast.Ident)
				if !ok || pkg.Name != "redis" {
					break
				}
				switch what := of.Sel.Name; {
				case what == "NewClient", what == "NewClusterClient", what == "NewFailoverClient", what == "NewUniversalClient", what == "NewRing":
					if !mayMakeClients[name] {
						t.Errorf("%s: redis.%s: connect.NewClient makes clients with the hooks that all need", set.Position(n.Pos()), what)
					}
				case strings.HasPrefix(what, "Is") && strings.HasSuffix(what, "Error"):
					t.Errorf("%s: redis.%s: package rediserr has the list of answers", set.Position(n.Pos()), what)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 300 {
		t.Errorf("%d files were looked at: %v", seen, err)
	}
}

// Each row of the list is found by its example, in all forms in which it comes.
func TestEachAnswerIsFound(t *testing.T) {
	t.Parallel()
	for _, a := range answers {
		forms := []string{a.example}
		if a.code != "" {
			forms = append(forms, "ERR "+a.example, "ERR Error running script (call to f_1): @user_script:2: @user_script: 2: -"+a.example)
		}
		for _, text := range forms {
			if got := rowOf(text); got.kind != a.kind || got.passes != a.passes || got.leave != a.leave {
				t.Errorf("%s: %+v", text, got)
			}
			err := Answer(text)
			if IsTransient(err) != (a.passes == soon) || MayPass(err) != (a.passes != never) || IsAmbiguous(err) || Leave(err) != a.leave {
				t.Errorf("%s: transient %v, may pass %v, leave %v", text, IsTransient(err), MayPass(err), Leave(err))
			}
		}
	}
}
