//go:build lint

package framework

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const modulePath = "github.com/duequeue/duequeue/"

// source is a package of this module with its types, without tests.
type source struct {
	path  string // without that of the module
	built string // what the compiler made of it
	files []*ast.File
	info  *types.Info
	types *types.Package
}

type sources struct {
	set      *token.FileSet
	packages []*source
}

// loadSources reads the packages that users get.
var loadSources = sync.OnceValues(func() (*sources, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Standard", "./codecs/...", "./handlers/...", "./registry/...", "./framework/...")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	all := map[string]listed{}
	var ours []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
		if strings.HasPrefix(p.ImportPath, modulePath) {
			ours = append(ours, p)
		}
	}
	s := &sources{set: token.NewFileSet()}
	imports := importer.ForCompiler(s.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(all[path].Export) })
	for _, p := range ours {
		pkg := &source{path: strings.TrimPrefix(p.ImportPath, modulePath), built: p.Export, info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}}
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(s.set, filepath.Join(p.Dir, f), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			pkg.files = append(pkg.files, file)
		}
		config := types.Config{Importer: imports, GoVersion: "go1.26"}
		if pkg.types, err = config.Check(p.ImportPath, s.set, pkg.files, pkg.info); err != nil {
			return nil, err
		}
		s.packages = append(s.packages, pkg)
	}
	return s, nil
})

// forTests are packages that no program of a user's links, and programs of our own.
var forTests = []string{"framework/internal/lab", "framework/internal/queuetest", "framework/internal/simulation", "framework/internal/planted", "framework/frameworktest", "framework/cmd"}

// shipped yields the packages that programs of users link.
func shipped(t *testing.T) (*sources, []*source) {
	t.Helper()
	s, err := loadSources()
	if err != nil {
		t.Fatal(err)
	}
	var some []*source
	for _, p := range s.packages {
		if !ofTests(p.path) {
			some = append(some, p)
		}
	}
	if len(some) < 50 {
		t.Fatalf("only %d packages are found", len(some))
	}
	return s, some
}

// A struct in redis.Client makes the compiler put 1,500 methods into each package that comes
// upon that type, also in a signature, a field or what is inlined. They double the time of a
// service's cold build: make buildcost measures it.
func TestLintGoRedisIsNotCompiledAgain(t *testing.T) {
	t.Parallel()
	may := []string{"framework/internal/redisapi", "framework/internal/connect"}
	_, all := shipped(t)
	for _, p := range all {
		built, err := os.ReadFile(p.built)
		if err != nil {
			t.Fatal(err)
		}
		does := bytes.Contains(built, []byte("go.shape.(*struct { *github.com/redis/go-redis/v9.baseClient;"))
		switch want := slices.Contains(may, p.path); {
		case does && !want:
			t.Errorf("%s has 1,500 methods of go-redis compiled into it, which takes 1.5 s of a processor in each cold build: it names redis.UniversalClient, Client, ClusterClient, Conn, PubSub or Options, uses a type with one of them, or inlines a function that has one; take redisapi.Client and its functions, and mark what is inlined go:noinline", p.path)
		case want && !does:
			t.Errorf("%s has none of the methods that this test looks for: they have another name now, or it needs no exception", p.path)
		}
	}
}

