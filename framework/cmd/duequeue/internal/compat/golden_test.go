package compat_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/compat"
)

// cell is what a jar does with the messages of one change and codec.
type cell struct {
	change, codec, verdict, messages string
	releases                         string
}

// TestEveryVerdictIsWhatJavaDoes holds the judge to the table of the jars.
func TestEveryVerdictIsWhatJavaDoes(t *testing.T) {
	t.Parallel()
	classes, payloads := unpack(t), payloads(t)
	for _, c := range cells(t) {
		if c.releases == "3.19.0" && c.codec == "kryo5" && slices.Contains(checked, c.change) {
			continue
		}
		old, now := open(t, classes, c.change, "old"), open(t, classes, c.change, "new")
		p := payloads[c.change]
		got, err := compat.New(old, now).Of(p[0], p[1], c.codec)
		if err != nil {
			t.Errorf("%s %s: %v", c.change, c.codec, err)
			continue
		}
		if got.Verdict.String() != c.verdict {
			t.Errorf("%s %s: %s (%s: %s), and Java: %s\n  %s", c.change, c.codec, got.Verdict, got.Path, got.Reason, c.verdict, c.messages)
		}
		if got.Verdict != compat.Same && got.Reason == "" {
			t.Errorf("%s %s: %s without a reason", c.change, c.codec, got.Verdict)
		}
	}
}

// checked are the changes for which Kryo 5 in Redisson 3.19.0 fails where later ones put a value of another
// class into the field: that one checks what it puts there. The verdict is that of the later ones.
var checked = strings.Fields(`List-to-Set Set-to-List array-to-List ArrayList-to-LinkedList Map-to-TreeMap
list-of-nested-to-array field-becomes-a-subclass long-to-Date`)

func cells(t *testing.T) (all []cell) {
	data, err := os.ReadFile("testdata/verdicts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, cell{f[0], f[1], f[2], f[3], f[4]})
	}
	return all
}

// payloads returns the class of the messages of each change, the old one and the new one.
func payloads(t *testing.T) map[string][2]string {
	data, err := os.ReadFile("testdata/changes.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][2]string{}
	change := ""
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "# "):
			change = words[1]
		case change != "" && len(words) > 0:
			side := 0
			if words[0] == "new" {
				side = 1
			}
			if p := all[change]; p[side] == "" {
				p[side] = className(words[1:])
				all[change] = p
			}
		}
	}
	return all
}

func className(words []string) string {
	in := "change"
	for i, w := range words {
		switch w {
		case "package":
			in = strings.TrimSuffix(words[i+1], ";")
		case "class", "record", "enum", "interface":
			name, _, _ := strings.Cut(words[i+1], "(")
			name, _, _ = strings.Cut(name, "<")
			return in + "." + name
		}
	}
	return ""
}

func unpack(t *testing.T) string {
	r, err := zip.OpenReader("testdata/classes.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	dir := t.TempDir()
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir, change, side string) *classfile.Source {
	s, err := classfile.Open(filepath.Join(dir, change, side))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
