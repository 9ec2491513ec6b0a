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

var shared = fragmentsOf(sharedFiles, "lua/*.lua")

// Library joins the scripts of one package with the fragments that they need.
type Library struct {
	files     fs.FS
	fragments map[string]fragment
}

// NewLibrary returns the library of a package's embedded folder lua: scripts, and in
// lua/fragments what they share. The fragments of this package belong to each library.
func NewLibrary(files fs.FS) *Library {
	l := &Library{files: files, fragments: fragmentsOf(files, "lua/fragments/*.lua")}
	maps.Copy(l.fragments, shared)
	return l
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
	l.join(&b, name, headerOf(text).needs(), &scope{})
	b.WriteString(l.fill(text))
	return New(name, b.String())
}

// fragment is a file that goes before scripts.
type fragment struct {
	header

	text      string
	constants map[string]string
}

// scope names the fragments that stand in a block of Lua. What stands in one around it
// can be used there, too.
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
			b.WriteString(l.fill(f.text))
			continue
		}
		b.WriteString("local function " + function + "\n")
		l.join(b, name, f.needs(), &scope{around: in})
		b.WriteString(l.fill(f.text) + "end\n")
	}
}

var (
	constantName = regexp.MustCompile(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)
	constantLine = regexp.MustCompile(`(?m)^local ([A-Z0-9_, ]+) = ([-0-9, ]+)$`)
)

// fill puts constants in place of their names.
func (l *Library) fill(text string) string {
	for _, need := range headerOf(text).needs() {
		if values := l.fragments[need].constants; values != nil {
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

func fragmentsOf(files fs.FS, pattern string) map[string]fragment {
	paths, err := fs.Glob(files, pattern)
	if err != nil {
		panic("script: " + err.Error())
	}
	fragments := map[string]fragment{}
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
		fragments[strings.TrimSuffix(path.Base(p), ".lua")] = f
	}
	return fragments
}

func read(files fs.FS, path string) string {
	text, err := fs.ReadFile(files, path)
	if err != nil {
		panic("script: embedded Lua: " + err.Error())
	}
	return string(text)
}
