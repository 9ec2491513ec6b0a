package interop_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

var (
	shapesSeed  = flag.Uint64("shapes-seed", 0, "the seed of the classes of TestClassShapes; 0 draws one")
	shapesCount = flag.Int("shapes", 0, "how many classes TestClassShapes makes for each release")
)

// fixedShapes are classes as services have them that random ones seldom come to.
const fixedShapes = `# enums
new class Order { Map<State, Integer> counts; EnumMap<State, String> names; TreeMap<State, Long> sorted; Set<State> set; State[] all; }
new enum State { NEW, PAID { public String toString() { return "paid"; } }, SENT }
# dates
new class Order { String id; Date at; List<Date> more; Map<String, Date> byName; }
new class Moment extends Date { int zone = 8; String week = "MONDAY"; }
# containers
new class Order { Attributes own; Names names; Map<String, Object> map; List<String> list; Object any; }
new class Attributes extends HashMap<String, Object> { }
new class Names extends ArrayList<String> { }
# results
new class Order { Result<Item> one; Result<List<Item>> many; Result<String> text; Result<State> state; Result<Point> point; Result<UUID> id; Result<Long> number; Result<Date> at; Result<State[]> all; }
new class Result<T> { int code; String message; T data; }
new class Special extends Item { long extra; }
new class Item { String name; Integer count; }
new record Point(int x, Long y) implements Serializable { }
new enum State { NEW, PAID, SENT }
`

// TestClassShapes: for classes of all shapes, the types that "duequeue javadesc" writes read what Java
// writes, and Java reads what they write; values without a Go type come to the same bytes.
func TestClassShapes(t *testing.T) {
	t.Parallel()
	for _, version := range changeReleases {
		if !slices.Contains(releases(t), version) {
			t.Logf("report: shapes of classes are not judged by Redisson %s, which is not among the releases of this run", version)
			continue
		}
		n := 20
		if lab.LongForm() {
			n = 300
		}
		if *shapesCount > 0 {
			n = *shapesCount
		}
		seed := rand.Uint64()
		if *shapesSeed != 0 {
			seed = *shapesSeed
		}
		t.Logf("report: %d shapes of classes from seed %d, Redisson %s", n, seed, version)
		text, names := randomShapes(seed, n)
		judgeShapes(t, version, fixedShapes+text, append(strings.Fields("enums dates containers results"), names...))
	}
}

// judgeShapes has messages of the classes go from Java through Go and back.
func judgeShapes(t *testing.T, version, text string, names []string) {
	dir := t.TempDir()
	file, classes := filepath.Join(dir, "shapes.txt"), filepath.Join(dir, "classes")
	writeFile(t, file, text)
	rows := jvm.Run(t, version, "ClassShapes", file, classes)
	program := buildShapes(t, dir, classes, names)
	run := exec.CommandContext(t.Context(), program, version)
	run.Stdin = strings.NewReader(rows)
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var written strings.Builder
	equal := 0
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch f[3] {
		case "equal":
			equal++
		case "other":
			fmt.Fprintln(&written, strings.Join([]string{f[0], f[1], f[2], f[4]}, "\t"))
		default:
			if strings.Contains(f[3], "(class change.Special)") || strings.Contains(f[3], "a record, which River cannot carry") {
				continue // Kryo needs javadesc to be asked for this subclass, too
			}
			t.Errorf("Redisson %s, %s, %s, message %s: %s\n%s", version, f[0], f[1], f[2], f[3], shapeOf(text, f[0]))
		}
	}
	if equal == 0 {
		t.Error("no payload is equal to Java's")
	}
	judged := filepath.Join(dir, "written.tsv")
	writeFile(t, judged, written.String())
	others := 0
	for line := range strings.Lines(jvm.Run(t, version, "ClassShapes", file, classes, judged)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		others++
		// A Go struct has the fields of its own class alone.
		extra := strings.HasPrefix(f[3], "loses") && strings.HasSuffix(f[3], ".extra)")
		if f[3] != "same" && !extra {
			t.Errorf("Redisson %s, %s, %s, message %s: Java reads what Go wrote as %s\n%s", version, f[0], f[1], f[2], f[3], shapeOf(text, f[0]))
		}
	}
	t.Logf("report: Redisson %s: %d payloads, %d equal, %d that mean the same to Java", version, strings.Count(rows, "\n"), equal, others)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// shapeOf returns the classes of one shape.
func shapeOf(text, name string) string {
	_, shape, _ := strings.Cut(text, "# "+name+"\n")
	shape, _, _ = strings.Cut(shape, "# ")
	return shape
}