func ofTests(path string) bool {
	return slices.ContainsFunc(forTests, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

// callee returns the function or method that a call names, nil where it calls a value.
func (p *source) callee(call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var of types.Object
	switch x := fun.(type) {
	case *ast.Ident:
		of = p.info.Uses[x]
	case *ast.SelectorExpr:
		of = p.info.Uses[x.Sel]
	}
	f, _ := of.(*types.Func)
	if f != nil {
		f = f.Origin()
	}
	return f
}

// What users give, and what the process has by default, goes through one constructor each: errtext.Guard
// for loggers, telemetry.NewMeter for meters, telemetry.New for tracers. They survive what panics.
func TestLintLoggersAndMeters(t *testing.T) {
	t.Parallel()
	within := map[string]string{ // who may call it
		"log/slog.Default":                                       "framework/internal/errtext",
		"go.opentelemetry.io/otel.GetMeterProvider":              "framework/internal/telemetry",
		"go.opentelemetry.io/otel.GetTracerProvider":             "framework/internal/telemetry",
		"go.opentelemetry.io/otel.Meter":                         "framework/internal/telemetry",
		"go.opentelemetry.io/otel.Tracer":                        "framework/internal/telemetry",
		"(go.opentelemetry.io/otel/metric.MeterProvider).Meter":  "framework/internal/telemetry",
		"(go.opentelemetry.io/otel/trace.TracerProvider).Tracer": "framework/internal/telemetry",
		"(go.opentelemetry.io/otel/log.LoggerProvider).Logger":   "framework/ondead", // within the user's function for dead letters, whose panics are survived
	}
	for _, level := range []string{"Debug", "Info", "Warn", "Error", "Log", "LogAttrs", "DebugContext", "InfoContext", "WarnContext", "ErrorContext", "With"} {
		within["log/slog."+level] = "framework/internal/errtext"
	}
	s, all := shipped(t)
	for _, p := range all {
		guards := false
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				of, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				fn, ok := p.info.Uses[of].(*types.Func)
				if !ok {
					return true
				}
				guards = guards || fn.FullName() == modulePath+"framework/internal/errtext.Guard"
				if p.path == "handlers/once" && fn.FullName() == "log/slog.WarnContext" {
					return true // it runs within a handler, whose panics are survived
				}
				if by, known := within[fn.FullName()]; known && by != p.path {
					t.Errorf("%s: %s is only called in %s: what users give may panic, and is wrapped there (errtext.Guard, telemetry.NewMeter, telemetry.New)", s.set.Position(of.Pos()), fn.FullName(), by)
				}
				return true
			})
		}
		if strings.Contains(p.path, "internal/") || guards {
			continue
		}
		for _, name := range p.types.Scope().Names() {
			of := p.types.Scope().Lookup(name)
			if of.Exported() && takesLogger(of.Type()) {
				t.Errorf("%s takes a *slog.Logger, and its package never calls errtext.Guard", s.set.Position(of.Pos()))
			}
		}
	}
}

// takesLogger reports whether a function has a parameter, or a struct an exported field, that is a logger.
func takesLogger(t types.Type) bool {
	is := func(t types.Type) bool { return t.String() == "*log/slog.Logger" }
	switch t := t.Underlying().(type) {
	case *types.Signature:
		for v := range t.Params().Variables() {
			if is(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if v.Exported() && is(v.Type()) {
				return true
			}
		}
	}
	return false
}

// No lock is held while Redis is asked, users' code runs or something is logged: one that hangs would take all
// who want the lock with it. What is found here is done behind the Unlock.
func TestLintNothingIsCalledUnderALock(t *testing.T) {
	t.Parallel()
	allowed := map[string]string{ // function: why it may
		"framework/internal/trouble.tell":   "the lock is for lines to be written in turn; nothing else waits for it",
		"framework/internal/decoding.codec": "binds codecs of this module alone",
	}
	s, all := shipped(t)
	known := map[*types.Func]*function{}
	byName := map[string]*function{}
	for _, p := range all {
		for _, file := range p.files {
			for _, d := range file.Decls {
				decl, ok := d.(*ast.FuncDecl)
				if !ok || decl.Body == nil {
					continue
				}
				f := &function{}
				inspectCalls(decl.Body, func(call *ast.CallExpr) {
					if why := p.outside(call); why != "" && f.why == "" {
						f.why = why
					}
					if of := p.callee(call); of != nil {
						f.calls = append(f.calls, of)
					}
				})
				of := p.info.Defs[decl.Name].(*types.Func)
				known[of], byName[of.FullName()] = f, f
			}
		}
	}
	reaches := func(of *types.Func) string {
		if f := byName[of.FullName()]; f != nil {
			return f.why
		}
		return ""
	}
	for changed := true; changed; {
		changed = false
		for _, f := range known {
			for _, of := range f.calls {
				if why := reaches(of); why != "" && f.why == "" {
					f.why, changed = of.Name()+" → "+why, true
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, p := range all {
		for _, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				var body *ast.BlockStmt
				name := ""
				switch n := n.(type) {
				case *ast.FuncDecl:
					body, name = n.Body, p.path+"."+n.Name.Name
				case *ast.FuncLit:
					body = n.Body
				}
				if body == nil {
					return true
				}
				w := &lockWalk{p: p, found: func(call *ast.CallExpr, lock string) {
					why := p.outside(call)
					if why == "" {
						if of := p.callee(call); of != nil {
							why = reaches(of)
						}
					}
					if why == "" {
						why = p.userValue(call)
					}
					if why == "" {
						return
					}
					if allowed[name] != "" {
						seen[name] = true
						return
					}
					t.Errorf("%s: %s is held while this is called: %s (%s)", s.set.Position(call.Pos()), lock, types.ExprString(call.Fun), why)
				}}
				w.block(body.List, map[string]bool{})
				return true
			})
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("%s is allowed what it does not do", name)
		}
	}
}

// ours are fields of function types that hold functions of this module or of gobreaker alone, which neither
// wait nor call back: ends of timers and contexts.
var ours = map[string]bool{
	"framework/internal/gate.stop": true, "framework/internal/gate.after": true, "framework/internal/gate.done": true,
	"framework/web.stop": true,
}

// userValue says that a call runs a function that was given: a field or a parameter of a function type.
func (p *source) userValue(call *ast.CallExpr) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	f := p.info.Selections[sel]
	if f == nil || f.Kind() != types.FieldVal || ours[p.path+"."+f.Obj().Name()] {
		return ""
	}
	switch f.Type().String() {
	case "context.CancelFunc", "context.CancelCauseFunc", "func() time.Time", "func() int64":
		return ""
	}
	return "calls the function in " + f.Obj().Name()
}

// inspectCalls yields the calls that a body makes itself: not those of functions that it only makes, or
// starts.
func inspectCalls(n ast.Node, yield func(*ast.CallExpr)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
				inspectCalls(lit.Body, yield)
			}
			yield(n)
		}
		return true
	})
}

