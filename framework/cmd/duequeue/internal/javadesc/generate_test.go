package javadesc_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc/sample"
)

// update writes sample/sample.go anew.
var update = flag.Bool("update", false, "write the generated files of this package's tests anew")

const classes = "../../../../../codecs/java/classfile/testdata/classes"

func open(t *testing.T, path string) *classfile.Source {
	t.Helper()
	s, err := classfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// chosen are the classes asked for; the sample has all that they refer to as well.
var chosen = []string{
	"demo.Order", "demo.Vip", "demo.NumberBox", "demo.Pair", "demo.Names", "demo.Names$ByName", "demo.Strange",
	"demo.Strange$Written", "demo.Node", "demo.订单", "demo.Order$Line", "old.Legacy", "old.Legacy$Kind", "old.Legacy$Inside",
	"demo.Member", "demo.Maybe",
}

// described are the Go types of package sample.
var described = map[string]reflect.Type{
	"Order": reflect.TypeFor[sample.Order](), "OrderItem": reflect.TypeFor[sample.OrderItem](),
	"OrderLine": reflect.TypeFor[sample.OrderLine](), "OrderStatus": reflect.TypeFor[sample.OrderStatus](),
	"Vip": reflect.TypeFor[sample.Vip[string]](), "Customer": reflect.TypeFor[sample.Customer](),
	"Entity":    reflect.TypeFor[sample.Entity[int64, *int32]](),
	"NumberBox": reflect.TypeFor[sample.NumberBox[*int32, string, sample.Color]](), "NumberBoxInner": reflect.TypeFor[sample.NumberBoxInner[string]](),
	"Pair": reflect.TypeFor[sample.Pair[string, *sample.Node]](), "Names": reflect.TypeFor[sample.Names](),
	"NamesByName": reflect.TypeFor[sample.NamesByName[*sample.Money]](), "Strange": reflect.TypeFor[sample.Strange](),
	"StrangeWritten": reflect.TypeFor[sample.StrangeWritten](), "Node": reflect.TypeFor[sample.Node](),
	"X订单": reflect.TypeFor[sample.X订单](), "Legacy": reflect.TypeFor[sample.Legacy](), "LegacyKind": reflect.TypeFor[sample.LegacyKind](),
	"LegacyInside": reflect.TypeFor[sample.LegacyInside](), "Color": reflect.TypeFor[sample.Color](), "Op": reflect.TypeFor[sample.Op](),
	"Money": reflect.TypeFor[sample.Money](), "Address": reflect.TypeFor[sample.Address](), "Point": reflect.TypeFor[sample.Point](),
	"Maybe":  reflect.TypeFor[sample.Maybe[*sample.Money]](),
	"Member": reflect.TypeFor[sample.Member](), "Active": reflect.TypeFor[sample.Active](),
	"Result": reflect.TypeFor[sample.Result[*sample.Order]](),
}

// TestSample generates the sample packages again. That they compile shows the build.
func TestSample(t *testing.T) {
	t.Parallel()
	source := open(t, classes)
	regenerate(t, source, "sample/sample.go", javadesc.Options{Package: "sample", From: "classfile/testdata/classes"}, chosen...)
	regenerate(t, source, "sample/nulls/nulls.go",
		javadesc.Options{Package: "nulls", From: "classfile/testdata/classes", Nulls: true}, "demo.Order")
}

func regenerate(t *testing.T, source *classfile.Source, file string, opts javadesc.Options, names ...string) {
	t.Helper()
	src, err := javadesc.Generate(source, opts, names...)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(src) != string(want) {
		t.Errorf("%s is not what is generated now (%v): go test -update", file, err)
	}
}

// TestDescribesTheSame binds the generated types as a codec would and compares
// what they describe with the class files: names, kinds, type parameters,
// superclasses, every field's type, constants and serialVersionUIDs.
func TestDescribesTheSame(t *testing.T) {
	t.Parallel()
	source := open(t, classes)
	for name, typ := range described {
		set, err := gotypes.ClassesOf(typ, codecs.BindOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		class := gotypes.ClassName(typ, nil)
		want, err := source.Class(class)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(set.Find(class)); got != text(want) {
			t.Errorf("%s describes\n%s\nthe class file\n%s", name, got, text(want))
		}
	}
}

// text shows all that javadesc promises to carry of a class.
func text(c *java.Class) string {
	if c == nil {
		return "nothing"
	}
	d := *c
	d.Interfaces = nil // a Go type need not tell
	if d.Name == "demo.Active" {
		d.Params = nil // which no field uses, so that nothing depends on them
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s final=%v", d.String(), d.Final)
	for _, f := range c.Fields {
		// A collection of one's own is a slice or map type, without fields.
		if f.Name != "revision" {
			fmt.Fprintf(&b, "\n  %s %s", f.Name, f.Type)
		}
	}
	return b.String()
}

// TestSourceReadsTheSame holds gosource to gotypes.ClassesOf.
func TestSourceReadsTheSame(t *testing.T) {
	t.Parallel()
	list, err := gosource.Load("sample")
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	var names []string
	for _, typ := range list[0].Types() {
		names = append(names, typ.Go)
		if typ.Err != nil {
			t.Errorf("%s: %v", typ.Go, typ.Err)
			continue
		}
		if described[typ.Go] == nil {
			t.Errorf("the test does not know %s", typ.Go)
			continue
		}
		set, err := gotypes.ClassesOf(described[typ.Go], codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if want := text(set.Find(typ.Class.Name)); text(typ.Class) != want {
			t.Errorf("%s reads as\n%s\nis\n%s", typ.Go, text(typ.Class), want)
		}
	}
	if len(names) != len(described) || slices.Contains(names, "") {
		t.Errorf("%d types: %v", len(names), names)
	}
}
