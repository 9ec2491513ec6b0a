package inspect

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/catalog"
)

// Every codec of the catalog that needs nothing else has Go source, which makes that codec;
// and what is declared with it compiles.
func TestDeclarationsCompile(t *testing.T) {
	t.Parallel()
	imports := map[string]bool{"fmt": true, module + "registry": true}
	var names, lines, vars []string
	for _, name := range catalog.Names() {
		if name == "protobuf" || strings.HasPrefix(name, "avro") {
			continue // Java's schema or a generated type says what they hold
		}
		names = append(names, name)
	}
	for _, wrapper := range catalog.Wrappers() {
		names = append(names, wrapper+"(kryo5)")
	}
	names = append(names, "lz4(snappyv2(jsonjackson))")
	taken := map[string]bool{}
	for _, name := range names {
		source, ok := goCodec(name, imports)
		if !ok {
			t.Errorf("%s has no Go source", name)
			continue
		}
		lines = append(lines, fmt.Sprintf("\tfmt.Println(%s.Name())", source))
		class := "java.lang.String"
		switch name {
		case "long", "integer", "double":
			class = "java.lang." + strings.ToUpper(name[:1]) + name[1:]
		case "bytearray":
			class = "[B"
		}
		d, ok := declare("Q "+name, variable("Q "+name, taken), 3, []verdict{{Codec: name, Classes: []classCount{{class, 1}, {"null", 2}}}}, nil)
		if !ok {
			t.Errorf("%s is not declared", name)
			continue
		}
		for _, i := range d.Imports {
			imports[i] = true
		}
		vars = append(vars, d.Source)
		lines = append(lines, fmt.Sprintf("\tif err := %s.Err(); err != nil { fmt.Println(err) }", strings.Fields(d.Source)[1]))
	}
	var quoted []string
	for _, i := range slices.Sorted(maps.Keys(imports)) {
		quoted = append(quoted, fmt.Sprintf("\t%q", i))
	}
	program := fmt.Sprintf("package main\n\nimport (\n%s\n)\n\n%s\n\nfunc main() {\n%s\n}\n", strings.Join(quoted, "\n"), strings.Join(vars, "\n"), strings.Join(lines, "\n"))
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput()
	if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, names) {
		t.Errorf("%v\n%s\nwant %q\n%s", err, out, names, program)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	for _, of := range [][2]string{
		{"ORDER_PAYMENT_TIMEOUT", "OrderPaymentTimeout"},
		{"order.payment-timeout", "OrderPaymentTimeout2"},
		{"orderPaid", "OrderPaid"},
		{"{tag}:7days", "Tag7days"},
		{"7days", "X7days"},
		{"订单", "X订单"},
		{"::", "X"},
	} {
		if got := variable(of[0], taken); got != of[1] {
			t.Errorf("%s: %s, not %s", of[0], got, of[1])
		}
	}
}
