package framework

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Which lock is taken while another is held is what the table in DESIGN.md says, no more
// and no less. The test reads the source: calls through interfaces and function values are
// not followed, nor into other modules.
func TestLockOrder(t *testing.T) {
	t.Parallel()
	l := newLocks()
	for name := range listModule(t) {
		if strings.HasPrefix(name, "framework") {
			_, _ = l.Import(modulePath + name) // what other modules have is missing in it
		}
	}
	order := l.order()
	raw, err := os.ReadFile("DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	allowed := tableOfLocks(string(raw))
	for pair, at := range order {
		if !allowed[pair] {
			t.Errorf("%s is taken while %s is held, which DESIGN.md does not say: %s", pair[1], pair[0], l.fset.Position(at))
		}
	}
	for pair := range allowed {
		if _, found := order[pair]; !found && l.mutexes[pair[0]] && l.mutexes[pair[1]] {
			t.Errorf("DESIGN.md says that %s is taken while %s is held; no code does so", pair[1], pair[0])
		}
	}
}

// The test above finds what it looks for.
func TestLockOrderIsFound(t *testing.T) {
	t.Parallel()
	l := newLocks()
	file, err := parser.ParseFile(l.fset, "a.go", `package a
import ("sync"; "time")
type A struct { mu sync.Mutex; b *B; other sync.RWMutex }
type B struct { mu sync.Mutex }
func (b *B) Add() { b.mu.Lock(); defer b.mu.Unlock() }
func (a *A) Nested() { a.mu.Lock(); defer a.mu.Unlock(); if true { a.deep() } }
func (a *A) deep() { a.b.Add() }
func (a *A) After() { a.other.RLock(); a.other.RUnlock(); a.b.Add() }
func (a *A) Early() { a.other.Lock(); if true { a.other.Unlock(); return }; a.mu.Lock(); a.mu.Unlock(); a.without() }
func (a *A) without() { a.other.Unlock(); a.b.Add(); a.other.Lock() }
func (a *A) Later() { a.other.Lock(); defer a.other.Unlock(); go a.b.Add(); time.AfterFunc(1, func() { a.b.Add() }) }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	l.check("a", []*ast.File{file})
	got := slices.SortedFunc(maps.Keys(l.order()), func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	if want := "[[A.mu B.mu] [A.other A.mu]]"; fmt.Sprint(got) != want {
		t.Errorf("found %v, want %s", got, want)
	}
}

// tableOfLocks reads the section on the order of locks.
func tableOfLocks(design string) map[[2]string]bool {
	_, section, _ := strings.Cut(design, "\n## Lock order\n")
	section, _, _ = strings.Cut(section, "\n## ")
	name := regexp.MustCompile("`(\\w+\\.\\w+)`")
	allowed := map[[2]string]bool{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		for _, alternative := range strings.Split(cells[2], ", or ") {
			held := name.FindAllStringSubmatch(cells[1], -1)
			for _, then := range name.FindAllStringSubmatch(alternative, -1) {
				for _, first := range held {
					allowed[[2]string{first[1], then[1]}] = true
				}
				held = append(held, then)
			}
		}
	}
	return allowed
}

// syncPackage is what the test must know of package sync.
const syncPackage = `package sync
type Mutex struct{}
func (*Mutex) Lock() {}
func (*Mutex) TryLock() bool { return true }
func (*Mutex) Unlock() {}
type RWMutex struct{ Mutex }
func (*RWMutex) RLock() {}
func (*RWMutex) RUnlock() {}
`

// locks reads packages, and tells which mutex is locked where, as Type.field.
type locks struct {
	fset     *token.FileSet
	packages map[string]*types.Package
	info     types.Info
	bodies   map[*types.Func]*ast.BlockStmt
	mutexes  map[string]bool
	releases map[*types.Func][]string // what a function unlocks for a while, or for good, that its caller locked
}

func newLocks() *locks {
	return &locks{
		fset: token.NewFileSet(), packages: map[string]*types.Package{}, bodies: map[*types.Func]*ast.BlockStmt{},
		info:    types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
		mutexes: map[string]bool{}, releases: map[*types.Func][]string{},
	}
}

// Import makes locks an importer: of packages of this module, and empty ones of all others.
func (l *locks) Import(name string) (*types.Package, error) {
	if p := l.packages[name]; p != nil {
		return p, nil
	}
	l.packages[name] = types.NewPackage(name, path.Base(name))
	l.packages[name].MarkComplete()
	if name == "sync" {
		file, err := parser.ParseFile(l.fset, "sync.go", syncPackage, 0)
		l.check(name, []*ast.File{file})
		return l.packages[name], err
	}
	dir, ours := strings.CutPrefix(name, modulePath)
	if !ours {
		return l.packages[name], nil
	}
	p, err := build.ImportDir("../"+dir, 0)
	var files []*ast.File
	for _, f := range p.GoFiles {
		parsed, err := parser.ParseFile(l.fset, "../"+dir+"/"+f, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	l.check(name, files)
	return l.packages[name], err
}

func (l *locks) check(name string, files []*ast.File) {
	config := types.Config{Importer: l, Error: func(error) {}} // what comes from other modules is unknown
	l.packages[name], _ = config.Check(name, l.fset, files, &l.info)
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if f, ok := l.info.Defs[d.Name].(*types.Func); ok {
					l.bodies[f] = d.Body
				}
			}
		}
	}
}

// order returns the pairs of locks that are held at once, and where the second is taken.
func (l *locks) order() map[[2]string]token.Pos {
	var all []*walk
	for f, body := range l.bodies {
		w := &walk{locks: l, of: f, takes: map[string]bool{}, all: &all}
		all = append(all, w)
		w.block(body)
	}
	takes := map[*types.Func]map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, w := range all {
			before := len(w.takes)
			for _, c := range w.calls {
				maps.Copy(w.takes, takes[c.callee])
			}
			changed = changed || len(w.takes) > before || w.of != nil && takes[w.of] == nil
			if w.of != nil {
				takes[w.of] = w.takes
			}
		}
	}
	order := map[[2]string]token.Pos{}
	for _, w := range all {
		for _, c := range w.calls {
			for then := range takes[c.callee] {
				c.pair(order, l.releases[c.callee], then)
			}
			c.pair(order, nil, c.lock)
		}
	}
	return order
}

// walk goes through one function, or through what it starts or leaves to others.
type walk struct {
	*locks
	of    *types.Func // nil for a part that runs later
	held  []string
	takes map[string]bool
	calls []call
	all   *[]*walk
}

// call takes a lock, or calls a function, while others are held.
type call struct {
	held   []string
	lock   string
	callee *types.Func
	at     token.Pos
}

func (c call) pair(order map[[2]string]token.Pos, released []string, then string) {
	for _, h := range c.held {
		pair := [2]string{h, then}
		if first, ok := order[pair]; h != then && then != "" && !slices.Contains(released, h) && (!ok || c.at < first) {
			order[pair] = c.at
		}
	}
}

// block walks through a block. What one within it locks or unlocks ends with it: mostly
// that one returns.
func (w *walk) block(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if n == root {
				return true
			}
			before := slices.Clone(w.held)
			w.block(n)
			w.held = before
		case *ast.DeferStmt:
			before := slices.Clone(w.held)
			w.call(n.Call)
			w.held = before
		case *ast.GoStmt:
			w.later(n.Call)
		case *ast.FuncLit:
			w.later(n.Body)
		case *ast.CallExpr:
			w.call(n)
		default:
			return true
		}
		return false
	})
}

// later walks through what runs when nothing is held.
func (w *walk) later(n ast.Node) {
	other := &walk{locks: w.locks, takes: map[string]bool{}, all: w.all}
	*w.all = append(*w.all, other)
	other.block(n)
}

func (w *walk) call(c *ast.CallExpr) {
	var callee *types.Func
	selector, _ := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.FuncLit:
		w.block(f.Body)
	case *ast.SelectorExpr:
		callee, _ = w.info.Uses[f.Sel].(*types.Func)
		w.block(f.X)
	case *ast.Ident:
		callee, _ = w.info.Uses[f].(*types.Func)
	}
	if callee != nil {
		callee = callee.Origin()
	}
	for _, arg := range c.Args {
		w.block(arg)
	}
	if callee == nil {
		return
	}
	if callee.Pkg() != nil && callee.Pkg().Path() == "sync" {
		w.mutex(callee.Name(), w.name(selector.X), c.Pos())
		return
	}
	w.calls = append(w.calls, call{held: slices.Clone(w.held), callee: callee, at: c.Pos()})
}

func (w *walk) mutex(method, name string, at token.Pos) {
	if !slices.Contains([]string{"Unlock", "RUnlock"}, method) {
		w.calls = append(w.calls, call{held: slices.Clone(w.held), lock: name, at: at})
		w.takes[name], w.mutexes[name] = true, true
		w.held = append(w.held, name)
	} else if at := slices.Index(w.held, name); at >= 0 {
		w.held = slices.Delete(w.held, at, at+1)
	} else {
		w.releases[w.of] = append(w.releases[w.of], name)
	}
}

// name is the type and the field of a mutex, or the variable.
func (w *walk) name(mutex ast.Expr) string {
	if s, ok := mutex.(*ast.SelectorExpr); ok && w.info.Selections[s] != nil {
		owner := w.info.Selections[s].Recv()
		if p, ok := owner.Underlying().(*types.Pointer); ok {
			owner = p.Elem()
		}
		if n, ok := types.Unalias(owner).(*types.Named); ok {
			return n.Obj().Name() + "." + s.Sel.Name
		}
	}
	return types.ExprString(mutex)
}
