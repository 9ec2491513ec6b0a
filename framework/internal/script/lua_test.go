package script

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// luaFile is one file of Lua of this module.
type luaFile struct {
	header

	path     string
	pkg      string // the package that it belongs to
	code     string // without comments, and with empty strings
	fragment bool
}

// allLua returns every file of Lua under framework/internal.
func allLua(t *testing.T) []luaFile {
	t.Helper()
	root := os.DirFS("..")
	var files []luaFile
	err := fs.WalkDir(root, ".", func(p string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(p) != ".lua" || strings.Contains(p, "testdata") {
			return err
		}
		pkg, _, _ := strings.Cut(p, "/")
		text := read(root, p)
		files = append(files, luaFile{
			header: headerOf(text), path: p, pkg: pkg, code: codeOf(text),
			fragment: pkg == "script" || strings.Contains(p, "/fragments/"),
		})
		return nil
	})
	if err != nil || len(files) < 60 {
		t.Fatalf("%d files of Lua, %v", len(files), err)
	}
	return files
}

var luaText = regexp.MustCompile(`--.*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)

func codeOf(text string) string {
	return luaText.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "--") {
			return ""
		}
		return "''"
	})
}

// id is how other files name it.
func (f luaFile) id() string {
	id := strings.TrimSuffix(f.path, ".lua")
	if _, after, ok := strings.Cut(id, "/fragments/"); ok {
		return after
	}
	_, id, _ = strings.Cut(id, "/lua/")
	return id
}

var (
	topLevel  = regexp.MustCompile(`(?m)^local (?:function (\w+)|([\w, ]+?)(?: =|$))`)
	anyLocal  = regexp.MustCompile(`(?:local )?function ?(\w*)\(([\w, .]*)\)|local ([\w, ]+)|for ([\w, ]+) (?:in|=)`)
	arguments = regexp.MustCompile(`^(\w+)\((.*)\)$`)
	words     = regexp.MustCompile(`\w+`)
	useOf     = regexp.MustCompile(`([.:]?)\b([A-Za-z_]\w*)(\s*=[^=])?`)
)

// defines returns what a fragment gives to those that need it.
func (f luaFile) defines() []string {
	if m := arguments.FindStringSubmatch(f.fields["Function"]); m != nil {
		return m[1:2]
	}
	var names []string
	for _, m := range topLevel.FindAllStringSubmatch(f.code, -1) {
		names = append(names, words.FindAllString(m[1]+" "+m[2], -1)...)
	}
	return names
}

// uses returns the names that a file does not define itself.
func (f luaFile) uses() []string {
	var own, names []string
	for _, m := range anyLocal.FindAllStringSubmatch(f.code, -1) {
		own = append(own, words.FindAllString(strings.Join(m[1:], " "), -1)...)
	}
	if m := arguments.FindStringSubmatch(f.fields["Function"]); m != nil {
		own = append(own, words.FindAllString(m[2], -1)...)
	}
	for _, m := range useOf.FindAllStringSubmatch(f.code, -1) {
		if m[1] == "" && m[3] == "" && !slices.Contains(own, m[2]) {
			names = append(names, m[2])
		}
	}
	return names
}

// Each header says all that it should, in one order.
func TestHeadersAreComplete(t *testing.T) {
	t.Parallel()
	for _, f := range allLua(t) {
		t.Run(f.path, func(t *testing.T) {
			t.Parallel()
			if f.name != f.id() {
				t.Errorf("it is called %q", f.name)
			}
			text := read(os.DirFS(".."), f.path)
			last := 0
			for _, field := range headerFields {
				at := strings.Index(text, "\n-- "+field+": ")
				if at >= 0 && at < last {
					t.Errorf("%s comes too early", field)
				}
				last = max(at, last)
				if must := slices.Contains([]string{"KEYS", "ARGV", "Reply"}, field); must && !f.fragment && at < 0 {
					t.Errorf("no %s", field)
				}
			}
			for list, field := range map[string]string{"KEYS": f.fields["KEYS"], "ARGV": f.fields["ARGV"]} {
				for _, m := range regexp.MustCompile(list+`\[(\d+)\]`).FindAllStringSubmatch(f.code, -1) {
					if n, _ := strconv.Atoi(m[1]); !f.fragment && !strings.HasPrefix(field, "see ") && !tells(field, n) {
						t.Errorf("%s says nothing of %d", list, n)
					}
				}
			}
		})
	}
}

var span = regexp.MustCompile(`\b(\d+) to (\d+)\b`)

// tells reports whether a field of a header has a number.
func tells(field string, n int) bool {
	if regexp.MustCompile(fmt.Sprintf(`(^|  | |,)%d(\.\.\.)? `, n)).MatchString(field) {
		return true
	}
	for _, m := range span.FindAllStringSubmatch(field, -1) {
		from, _ := strconv.Atoi(m[1])
		to, _ := strconv.Atoi(m[2])
		if from <= n && n <= to {
			return true
		}
	}
	return false
}

// Each file names the fragments that it uses, all of them and no others.
func TestNeedsAreWhatIsUsed(t *testing.T) {
	t.Parallel()
	all := allLua(t)
	for _, f := range all {
		t.Run(f.path, func(t *testing.T) {
			t.Parallel()
			givers := map[string][]string{} // of a name: the fragments that give it
			for _, other := range all {
				if other.fragment && other.path != f.path && (other.pkg == "script" || other.pkg == f.pkg) {
					for _, name := range other.defines() {
						givers[name] = append(givers[name], other.name)
					}
				}
			}
			var used []string
			for _, name := range f.uses() {
				of := givers[name]
				named := slices.DeleteFunc(slices.Clone(of), func(g string) bool { return !slices.Contains(f.needs(), g) })
				if len(of) > 0 && len(named) == 0 {
					t.Errorf("it uses %s and names none of %v", name, of)
				}
				used = append(used, named...)
			}
			for _, name := range f.needs() {
				if !slices.Contains(used, name) {
					t.Errorf("it names %s and uses nothing of it", name)
				}
			}
		})
	}
}

// The fragment layout alone says where things are in a record.
func TestNumbersOfTheLayoutHaveNames(t *testing.T) {
	t.Parallel()
	taken := map[string]string{}
	for name, value := range shared["layout"].constants {
		if n, _ := strconv.Atoi(value); n > 33 { // smaller numbers mean other things, too
			taken[value] = name
		}
	}
	number := regexp.MustCompile(`[\w.]+`)
	for _, f := range allLua(t) {
		if f.name == "layout" {
			continue
		}
		for _, m := range regexp.MustCompile(`string\.(?:sub|byte|find|rep)\([^()]*(?:\([^()]*\)[^()]*)*\)`).FindAllString(f.code, -1) {
			for _, word := range number.FindAllString(m, -1) {
				if name, ok := taken[word]; ok {
					t.Errorf("%s: %s: use %s", f.path, m, name)
				}
			}
		}
	}
}

// What a fragment gives is used.
func TestNothingIsGivenInVain(t *testing.T) {
	t.Parallel()
	all := allLua(t)
	for _, f := range all {
		if !f.fragment {
			continue
		}
		for _, name := range f.defines() {
			inside := len(regexp.MustCompile(`\b`+name+`\b`).FindAllString(f.code, -1)) > 1
			if !inside && !slices.ContainsFunc(all, func(o luaFile) bool { return o.path != f.path && slices.Contains(o.uses(), name) }) {
				t.Errorf("%s: %s is not used", f.path, name)
			}
		}
	}
}

// Fragments stand once each, before what needs them, and those of a function inside it.
func TestLibraryJoins(t *testing.T) {
	t.Parallel()
	l := NewLibrary(os.DirFS("testdata"))
	for name, want := range map[string]string{
		"plain": "-- one: a fragment.\nlocal one = 1\n" +
			"-- two: another.\n-- Needs: one\nlocal two = one + one\n" +
			"-- plain: a script.\n-- Needs: two one\nreturn one + two\n",
		"within": "local function add(a)\n" +
			"-- one: a fragment.\nlocal one = 1\n" +
			"-- three: a function.\n-- Needs: one\n-- Function: add(a)\nreturn a + one\nend\n" +
			"-- one: a fragment.\nlocal one = 1\n" +
			"-- within: a script.\n-- Needs: three one\nreturn add(one)\n",
		"around": "-- one: a fragment.\nlocal one = 1\n" +
			"local function add(a)\n" +
			"-- three: a function.\n-- Needs: one\n-- Function: add(a)\nreturn a + one\nend\n" +
			"-- around: a script.\n-- Needs: one three\nreturn add(one)\n",
		"constant": "-- constant: a script.\n-- Needs: numbers\nreturn 41 - -16\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got := l.Script(name).Source(); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
			}
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("a fragment that does not exist is no panic")
		}
	}()
	l.New("lost", "-- lost: a script.\n-- Needs: nothing\n")
}
