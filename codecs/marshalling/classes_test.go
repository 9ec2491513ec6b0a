package marshalling

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestNameOfValue reads a class whose field has its name by a reference to a text.
func TestNameOfValue(t *testing.T) {
	t.Parallel()
	payload := codectest.FromHex(t, "04 53 02 5a 3e03 616263 04 09 3e0141 0000000000000001 00000001 39fe 23 00 16 00000007")
	v := codectest.Must(New().Decode(payload))(t)
	if f := v.(*java.List).Elements[1].(*java.Object).Fields[0]; f.Name != "abc" || f.Value != int32(7) {
		t.Errorf("field %+v, want abc", f)
	}
	if out, err := New().Encode(v); err != nil || string(out) != string(payload) {
		t.Errorf("encoded %x, %v; want %x", out, err, payload)
	}
}

// TestTwoDescriptions refuses objects of one class with two descriptions: River
// writes the first one, and readers would take the second object for another.
func TestTwoDescriptions(t *testing.T) {
	t.Parallel()
	object := func(flags byte, fields ...java.SerialField) *java.Object {
		return &java.Object{Class: "demo.A", Serial: &java.Serial{Class: "demo.A", Flags: flags, Fields: fields}}
	}
	a, b := java.SerialField{Name: "a", Signature: "I"}, java.SerialField{Name: "b", Signature: "Ljava/lang/String;"}
	boxed, alone, whole := b, b, b
	boxed.Signature, alone.Unshared, whole.Signature = "Ljava/lang/Object;", true, "J"
	first := object(2, a, b)
	for _, c := range []struct {
		label  string
		second *java.Object
		fits   bool
	}{
		{"the same", object(2, a, b), true},
		{"in another order", object(2, b, a), true},
		{"with another object type", object(2, a, boxed), true},
		{"with one field", object(2, a), false},
		{"with another primitive", object(2, a, whole), false},
		{"with an unshared field", object(2, a, alone), false},
		{"with a writeObject method", object(3, a, b), false},
	} {
		t.Run(c.label, func(t *testing.T) {
			payload, err := New().Encode([]any{first, c.second})
			var e *codecs.EncodeError
			switch {
			case c.fits && err != nil:
				t.Errorf("%s: %v", c.label, err)
			case !c.fits && (!errors.As(err, &e) || !strings.Contains(e.Reason, "described in two ways")):
				t.Errorf("%s: %x, %v", c.label, payload, err)
			}
		})
	}
}

// unsharedVector is a payload with an unshared field, and whether Java reads it.
type unsharedVector struct {
	vector
	reads bool
}

// unsharedVectors reads what Java wrote; see testdata/README.md.
func unsharedVectors(tb testing.TB) []unsharedVector {
	tb.Helper()
	rows := append(codectest.Rows(tb, "testdata/unshared.tsv"), []string{
		"river4", "by hand", "reads",
		"0404093e0964656d6f2e556e7368fc9cf71472e9da84000000033e016116013e016c16013e01731600164601143e0171565a3d",
	})
	out := make([]unsharedVector, len(rows))
	for i, f := range rows {
		out[i] = unsharedVector{vector{library: f[0], label: f[1], payload: codectest.FromHex(tb, f[3])}, f[2] == "reads"}
	}
	return out
}

// TestUnshared decodes fields that Java declares unshared, and writes them again.
// What Java cannot read of its own is refused.
func TestUnshared(t *testing.T) {
	t.Parallel()
	for _, u := range unsharedVectors(t) {
		v, err := New().Decode(u.payload)
		if err != nil {
			t.Errorf("%s: %v", u.label, err)
			continue
		}
		got, err := New().Encode(v)
		var refused *codecs.EncodeError
		switch {
		case !u.reads && (!errors.As(err, &refused) || !strings.Contains(refused.Reason, "unshared")):
			t.Errorf("%s: written as %x, %v; Java does not read its own", u.label, got, err)
		case u.reads && (err != nil || string(got) != string(u.payload)):
			t.Errorf("%s: encoded again: %x, %v\nJava wrote:    %x", u.label, got, err, u.payload)
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
