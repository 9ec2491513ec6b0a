package gosource_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
)

// TestValueTypes holds what source says of each Go type that is one Java value, and of
// each basic type, to what package java says of the type itself.
func TestValueTypes(t *testing.T) {
	t.Parallel()
	var list []reflect.Type
	for _, v := range gotypes.ValueTypes() {
		list = append(list, v.Go)
	}
	for _, v := range []any{false, "", int(0), int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0), float32(0), float64(0)} {
		list = append(list, reflect.TypeOf(v))
	}
	for _, plain := range list {
		for _, typ := range []reflect.Type{plain, reflect.PointerTo(plain), reflect.SliceOf(plain), reflect.MapOf(reflect.TypeFor[string](), plain)} {
			t.Run(typ.String(), func(t *testing.T) {
				t.Parallel()
				want := gotypes.DescribeType(typ, java.TypeExpr{}, codecs.BindOptions{})
				if got := describe(t, typ.String()); got.String() != want.String() {
					t.Errorf("declared as %q, want %q", got, want)
				}
			})
		}
	}
}

// describe returns the declared type of a field of a Go type, zero where the source does
// not tell.
func describe(t *testing.T, goType string) java.TypeExpr {
	t.Helper()
	var imports strings.Builder
	for name, path := range map[string]string{"time.": "time", "big.": "math/big", "java.": "github.com/duequeue/duequeue/codecs/java"} {
		if strings.Contains(goType, name) {
			fmt.Fprintf(&imports, "import %q\n", path)
		}
	}
	src := "package a\n" + imports.String() + "type A struct { X " + goType + " }\nfunc (A) JavaClass() string { return \"demo.A\" }\n"
	p, err := gosource.Parse("a.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Types()[0].Class.Fields {
		return f.Type
	}
	return java.TypeExpr{}
}