// lockWalk goes through a body and knows which locks are held.
type lockWalk struct {
	p     *source
	found func(call *ast.CallExpr, lock string)
}

// lock returns what a statement locks or unlocks.
func (w *lockWalk) lock(e ast.Expr) (name, what string) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	f := w.p.callee(call)
	if f == nil || !strings.HasPrefix(f.FullName(), "(*sync.Mutex).") && !strings.HasPrefix(f.FullName(), "(*sync.RWMutex).") {
		return "", ""
	}
	return types.ExprString(call.Fun.(*ast.SelectorExpr).X), f.Name()
}

func (w *lockWalk) calls(n ast.Node, held map[string]bool) {
	if n == nil || len(held) == 0 {
		return
	}
	inspectCalls(n, func(call *ast.CallExpr) { w.found(call, slices.Min(slices.Collect(maps.Keys(held)))) })
}

// block walks statements, changes held, and reports whether it ends the function or the loop.
func (w *lockWalk) block(list []ast.Stmt, held map[string]bool) (ends bool) {
	for _, s := range list {
		if w.statement(s, held) {
			return true
		}
	}
	return false
}

// branch walks a block that may or may not run.
func (w *lockWalk) branch(list []ast.Stmt, held map[string]bool) {
	own := maps.Clone(held)
	if w.block(list, own) {
		return
	}
	maps.DeleteFunc(held, func(name string, _ bool) bool { return !own[name] })
}

func (w *lockWalk) statement(s ast.Stmt, held map[string]bool) (ends bool) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		switch name, what := w.lock(s.X); what {
		case "Lock", "RLock":
			held[name] = true
			return false
		case "Unlock", "RUnlock":
			delete(held, name)
			return false
		}
		w.calls(s, held)
	case *ast.DeferStmt, *ast.GoStmt:
	case *ast.BlockStmt:
		return w.block(s.List, held)
	case *ast.LabeledStmt:
		return w.statement(s.Stmt, held)
	case *ast.IfStmt:
		if s.Init != nil {
			w.calls(s.Init, held)
		}
		w.calls(s.Cond, held)
		w.branch(s.Body.List, held)
		if s.Else != nil {
			w.branch([]ast.Stmt{s.Else}, held)
		}
	case *ast.ForStmt:
		w.calls(s.Cond, held)
		w.branch(s.Body.List, held)
	case *ast.RangeStmt:
		w.calls(s.X, held)
		w.branch(s.Body.List, held)
	case *ast.SwitchStmt:
		if s.Init != nil {
			w.calls(s.Init, held)
		}
		if s.Tag != nil {
			w.calls(s.Tag, held)
		}
		w.clauses(s.Body, held)
	case *ast.TypeSwitchStmt:
		w.clauses(s.Body, held)
	case *ast.SelectStmt:
		w.clauses(s.Body, held)
	case *ast.ReturnStmt:
		w.calls(s, held)
		return true
	case *ast.BranchStmt:
		return true
	default:
		w.calls(s, held)
	}
	return false
}

func (w *lockWalk) clauses(body *ast.BlockStmt, held map[string]bool) {
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, e := range c.List {
				w.calls(e, held)
			}
			w.branch(c.Body, held)
		case *ast.CommClause:
			w.branch(c.Body, held)
		}
	}
}
