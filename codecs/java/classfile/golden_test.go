package classfile_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

func open(t testing.TB, paths ...string) *classfile.Source {
	t.Helper()
	s := codectest.Must(classfile.Open(paths...))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func file(t testing.TB, name string) string {
	t.Helper()
	data := codectest.Must(os.ReadFile(name))(t)
	return string(data)
}

// TestReflection compares every class of testdata with what Java's reflection and
// serialization say about it, see testdata/Kinds.java.
func TestReflection(t *testing.T) {
	t.Parallel()
	s := open(t, "testdata/classes")
	for block := range strings.SplitSeq(strings.TrimPrefix(file(t, "testdata/kinds.txt"), "class "), "\nclass ") {
		want := "class " + strings.TrimSpace(block)
		// The arguments of an enclosing class are no part of a java.TypeExpr.
		want = strings.ReplaceAll(want, "NumberBox<T, U, V>$Inner", "NumberBox$Inner")
		name, _, _ := strings.Cut(block, " ")
		if got := reflection(t, s, name); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
}

// reflection describes a class in the way of testdata/Kinds.java.
func reflection(t *testing.T, s *classfile.Source, name string) string {
	f := codectest.Must(s.File(name))(t)
	c := codectest.Must(f.Class())(t)
	full := codectest.Must(s.Class(name))(t)
	var b strings.Builder
	fmt.Fprintf(&b, "class %s ", c.Name)
	if c.Final {
		b.WriteString("final ")
	}
	b.WriteString([]string{"class", "record", "enum"}[c.Kind])
	for _, p := range c.Params {
		fmt.Fprintf(&b, "\n  param %s %s", p.Name, orObject(p.Bound))
	}
	if !f.Access.Is(classfile.Interface) {
		super := orObject(c.Super)
		switch c.Kind {
		case java.KindEnum:
			super = "java.lang.Enum<" + name + ">"
		case java.KindRecord:
			super = "java.lang.Record"
		case java.KindBean:
		}
		b.WriteString("\n  super " + super)
	}
	for _, m := range c.Fields {
		fmt.Fprintf(&b, "\n  field %s %s", m.Name, orObject(m.Type))
	}
	b.WriteString("\n  interfaces")
	for _, i := range full.Interfaces {
		b.WriteString(" " + i)
	}
	for _, k := range c.Constants {
		b.WriteString(strings.TrimSuffix("\n  constant "+k.Name+" "+k.Body, " "))
	}
	if slices.Contains(full.Interfaces, "java.io.Serializable") && name != "demo.Strange$Written" {
		serial, _ := f.SerialVersionUID()
		if strings.Contains(name, "Op$") || strings.Contains(name, "Kind$") {
			serial = 0 // the classes of enum constants are enums to Java
		}
		fmt.Fprintf(&b, "\n  serial %d", serial)
	}
	return b.String()
}

// orObject spells a type as java.lang.reflect does, apart from the arguments of
// enclosing classes.
func orObject(t java.TypeExpr) string {
	if t.IsZero() {
		return "java.lang.Object"
	}
	return strings.ReplaceAll(t.String(), ",", ", ")
}

// TestSerialver compares with what the JDK's serialver prints.
func TestSerialver(t *testing.T) {
	t.Parallel()
	s := open(t, "testdata/classes")
	lines := strings.Split(strings.TrimSpace(file(t, "testdata/serialver.txt")), "\n")
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, ":")
		_, number, _ := strings.Cut(rest, "= ")
		f := codectest.Must(s.File(name))(t)
		if got, ok := f.SerialVersionUID(); !ok || fmt.Sprintf("%dL;", got) != number {
			t.Errorf("%s: %d, %v; want %s", name, got, ok, number)
		}
		c, err := s.Class(name)
		if err != nil || c.Kind != java.KindEnum && (c.Serial == nil || fmt.Sprintf("%dL;", *c.Serial) != number) {
			t.Errorf("%s: %v, %v; want %s", name, c, err, number)
		}
	}
	if len(lines) < 18 {
		t.Errorf("only %d lines", len(lines))
	}
}

// TestSerialUnknown has a serialVersionUID that only running Java tells, and
// classes that need none.
func TestSerialUnknown(t *testing.T) {
	t.Parallel()
	s := open(t, "testdata/classes")
	for _, name := range []string{"demo.Strange$Written", "demo.Address", "demo.Color", "demo.Node"} {
		c, err := s.Class(name)
		if err != nil || c.Serial != nil {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

// TestSerialWords says which classes are not Serializable and which write
// themselves, as far as all their supertypes are known.
func TestSerialWords(t *testing.T) {
	t.Parallel()
	all := open(t, "testdata/classes")
	alone := open(t, "testdata/classes/demo/Loose$Kept.class")
	for _, c := range []struct {
		from *classfile.Source
		name string
		want string
	}{
		{all, "demo.Loose", "demo.Loose serial none"},
		{all, "demo.Loose$Kept", "demo.Loose$Kept extends demo.Loose serial 1"},
		{alone, "demo.Loose$Kept", "demo.Loose$Kept extends demo.Loose serial 1"},
		{all, "demo.Loose$Writes", "custom demo.Loose$Writes extends demo.Loose$Kept serial 2"},
		{all, "demo.Loose$Listed", "custom demo.Loose$Listed extends demo.Loose$Kept serial 3"},
		{all, "demo.Loose$Replaced", "custom demo.Loose$Replaced extends demo.Loose$Kept serial 4"},
		{all, "demo.Loose$Alike", "demo.Loose$Alike extends demo.Loose$Kept serial 5"},
		{all, "demo.Strange", "custom demo.Strange serial 5718532865068642060"},
		{all, "demo.Strange$Written", "custom demo.Strange$Written"},
		{all, "demo.Pair", "record demo.Pair<A,B> serial none"},
		{all, "demo.Color", "enum demo.Color {RED, GREEN, BLUE}"},
	} {
		got := codectest.Must(c.from.Class(c.name))(t)
		plain := *got
		plain.Interfaces = nil
		if plain.String() != c.want {
			t.Errorf("%s, want %s", &plain, c.want)
		}
	}
}
