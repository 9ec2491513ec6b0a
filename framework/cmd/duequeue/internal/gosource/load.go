package gosource

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Package is one Go package, parsed and checked as far as it goes.
type Package struct {
	loader *loader
	types  *types.Package
	files  []*ast.File
	names  []string        // of files, next to them
	wanted map[string]bool // files whose types were asked for; nil for all
}

// Load reads Go packages: directories, directories with /... for those below
// too, and .go files. A file's neighbours are read as well, but only its own
// types count. Tests and files for other systems are left out. Nothing is run.
func Load(paths ...string) ([]*Package, error) {
	l := newLoader()
	var list []*Package
	byDir := map[string]*Package{}
	add := func(dir, file string) error {
		p := byDir[dir]
		if p == nil {
			var err error
			if p, err = l.dir(dir); err != nil {
				return err
			}
			byDir[dir] = p
			list = append(list, p)
			if file != "" {
				p.wanted = map[string]bool{}
			}
		}
		switch {
		case file == "":
			p.wanted = nil
		case !slices.Contains(p.names, file):
			return fmt.Errorf("%s is no Go file of the package in %s, or not one for this system", filepath.Base(file), dir)
		case p.wanted != nil:
			p.wanted[file] = true
		}
		return nil
	}
	for _, path := range paths {
		if err := l.resolve(path, add); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Imports returns the import paths of the files that were asked for.
func (p *Package) Imports() []string {
	var list []string
	for i, file := range p.files {
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && (p.wanted == nil || p.wanted[p.names[i]]) {
				list = append(list, path)
			}
		}
	}
	return list
}

// Parse reads one file that need not exist, for example one that was generated.
func Parse(name string, src []byte) (*Package, error) {
	l := newLoader()
	file, err := parser.ParseFile(l.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return l.check("", []*ast.File{file}, []string{name}), nil
}

func newLoader() *loader {
	return &loader{fset: token.NewFileSet(), packages: map[string]*Package{}, fakes: map[string]*types.Package{}}
}

// resolve calls add for what one argument names.
func (l *loader) resolve(path string, add func(dir, file string) error) error {
	root, below := strings.CutSuffix(path, "...")
	if below && (root == "" || strings.HasSuffix(root, "/")) {
		return filepath.WalkDir(filepath.Clean(root+"."), func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
				return err
			case p != "." && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata" || d.Name() == "vendor"):
				return filepath.SkipDir
			}
			if err := add(p, ""); err != nil && !errors.Is(err, errNoGo) {
				return err
			}
			return nil
		})
	}
	if strings.HasSuffix(path, ".go") {
		return add(filepath.Dir(path), filepath.Clean(path))
	}
	return add(filepath.Clean(path), "")
}

// loader keeps what was read.
type loader struct {
	fset     *token.FileSet
	packages map[string]*Package       // by directory
	fakes    map[string]*types.Package // by import path
	module   *module
}

var errNoGo = errors.New("no Go files")

// dir reads the package in a directory.
func (l *loader) dir(dir string) (*Package, error) {
	if p := l.packages[dir]; p != nil {
		return p, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	var names []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || e.IsDir() {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, name); err != nil || !ok {
			continue
		}
		full := filepath.Join(dir, name)
		file, err := parser.ParseFile(l.fset, full, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if len(files) > 0 && files[0].Name.Name != file.Name.Name {
			continue
		}
		files, names = append(files, file), append(names, full)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, errNoGo)
	}
	l.module = moduleOf(dir, l.module)
	p := l.check(dir, files, names)
	return p, nil
}

// check type-checks files as one package.
func (l *loader) check(dir string, files []*ast.File, names []string) *Package {
	p := &Package{loader: l, files: files, names: names}
	if dir != "" {
		l.packages[dir] = p // before its imports, so that a cycle ends
	}
	importer := &importer{loader: l, uses: usedNames(files)}
	conf := types.Config{
		IgnoreFuncBodies: true, FakeImportC: true, DisableUnusedImportCheck: true, Importer: importer,
		Error: func(error) {}, // stand-ins cause some; what matters shows as a type that is missing
	}
	path := files[0].Name.Name
	if dir != "" && l.module != nil {
		path = l.module.importPath(dir)
	}
	p.types, _ = conf.Check(path, l.fset, files, nil) // as above
	return p
}

// Name returns the name in the package clause.
func (p *Package) Name() string { return p.files[0].Name.Name }
