package gosource

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// module is the Go module around a directory.
type module struct {
	path     string            // import path
	dir      string            // absolute
	replaces map[string]string // import paths of other modules to directories
}

// moduleOf finds the go.mod above dir. Where there is none it returns known.
func moduleOf(dir string, known *module) *module {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return known
	}
	for at := abs; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil {
			return parseModule(at, string(text))
		}
		if at == filepath.Dir(at) {
			return known
		}
	}
}

// parseModule reads the path of a module, and its replacements by directories.
func parseModule(dir, text string) *module {
	m := &module{dir: dir, replaces: map[string]string{}}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "replace "))
		switch {
		case len(words) == 2 && words[0] == "module":
			m.path = strings.Trim(words[1], `"`)
		case len(words) >= 3 && words[len(words)-2] == "=>" && strings.HasPrefix(words[len(words)-1], "."):
			m.replaces[words[0]] = filepath.Join(dir, words[len(words)-1])
		}
	}
	return m
}

func (m *module) importPath(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	rel, err := filepath.Rel(m.dir, abs)
	if err != nil || rel == "." {
		return m.path
	}
	return path.Join(m.path, filepath.ToSlash(rel))
}

// find returns the directory of an import path, "" for packages of others.
func (m *module) find(importPath string) string {
	if m == nil {
		return ""
	}
	roots := map[string]string{m.path: m.dir}
	for p, dir := range m.replaces {
		roots[p] = dir
	}
	for p, dir := range roots {
		if rest, ok := strings.CutPrefix(importPath+"/", p+"/"); ok && p != "" {
			return filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(rest, "/")))
		}
	}
	return ""
}

// javaPath is the package whose types stand for Java values.
const javaPath = "github.com/duequeue/duequeue/codecs/java"

// known are the packages that are never read: their types are known by name.
var known = map[string]bool{"time": true, "math/big": true, javaPath: true}

// importer imports packages of the module from disk and makes up all others.
type importer struct {
	loader *loader
	uses   map[string]map[string]bool // import path to the names used of it
}

func (i *importer) Import(importPath string) (*types.Package, error) {
	if dir := i.loader.module.find(importPath); dir != "" && !known[importPath] {
		p, err := i.loader.dir(dir)
		if err == nil && p.types != nil {
			return p.types, nil
		}
	}
	return i.fake(importPath), nil
}

// fake returns a stand-in for a package, in which every name that is used is an
// opaque type.
func (i *importer) fake(importPath string) *types.Package {
	p := i.loader.fakes[importPath]
	if p == nil {
		p = types.NewPackage(importPath, guessName(importPath))
		p.MarkComplete()
		i.loader.fakes[importPath] = p
	}
	for name := range i.uses[importPath] {
		if p.Scope().Lookup(name) == nil {
			obj := types.NewTypeName(token.NoPos, p, name, nil)
			types.NewNamed(obj, types.NewStruct(nil, nil), nil)
			p.Scope().Insert(obj)
		}
	}
	return p
}

// usedNames returns the names that files use of each package they import.
func usedNames(files []*ast.File) map[string]map[string]bool {
	uses := map[string]map[string]bool{}
	for _, file := range files {
		paths := map[string]string{} // local name to import path
		for _, spec := range file.Imports {
			importPath, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			name := guessName(importPath)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			paths[name] = importPath
			if uses[importPath] == nil {
				uses[importPath] = map[string]bool{}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && paths[x.Name] != "" {
					uses[paths[x.Name]][sel.Sel.Name] = true
				}
			}
			return true
		})
	}
	return uses
}

// guessName returns the name a package most likely has.
func guessName(importPath string) string {
	name := path.Base(importPath)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(importPath))
	}
	name, _, _ = strings.Cut(name, ".v")
	name = strings.TrimPrefix(name, "go-")
	return strings.ReplaceAll(name, "-", "_")
}
