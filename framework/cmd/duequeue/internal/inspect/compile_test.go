//go:build lint

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
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc"
)

// Every codec of the catalog that needs nothing else has Go source, which makes that codec;
// and what is declared with it compiles.
func TestLintDeclarationsCompile(t *testing.T) {
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
	d := &declarer{types: javadesc.TypeNames("com.a.Order", "com.b.Order"), taken: map[string]bool{}}
	declared := func(queue string, all ...verdict) {
		t.Helper()
		source, packages := d.declare(queue, 3, all)
		if source == "" {
			t.Errorf("%s is not declared", queue)
			return
		}
		for _, i := range packages {
			imports[i] = true
		}
		vars = append(vars, source)
		lines = append(lines, fmt.Sprintf("\tif err := %s.Err(); err != nil { fmt.Println(err) }", strings.Fields(source)[1]))
	}
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
		declared("Q "+name, verdict{Codec: name, Classes: []classCount{{class, 1}, {"null", 2}}})
	}
	text := []classCount{{"java.lang.String", 1}}
	declared("text last", verdict{Codec: "string", Classes: text}, verdict{Codec: "kryo5", Classes: text})
	declared("bytes last", verdict{Codec: anything, Classes: []classCount{{"[B", 1}}}, verdict{Codec: "kryo5", Classes: text})
	declared("one unread", verdict{Codec: "kryo5", Classes: text}, verdict{Of: 1})
	declared("Text Last", verdict{Codec: "kryo5", Classes: text})
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
