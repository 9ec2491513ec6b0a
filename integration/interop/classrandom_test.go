package interop_test

import (
	"encoding/json"
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

// TestRandomClassChanges: for changes of classes that no table has, "duequeue compat" says what the jar
// does. Whether a change that breaks messages fails or misreads them depends on their values, which are
// not all the same on both sides: these two count as one.
func TestRandomClassChanges(t *testing.T) {
	t.Parallel()
	const version = "4.7.0"
	if !slices.Contains(releases(t), version) {
		t.Logf("report: random changes of classes are not judged: Redisson %s is not among the releases of this run", version)
		return
	}
	n := 40
	if lab.LongForm() {
		n = 400
	}
	seed := rand.Uint64()
	t.Logf("report: %d changes of classes from seed %d", n, seed)
	changes, names := randomChanges(seed, n)
	file, dir := filepath.Join(t.TempDir(), "changes.txt"), t.TempDir()
	if err := os.WriteFile(file, []byte(changes), 0o600); err != nil {
		t.Fatal(err)
	}
	java := map[string]string{}
	for line := range strings.Lines(jvm.Run(t, version, "ClassChanges", file, dir)) {
		f := strings.Split(line, "\t")
		java[f[0]+" "+f[1]] = breaks(f[2])
	}
	program := rig.CommandLine(t)
	for _, name := range names {
		at := filepath.Join(dir, name)
		judge := exec.CommandContext(t.Context(), program, "compat", "-json", "-old", filepath.Join(at, "old"), "-new", filepath.Join(at, "new"), "-class", "change.Order")
		out, _ := judge.Output() // it fails where something breaks
		lines := 0
		for line := range strings.Lines(string(out)) {
			var got struct{ Codec, Verdict, Path, Reason string }
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			lines++
			if want := java[name+" "+got.Codec]; want != "" && breaks(got.Verdict) != want {
				_, change, _ := strings.Cut(changes, "# "+name+"\n")
				change, _, _ = strings.Cut(change, "#")
				t.Errorf("%s: %s (%s %s), and Java: %s\n%s", got.Codec, got.Verdict, got.Path, got.Reason, want, change)
			}
		}
		if lines == 0 {
			t.Errorf("no verdict on %s", name)
		}
	}
}

func breaks(verdict string) string {
	if verdict == "fails" || verdict == "wrong" {
		return "breaks"
	}
	return verdict
}

// randomTypes are those of fields: a random one of T stands for %s.
var randomTypes = strings.Split(`int|long|short|byte|double|float|boolean|Integer|Long|Short|Byte|Double|Boolean|String|String|String|BigDecimal|
Date|Object|Item|Item|State|List<%s>|List<%s>|Set<String>|ArrayList<%s>|LinkedList<%s>|Map<String, %s>|TreeMap<Integer, %s>|int[]|String[]|Item[]|State[]`, "|")

var randomElements = []string{"String", "String", "Integer", "Long", "Double", "Item", "State", "Object", "List<String>"}

var randomNames = strings.Fields("amount buyer code due email flag id items kind level memo name owner price qty rank tags user zip isOpen Upper _x a1")

// randomChanges returns changes as changes.txt has them, and their names.
func randomChanges(seed uint64, n int) (text string, names []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(from []string) string { return strings.TrimSpace(from[r.IntN(len(from))]) }
	kind := func() string { return strings.ReplaceAll(pick(randomTypes), "%s", pick(randomElements)) }
	var b strings.Builder
	for i := range n {
		names = append(names, fmt.Sprintf("random-%d", i))
		order, item := map[string]string{"item": "Item"}, map[string]string{}
		for range 1 + r.IntN(4) {
			order[pick(randomNames)], item[pick(randomNames)] = kind(), pick(randomTypes[:17])
		}
		states := []string{"NEW", "PAID", "SENT"}
		fmt.Fprintf(&b, "# %s\n%s", names[i], randomSide("old", order, item, states))
		changed, types := order, kind
		if r.IntN(3) == 0 {
			changed, types = item, func() string { return pick(randomTypes[:17]) }
		}
		field := pick(sortedNames(changed))
		switch r.IntN(5) {
		case 0:
			changed[pick(randomNames)] = types()
		case 1:
			delete(changed, field)
		case 2:
			changed[pick(randomNames)] = changed[field]
			delete(changed, field)
		case 3:
			states = slices.Insert(states[:r.IntN(3)+1:3], r.IntN(2), "LOST")
		default:
			changed[field] = types()
		}
		b.WriteString(randomSide("new", order, item, states))
	}
	return b.String(), names
}

func sortedNames(fields map[string]string) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func randomSide(side string, order, item map[string]string, states []string) string {
	var b strings.Builder
	for _, class := range []struct {
		name   string
		fields map[string]string
	}{{"Order", order}, {"Item", item}} {
		fmt.Fprintf(&b, "%s class %s { ", side, class.name)
		for _, name := range sortedNames(class.fields) {
			fmt.Fprintf(&b, "%s %s; ", class.fields[name], name)
		}
		b.WriteString("}\n")
	}
	return b.String() + fmt.Sprintf("%s enum State { %s }\n", side, strings.Join(states, ", "))
}
