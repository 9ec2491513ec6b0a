package classfile_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// entry is a file for [writeJar].
type entry struct {
	name, content string
	stored        bool // not compressed, as Spring Boot stores the jars inside
}

func class(t testing.TB, name string) string {
	return file(t, "testdata/classes/"+strings.ReplaceAll(name, ".", "/")+".class")
}

func jarBytes(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		method := zip.Deflate
		if e.stored {
			method = zip.Store
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: method})
		if err == nil {
			_, err = f.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeJar(t testing.TB, entries ...entry) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.jar")
	if err := os.WriteFile(path, jarBytes(t, entries...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestJar reads a plain jar: descriptors of modules and classes of newer Java in
// a jar that is not multi-release do not count.
func TestJar(t *testing.T) {
	t.Parallel()
	s := open(t, writeJar(t,
		entry{name: "META-INF/MANIFEST.MF", content: "Manifest-Version: 1.0\r\n"},
		entry{name: "module-info.class", content: "no class at all"},
		entry{name: "demo/package-info.class", content: "neither"},
		entry{name: "META-INF/versions/17/demo/Address.class", content: class(t, "demo.Money")},
		entry{name: "demo/Address.class", content: class(t, "demo.Address")},
		entry{name: "readme.txt", content: "hello"},
	))
	if got := s.Names(); !slices.Equal(got, []string{"demo.Address"}) {
		t.Error(got)
	}
	if c, err := s.Class("demo.Address"); err != nil || len(c.Fields) != 3 || c.Final {
		t.Error(c, err)
	}
}

// TestMultiRelease takes the class for the newest Java.
func TestMultiRelease(t *testing.T) {
	t.Parallel()
	s := open(t, writeJar(t,
		entry{name: "META-INF/MANIFEST.MF", content: "Manifest-Version: 1.0\nmulti-release: TRUE\n"},
		entry{name: "META-INF/versions/21/demo/Address.class", content: class(t, "demo.Address")},
		entry{name: "META-INF/versions/9/demo/Address.class", content: "never read"},
		entry{name: "META-INF/versions/8/demo/Money.class", content: "not a release that has them"},
		entry{name: "demo/Address.class", content: "never read"},
	))
	if got := s.Names(); !slices.Equal(got, []string{"demo.Address"}) {
		t.Error(got)
	}
	if _, err := s.Class("demo.Address"); err != nil {
		t.Error(err)
	}
}

// TestSpringBoot reads the jars inside a jar, stored or compressed, after the
// jar's own classes.
func TestSpringBoot(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{true, false} {
		lib := jarBytes(t,
			entry{name: "demo/Entity.class", content: class(t, "demo.Entity")},
			entry{name: "demo/Address.class", content: "hidden by the outer one"},
			entry{name: "lib/deeper.jar", content: "not looked into"},
		)
		s := open(t, writeJar(t,
			entry{name: "BOOT-INF/lib/common.jar", content: string(lib), stored: stored},
			entry{name: "BOOT-INF/classes/demo/Customer.class", content: class(t, "demo.Customer")},
			entry{name: "BOOT-INF/classes/demo/Address.class", content: class(t, "demo.Address")},
			entry{name: "other/deep.jar", content: "no library"},
		))
		if got := s.Names(); !slices.Equal(got, []string{"demo.Address", "demo.Customer", "demo.Entity"}) {
			t.Error(got)
		}
		var own []string // which stand in the classes of the outer jar
		for f, err := range s.Own() {
			if err != nil {
				t.Fatal(err)
			}
			own = append(own, f.Name)
		}
		if !slices.Equal(own, []string{"demo.Address", "demo.Customer"}) {
			t.Error(own)
		}
		reach := codectest.Must(s.Reach(nil, "demo.Customer"))(t)
		var names []string
		for _, c := range reach.Classes {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, []string{"demo.Customer", "demo.Entity", "demo.Address"}) {
			t.Error(names)
		}
		if len(reach.Missing) != 1 || reach.Missing[0] != (classfile.Missing{Class: "demo.Color", User: "demo.Customer", Field: "addresses"}) {
			t.Error(reach.Missing)
		}
	}
}

// TestDirectories finds where packages begin, also in several places below one
// directory, and jars that lie in it.
func TestDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, content := range map[string]string{
		"target/classes/demo/Address.class": class(t, "demo.Address"),
		"target/classes/demo/Money.class":   class(t, "demo.Money"),
		"build/demo/Node.class":             class(t, "demo.Node"),
		"lib.jar":                           string(jarBytes(t, entry{name: "demo/Color.class", content: class(t, "demo.Color")})),
		"build/not-looked-at.jar":           "x",
		"notes.txt":                         "x",
	} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir)
	if got := s.Names(); !slices.Equal(got, []string{"demo.Address", "demo.Color", "demo.Money", "demo.Node"}) {
		t.Error(got)
	}
	for _, name := range s.Names() {
		if _, err := s.Class(name); err != nil {
			t.Error(err)
		}
	}
	// One file, and several sources of which the first counts.
	one := open(t, filepath.Join(dir, "build/demo/Node.class"), dir)
	if c, err := one.Class("demo.Node"); err != nil || len(c.Fields) != 3 {
		t.Error(c, err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	broken := writeJar(t, entry{name: "demo/Order.class", content: "CAFE"}, entry{name: "demo/Money.class", content: class(t, "demo.Node")})
	for name, c := range map[string]struct {
		path, class, want string
	}{
		"no path":         {"", "", "no class file, directory or jar given"},
		"missing":         {"testdata/nowhere", "", "nowhere"},
		"not an archive":  {"testdata/kinds.txt", "", "neither a .class file nor a jar"},
		"no classes":      {"testdata/src", "", "there is no class in it"},
		"nested no jar":   {writeJar(t, entry{name: "BOOT-INF/lib/a.jar", content: "x"}), "", "shop.jar!BOOT-INF/lib/a.jar: neither"},
		"stored no jar":   {writeJar(t, entry{name: "BOOT-INF/lib/a.jar", content: "x", stored: true}), "", "a.jar: neither"},
		"no class file":   {broken, "demo.Order", "shop.jar!demo/Order.class at byte 0: no class file"},
		"another class":   {broken, "demo.Money", "the file lies where class demo.Money should be"},
		"unknown":         {broken, "demo.Ordre", "no class demo.Ordre in "},
		"near":            {"testdata/classes", "demo.order", "did you mean demo.Order?"},
		"superclass gone": {writeJar(t, entry{name: "demo/Customer.class", content: class(t, "demo.Customer")}), "demo.Customer", "no class demo.Entity in "},
		"enum gone":       {writeJar(t, entry{name: "demo/Op$1.class", content: class(t, "demo.Op$1")}), "demo.Op$1", "no class demo.Op in "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var paths []string
			if c.path != "" {
				paths = append(paths, c.path)
			}
			s, err := classfile.Open(paths...)
			if err == nil {
				defer s.Close() //nolint:errcheck // only read from
				_, err = s.Reach(nil, c.class)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := open(t, "testdata/classes")
	for given, want := range map[string]string{
		"demo.Order": "demo.Order", "demo/Order$Item": "demo.Order$Item", "demo.Order.Item": "demo.Order$Item",
		"Order": "demo.Order", "Order.Item": "demo.Order$Item", "Item": "demo.Order$Item", "demo/Order.class": "demo.Order",
		"Legacy$Kind": "old.Legacy$Kind", "1": "", "Ordr": "", "": "", ".": "",
	} {
		got, err := s.Find(given)
		var e *classfile.NotFoundError
		if got != want || want == "" && !errors.As(err, &e) {
			t.Errorf("%q: %q, %v; want %q", given, got, err, want)
		}
	}
	// Several classes are called 1: they are named, none is chosen.
	_, err := s.Find("1")
	var e *classfile.NotFoundError
	if !errors.As(err, &e) || len(e.Near) != 3 {
		t.Error(err)
	}
}

// TestReach follows references, and stops where it is told to.
func TestReach(t *testing.T) {
	t.Parallel()
	s := open(t, "testdata/classes")
	all := codectest.Must(s.Classes("demo.Order"))(t)
	for _, name := range []string{"demo.Order", "demo.Order$Item", "demo.Order$Status", "demo.Op", "demo.Result", "demo.Point", "demo.Money"} {
		if all.Find(name) == nil {
			t.Errorf("%s is not reached", name)
		}
	}
	if all.Find("demo.Customer") != nil {
		t.Error("a class that nothing refers to is reached")
	}
	if enum := all.Find("demo.Op$1"); enum == nil || enum.Name != "demo.Op" || enum.Final {
		t.Error("the class of a constant does not lead to its enum")
	}
	few := codectest.Must(s.Reach(func(name string) bool { return name == "demo.Color" }, "demo.Vip"))(t)
	var names []string
	for _, c := range few.Classes {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"demo.Vip", "demo.Customer", "demo.Entity", "demo.Color"}) {
		t.Error(names)
	}
	body, err := s.Class("demo.Op$2")
	if err != nil || body.Name != "demo.Op" || body.Kind != java.KindEnum {
		t.Error(body, err)
	}
	if whole, err := s.Classes(); err != nil || whole.Len() < 25 {
		t.Error(whole.Len(), err)
	}
}

func TestSubtype(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, ancestor string
		want           bool
	}{
		{"java.util.ArrayList", "java.util.Collection", true},
		{"java.util.Properties", "java.util.Map", true},
		{"java.util.List", "java.lang.Iterable", true},
		{"java.lang.IllegalStateException", "java.lang.Throwable", true},
		{"java.util.HashMap", "java.util.Collection", false},
		{"demo.Order", "java.lang.Object", false},
		{"", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := classfile.Subtype(c.name, c.ancestor); got != c.want {
				t.Errorf("%s as %s: %v", c.name, c.ancestor, got)
			}
		})
	}
}
