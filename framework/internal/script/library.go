package script

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Fragments that scripts of several packages need.
//
//go:embed lua
var sharedFiles embed.FS

var shared = fragmentsOf(sharedFiles, "lua/*.lua", nil)

// Library joins the scripts of one package with the fragments that they need.
type Library struct {
	files     fs.FS
	fragments map[string]fragment
}

// NewLibrary returns the library of a package's embedded folder lua: scripts, and in
// lua/fragments what they share. The fragments of this package belong to each library.
func NewLibrary(files fs.FS) *Library {
	return &Library{files: files, fragments: fragmentsOf(files, "lua/fragments/*.lua", shared)}
}

// Script returns the script of a file, called name in errors. What is wrong with the files
// panics: it is a mistake in this module.
func (l *Library) Script(name string) *Script {
	return l.New(name, read(l.files, "lua/"+name+".lua"))
}

// New returns a script whose header names the fragments that go before it, and those that
// they need in turn, each once.
func (l *Library) New(name, text string) *Script {
	var b strings.Builder
	needs := headerOf(text).needs()
	l.join(&b, name, needs, &scope{})
	b.WriteString(fill(l.fragments, needs, text))
	return New(name, b.String())
}

// fragment is a file that goes before scripts.
type fragment struct {
	header

	text      string // with constants in place of their names
	constants map[string]string
}

// scope names the fragments in a block of Lua, which can use those around it, too.
type scope struct {
	around *scope
	names  []string
}

func (s *scope) has(name string) bool {
	return s != nil && (slices.Contains(s.names, name) || s.around.has(name))
}

// join writes fragments, and before each one those that it needs.
func (l *Library) join(b *strings.Builder, who string, needs []string, in *scope) {
	for _, name := range needs {
		f, known := l.fragments[name]
		switch {
		case !known:
			panic(fmt.Sprintf("script: %s needs %s: there is no such fragment", who, name))
		case f.constants != nil || in.has(name):
			continue
		}
		in.names = append(in.names, name) // first, so that a circle ends
		function := f.fields["Function"]
		if function == "" {
			l.join(b, name, f.needs(), in)
			b.WriteString(f.text)
			continue
		}
		b.WriteString("local function " + function + "\n")
		l.join(b, name, f.needs(), &scope{around: in})
		b.WriteString(f.text + "end\n")
	}
}

var (
	constantName = regexp.MustCompile(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)
	constantLine = regexp.MustCompile(`(?m)^local ([A-Z0-9_, ]+) = ([-0-9, ]+)$`)
)

// fill puts the constants that a text needs in place of their names.
func fill(fragments map[string]fragment, needs []string, text string) string {
	for _, need := range needs {
		if values := fragments[need].constants; values != nil {
			text = constantName.ReplaceAllStringFunc(text, func(name string) string {
				if value, known := values[name]; known {
					return value
				}
				return name
			})
		}
	}
	return text
}

// fragmentsOf returns the fragments of a folder beside those that are known. Each is filled
// once, whatever the number of scripts that it goes before: programs do this when they start.
func fragmentsOf(files fs.FS, pattern string, known map[string]fragment) map[string]fragment {
	paths, err := fs.Glob(files, pattern)
	if err != nil {
		panic("script: " + err.Error())
	}
	own := map[string]fragment{}
	for _, p := range paths {
		text := read(files, p)
		f := fragment{header: headerOf(text), text: text}
		if _, ok := f.fields["Constants"]; ok {
			f.constants = map[string]string{}
			for _, m := range constantLine.FindAllStringSubmatch(text, -1) {
				values := strings.Split(m[2], ", ")
				for i, name := range strings.Split(m[1], ", ") {
					f.constants[name] = values[i]
				}
			}
		}
		own[strings.TrimSuffix(path.Base(p), ".lua")] = f
	}
	all := maps.Clone(own)
	maps.Copy(all, known)
	for name, f := range own {
		f.text = fill(all, f.needs(), f.text)
		all[name] = f
	}
	return all
}

func read(files fs.FS, path string) string {
	text, err := fs.ReadFile(files, path)
	if err != nil {
		panic("script: embedded Lua: " + err.Error())
	}
	return string(text)
}
