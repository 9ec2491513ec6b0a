package marshalling

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// TestDerivedMapInside writes a map of a class of its own, with keys that are no
// texts, as it was read.
func TestDerivedMapInside(t *testing.T) {
	t.Parallel()
	payload, err := hex.DecodeString("0404093e0a64656d6f2e4d794d6170d791780006959632000000013e0178230038" +
		"3e116a6176612e7574696c2e486173684d61700507dac1c31660d1000000023e0a6c6f6164466163746f7226003e097468726573686f6c6423001" +
		"63f4000000000000c320800000010000000014b000000053e016135bd6448cc")
	if err != nil {
		t.Fatal(err)
	}
	typed := codectest.Typed[any](t, New())
	v := codectest.Must(typed.Decode(payload))(t)
	if out, err := typed.Encode(v); err != nil || !bytes.Equal(out, payload) {
		t.Errorf("%x, %v", out, err)
	}
}

// record is a class that River cannot carry.
type record struct {
	X int32 `java:"x"`
}

func (record) JavaClass() string { return "record demo.Point" }

// tagList extends a class of the JDK that writes data of its own.
type tagList struct {
	Weight int32 `java:"weight"`
}

func (tagList) JavaClass() string { return "demo.Tags extends java.util.ArrayList" }

func TestBindMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ    reflect.Type
		reason string
	}{
		{reflect.TypeFor[record](), "record"},
		{reflect.TypeFor[tagList](), "java.util.ArrayList"},
		{reflect.TypeFor[chan int](), "no Java value"},
		{reflect.TypeFor[struct {
			R record `java:"r"`
			C func() `java:"c"`
		}](), "no Java value"},
	} {
		_, err := New().Bind(c.typ, codecs.BindOptions{})
		var e *codecs.BindError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v; want an error about %q", c.typ, err, c.reason)
		}
	}
}

// checkType decodes what Java wrote and encodes the value.
func checkType[T any](t *testing.T, label string, want T) {
	t.Run(label, func(t *testing.T) {
		payload, typed := sample(t, label), codectest.Typed[T](t, New())
		if got, err := typed.Decode(payload); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("decoded\n%+v, %v\nwant\n%+v", got, err, want)
		}
		if out, err := typed.Encode(want); err != nil || !bytes.Equal(out, payload) {
			t.Errorf("encoded %x, %v\nJava wrote %x", out, err, payload)
		}
	})
}

// checkList decodes a list.
func checkList(t *testing.T, text string, want []int32) {
	t.Helper()
	if got, err := codectest.Into[[]int32](t, New(), codectest.FromHex(t, "04"+text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %#v, %v, want %#v", text, got, err, want)
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	checkType(t, "order", fullOrder())
	checkType(t, "item", item{SKU: "one", Count: 5, Price: decimal(1990, 2)})
	checkType(t, "shared", sharedTwo())
	checkType(t, "ring", ring())
	checkType(t, "list of items", []item{
		{SKU: "a", Count: 1, Price: decimal(100, 2)}, {SKU: "b", Count: 2, Price: decimal(200, 2)}, {SKU: "c", Count: 3, Price: decimal(300, 0)},
	})
	checkType(t, "order nulls", order{})
	checkList(t, "5d", []int32{})
	checkList(t, "62", []int32{})
	checkList(t, "5c 4b00000007", []int32{7})
	checkList(t, "61 4b00000007", []int32{7})
	checkList(t, "7d 53 01 5a 4b00000007", []int32{7})
	checkList(t, "7c 5d", []int32{})
	checkList(t, "7f 7f 61 4b00000007", []int32{7})
	checkList(t, "42 01 2c 4b00000007", []int32{7})
	checkList(t, "42 01 23 00000007", []int32{7})
	checkList(t, "52 78", []int32{})
	checkList(t, "01", []int32(nil))
}

// vector is one payload that Java wrote.
type vector struct {
	library, label string
	payload        []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB, file string) []vector {
	tb.Helper()
	var out []vector
	for _, f := range codectest.Rows(tb, "testdata/"+file) {
		if len(f) == 3 && strings.HasPrefix(f[0], "river") {
			out = append(out, vector{library: f[0], label: f[1], payload: codectest.FromHex(tb, f[2])})
		}
	}
	if len(out) == 0 {
		tb.Fatalf("%s holds no payload", file)
	}
	return out
}

// sample returns what Java wrote for a sample.
func sample(tb testing.TB, label string) []byte {
	tb.Helper()
	for _, v := range vectors(tb, "samples.tsv") {
		if v.label == label {
			return v.payload
		}
	}
	tb.Fatalf("no sample %s", label)
	return nil
}
