//go:build lint

package framework

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"
)

// Goroutines are started by package background alone: a panic in any other one ends the user's process. Timers
// and contexts start some, too; those that do are listed with the reason why they cannot panic.
func TestLintGoroutines(t *testing.T) {
	t.Parallel()
	starts := map[string]bool{
		"(*sync.WaitGroup).Go": true, "(*golang.org/x/sync/errgroup.Group).Go": true, "(*golang.org/x/sync/errgroup.Group).TryGo": true,
		"time.AfterFunc": true, "context.AfterFunc": true,
	}
	allowed := map[string]string{ // function: why it may
		"framework/internal/engine.newDrain":           "ends contexts alone",
		"framework/internal/engine.hurry":              "counts room in a pool alone",
		"framework/internal/engine/sessions.armLocked": "Session.Flush survives panics and keeps the acks",
		"framework/internal/engine/deadstore.Add":      "counts and logs by guards alone",
		"framework/internal/trouble.keep":              "logs by a guard alone",
		"framework/internal/gate.New":                  "changes a state, logs by a guard, and starts the rest by package background",
		"framework/internal/queue/lease.Wait":          "interrupt survives panics",
		"framework/internal/connect.session":           "closes a connection alone",
		"framework/rlock.taken":                        "ends a context alone",
	}
	s, err := loadSources()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range s.packages {
		if p.path == "framework/internal/background" || p.path != "framework/cmd" && !strings.HasPrefix(p.path, "framework/cmd/") && ofTests(p.path) {
			continue
		}
		for _, file := range p.files {
			for _, d := range file.Decls {
				name := ""
				if f, ok := d.(*ast.FuncDecl); ok {
					name = p.path + "." + f.Name.Name
				}
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.GoStmt:
						t.Errorf("%s: a bare go statement: package background starts goroutines", s.set.Position(n.Pos()))
					case *ast.CallExpr:
						f := p.callee(n)
						switch {
						case f == nil || !starts[f.FullName()]:
						case allowed[name] != "":
							seen[name] = true
						default:
							t.Errorf("%s: %s starts a goroutine: package background does", s.set.Position(n.Pos()), f.FullName())
						}
					}
					return true
				})
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("%s is allowed what it does not do", name)
		}
	}
}

// outside says why a call leaves this module, "" where it does not: it asks Redis, or runs what users wrote.
func (p *source) outside(call *ast.CallExpr) string {
	f := p.callee(call)
	if f == nil || f.Pkg() == nil {
		return ""
	}
	sig := f.Type().(*types.Signature)
	from := f.Pkg().Path()
	switch {
	case strings.HasPrefix(from, "github.com/redis/go-redis/"):
		if sig.Params().Len() > 0 && sig.Params().At(0).Type().String() == "context.Context" {
			return "asks Redis"
		}
	case sig.Recv() == nil:
	case from == "log/slog" && strings.HasPrefix(f.FullName(), "(*log/slog.Logger)") && f.Name() != "With" && f.Name() != "Handler":
		return "logs"
	case types.IsInterface(sig.Recv().Type()):
		for _, users := range []string{"log/slog", "go.opentelemetry.io/", modulePath + "codecs", modulePath + "handlers", modulePath + "registry"} {
			if strings.HasPrefix(from, users) && !quick[f.Name()] {
				return "calls " + f.FullName()
			}
		}
	}
	return ""
}

// quick are methods of users' types that only say what the type is.
var quick = map[string]bool{"Code": true, "Policy": true, "Title": true, "Name": true, "WritesEmpty": true, "Limits": true, "Key": true, "Declared": true}

// function is one with a body: what it calls, and what it calls outside.
type function struct {
	why   string
	calls []*types.Func
}
