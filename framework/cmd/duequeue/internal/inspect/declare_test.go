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
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc"
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

func TestVariables(t *testing.T) {
	t.Parallel()
	d := &declarer{taken: map[string]bool{"OrderPaid": true}}
	for _, of := range [][2]string{
		{"ORDER_PAYMENT_TIMEOUT", "OrderPaymentTimeout"},
		{"order.payment-timeout", "OrderPaymentTimeoutQueue"},
		{"orderPayment:timeout", "OrderPaymentTimeoutQueue2"},
		{"orderPaid", "OrderPaidQueue"},
		{"{tag}:7days", "Tag7days"},
		{"7days", "X7days"},
		{"订单", "X订单"},
		{"::", "X"},
	} {
		if got := d.variable(of[0]); got != of[1] {
			t.Errorf("%s: %s, not %s", of[0], got, of[1])
		}
	}
}

// Types are those that "duequeue javadesc" writes, and no name is there twice; what payloads claim
// to be and no class can be called is none.
func TestTypesOfDeclarations(t *testing.T) {
	t.Parallel()
	of := func(queue string, classes ...string) *report {
		v := verdict{Codec: "kryo5", Read: 1, Of: 1}
		for _, class := range classes {
			v.Classes = append(v.Classes, classCount{class, 1})
		}
		return &report{Queue: queue, Codecs: []verdict{v}}
	}
	all := []*report{
		of("ORDER", "com.a.Order"), of("REFUND", "com.b.Order"), of("ITEM", "com.a.Order$Item"), of("MIXED", "com.a.Order", "java.lang.String"),
		of("HOSTILE", "com.a.\x1b[31mOrder"), of("SHELL", "a;rm -rf ~"),
	}
	i := &inspector{}
	i.declareAll(all)
	for n, want := range []string{
		`var OrderQueue = registry.Define[Order]("ORDER", `, `var Refund = registry.Define[BOrder]("REFUND", `, `var Item = registry.Define[OrderItem]("ITEM", `,
		`var Mixed = registry.Define[any]("MIXED", `, `var Hostile = registry.Define[any]("HOSTILE", `, `var Shell = registry.Define[any]("SHELL", `,
	} {
		if !strings.HasPrefix(all[n].Declare, want) {
			t.Errorf("%s\nnot %s", all[n].Declare, want)
		}
	}
	var out strings.Builder
	if err := i.printSource(&env.Env{Stdout: &out}, all); err != nil || !strings.Contains(out.String(), `FILE.jar -package orders com.a.Order 'com.a.Order$Item' com.b.Order > orders.go`) {
		t.Errorf("%v\n%s", err, out.String())
	}
}