// buildShapes makes a program of what javadesc writes for the classes. Its source is laid over the
// folder of this package, so that it belongs to this module.
func buildShapes(t *testing.T, dir, classes string, names []string) string {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	add := func(path, source string) {
		file := filepath.Join(dir, "source", path)
		writeFile(t, file, source)
		overlay[filepath.Join(here, "shapes", path)] = file
	}
	var imports, table strings.Builder
	for i, name := range names {
		javadesc := exec.CommandContext(t.Context(), rig.CommandLine(t), "javadesc", "-nulls", "-package", "p", "-classes", filepath.Join(classes, name), "change.Order")
		var stderr bytes.Buffer
		javadesc.Stderr = &stderr
		source, err := javadesc.Output()
		if err != nil {
			t.Fatalf("javadesc of %s: %v\n%s", name, err, stderr.String())
		}
		add(fmt.Sprintf("p%d/p.go", i), string(source))
		fmt.Fprintf(&imports, "\tp%d %q\n", i, fmt.Sprintf("github.com/duequeue/duequeue/framework/integration/interop/shapes/p%d", i))
		fmt.Fprintf(&table, "\t%q: through[p%d.Order],\n", name, i)
	}
	source, err := os.ReadFile("testdata/shapes.txt")
	if err != nil {
		t.Fatal(err)
	}
	add("main.go", strings.NewReplacer("\t// IMPORTS\n", imports.String(), "\t// TYPES\n", table.String()).Replace(string(source)))
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	replace, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "shapes")
	writeFile(t, replace, string(list))
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", replace, "-o", program, "./shapes")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("what javadesc writes does not compile: %v\n%s", err, out)
	}
	return program
}

// shapeTypes are types of fields beside randomTypes.
var shapeTypes = append(slices.Clip(randomTypes), strings.Split(
	`Date|Date|Map<State, %s>|EnumMap<State, %s>|Set<State>|Attributes|Names|Map<String, Object>|List<Date>|Set<Long>|LinkedHashMap<String, %s>|
BigInteger|UUID|LocalDate|LocalDateTime|Instant|char|Character|byte[]|long[]|Long[]|Result<%s>|Number`, "|")...)

// randomShapes returns classes as the Java program takes them, and their names.
func randomShapes(seed uint64, n int) (text string, names []string) {
	r := rand.New(rand.NewPCG(seed, 2))
	pick := func(from []string) string { return strings.TrimSpace(from[r.IntN(len(from))]) }
	kind := func() string { return strings.ReplaceAll(pick(shapeTypes), "%s", pick(randomElements)) }
	var b strings.Builder
	for i := range n {
		name := fmt.Sprintf("shape-%d", i)
		names = append(names, name)
		base, order, item := map[string]string{}, map[string]string{}, map[string]string{}
		for range 1 + r.IntN(6) {
			order[pick(randomNames)], item[pick(randomNames)] = kind(), pick(randomTypes[:17])
		}
		if r.IntN(3) == 0 {
			base[pick(randomNames)+"Base"] = kind()
		}
		annotate(r, order)
		fmt.Fprintf(&b, "# %s\nnew class Order extends Base { %s }\nnew class Base { %s }\n", name, fieldsOf(order), fieldsOf(base))
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "new class Special extends Item { %s extra; }\n", pick(randomTypes[:17]))
		}
		fmt.Fprintf(&b, "new class Item { %s }\nnew class Result<T> { int code; T data; }\n", fieldsOf(item))
		b.WriteString("new class Attributes extends HashMap<String, Object> { }\nnew class Names extends ArrayList<String> { }\n")
		if r.IntN(2) == 0 {
			b.WriteString("new class Moment extends Date { int zone = 8; }\n")
		}
		b.WriteString("new enum State { NEW, PAID, SENT }\n")
	}
	return b.String(), names
}

// annotate gives some fields annotations that tags know.
func annotate(r *rand.Rand, fields map[string]string) {
	const jackson = "@com.fasterxml.jackson.annotation."
	for _, name := range sortedNames(fields) {
		if r.IntN(8) == 0 {
			fields[name] = fmt.Sprintf("%sJsonProperty(\"x_%s\") %s", jackson, name, fields[name])
		}
	}
}

func fieldsOf(fields map[string]string) string {
	var b strings.Builder
	for _, name := range sortedNames(fields) {
		fmt.Fprintf(&b, "%s %s; ", fields[name], name)
	}
	return b.String()
}
