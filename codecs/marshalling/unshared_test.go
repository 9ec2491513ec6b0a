package marshalling

import (
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// unsharedVector is a payload with an unshared field, and whether Java reads it.
type unsharedVector struct {
	vector
	reads bool
}

// unsharedVectors reads what Java wrote; see testdata/README.md.
func unsharedVectors(tb testing.TB) []unsharedVector {
	tb.Helper()
	text, err := os.ReadFile("testdata/unshared.tsv")
	if err != nil {
		tb.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = append(lines, "river4\tby hand\treads\t"+
		"0404093e0964656d6f2e556e7368fc9cf71472e9da84000000033e016116013e016c16013e01731600164601143e0171565a3d")
	out := make([]unsharedVector, len(lines))
	for i, line := range lines {
		f := strings.Split(line, "\t")
		payload, err := hex.DecodeString(f[3])
		if err != nil {
			tb.Fatal(err)
		}
		out[i] = unsharedVector{vector{library: f[0], label: f[1], payload: payload}, f[2] == "reads"}
	}
	return out
}

// TestUnshared decodes fields that Java declares unshared, and writes them again.
// What Java cannot read of its own is refused.
func TestUnshared(t *testing.T) {
	t.Parallel()
	for _, u := range unsharedVectors(t) {
		codec := New()
		for range 2 { // the second time its classes are known
			v, err := codec.Decode(u.payload)
			if err != nil {
				t.Errorf("%s: %v", u.label, err)
				break
			}
			got, err := codec.Encode(v)
			var refused *codecs.EncodeError
			switch {
			case !u.reads && (!errors.As(err, &refused) || !strings.Contains(refused.Reason, "unshared")):
				t.Errorf("%s: written as %x, %v; Java does not read its own", u.label, got, err)
			case u.reads && (err != nil || string(got) != string(u.payload)):
				t.Errorf("%s: encoded again: %x, %v\nJava wrote:    %x", u.label, got, err, u.payload)
			}
		}
	}
}

// TestUnsharedOnce writes one list into an unshared field and beside it: each has
// its own bytes, and what comes after refers to the second.
func TestUnsharedOnce(t *testing.T) {
	t.Parallel()
	list := &java.List{Class: java.ClassArrayList, Elements: []any{true}}
	o := &java.Object{
		Class:  "demo.Holder",
		Serial: &java.Serial{Class: "demo.Holder", Flags: 2, Fields: []java.SerialField{{Name: "a", Signature: "Ljava/lang/Object;", Unshared: true}}},
		Fields: []java.Field{{Name: "a", Value: list}},
	}
	payload, err := New().Encode([]any{o, list, list})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(payload[len(payload)-11:]), "1657015a50"+"53015a50"+"39ff"; got != want {
		t.Errorf("%x ends with %s, want %s", payload, got, want)
	}
	o.Fields[0].Value = o
	if payload, err = New().Encode(o); err == nil || !strings.Contains(err.Error(), "nested more than") {
		t.Errorf("an object in its own unshared field: %x, %v", payload, err)
	}
}
