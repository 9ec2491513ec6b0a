package compat_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/compat"
)

// TestRewrite: what becomes of messages of the table is what the jars have read with the new classes.
func TestRewrite(t *testing.T) {
	t.Parallel()
	classes, mappings := unpack(t), mappings(t)
	data, err := os.ReadFile("testdata/rewrites.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		old, now := open(t, classes, f[0], "old"), open(t, classes, f[0], "new")
		mapping, err := compat.ParseMapping(mappings[f[0]], old, now)
		if err != nil {
			t.Fatalf("%s: %v", f[0], err)
		}
		r, err := compat.NewRewriter(compat.Settings{Old: old, New: now, Codec: f[1], Class: "change.Order", Mapping: mapping, AllOld: true})
		if err != nil {
			t.Fatal(err)
		}
		payload, err := hex.DecodeString(f[3])
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := r.Rewrite(payload)
		got := hex.EncodeToString(fresh)
		switch {
		case err != nil:
			got = "refused: " + err.Error()
		case fresh == nil:
			got = "the same"
		}
		if got != f[4] {
			t.Errorf("%s %s: %s, want %s", f[0], f[1], got, f[4])
		}
	}
}

// mappings returns what is told of each change that needs it.
func mappings(t *testing.T) map[string]string {
	data, err := os.ReadFile("testdata/mappings.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, change := map[string]string{}, ""
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			change = strings.TrimSpace(name)
		} else {
			all[change] += line
		}
	}
	return all
}

// TestBothRead: what both programs read is refused, unless all is of the old one.
func TestBothRead(t *testing.T) {
	t.Parallel()
	classes := unpack(t)
	s := compat.Settings{Old: open(t, classes, "enum-reordered", "old"), New: open(t, classes, "enum-reordered", "new"), Codec: "kryo5"}
	payload, _ := hex.DecodeString("01006368616e67652e4f726465f20e01")
	for _, s.AllOld = range []bool{false, true} {
		r, err := compat.NewRewriter(s)
		if err != nil {
			t.Fatal(err)
		}
		if fresh, err := r.Rewrite(payload); (err == nil) != s.AllOld || s.AllOld && hex.EncodeToString(fresh) != "01006368616e67652e4f726465f20e02" {
			t.Errorf("all old %v: %x, %v", s.AllOld, fresh, err)
		}
	}
}

func TestMappingErrors(t *testing.T) {
	t.Parallel()
	classes := unpack(t)
	old, now := open(t, classes, "enum-reordered", "old"), open(t, classes, "enum-reordered", "new")
	for text, want := range map[string]string{
		"move change.Order to":                  "line 1: move is none of class, field, drop, constant, value",
		"\nclass change.Nobody change.Order":    "line 2: there is no class change.Nobody",
		"class change.Order change.Nobody":      "line 1: the new program has no class change.Nobody",
		"field change.Order.owner buyer":        "line 1: change.Order declares no field owner",
		"field change.Order.id":                 "line 1: \"field change.Order.id\" has not the words that are expected",
		"drop change.Order.id it":               "line 1: \"drop change.Order.id it\" has not the words that are expected",
		"constant change.State.LOST NEW":        "line 1: change.State has no constant LOST",
		"value change.Order.id {":               "line 1: { is no JSON value",
		"value id 7":                            "line 1: there is no class ",
		"# a remark\nvalue change.Order.id 7\n": "",
	} {
		_, err := compat.ParseMapping(text, old, now)
		if want == "" != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
