package marshalling

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial/serialtest"
)

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

// checkType decodes what Java wrote by plan and in both ways, and encodes the value.
func checkType[T any](t *testing.T, label string, want T) {
	t.Run(label, func(t *testing.T) {
		payload := sample(t, label)
		w := stream.Ways(t, New(), reflect.TypeFor[T]())
		if !w.Check(t, payload) {
			t.Error("the typed plan gives up")
		}
		w.CheckEncode(t, want)
		typed := serialtest.Typed[T](t, New())
		if got, err := typed.Decode(payload); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("decoded\n%+v, %v\nwant\n%+v", got, err, want)
		}
		if out, err := typed.Encode(want); err != nil || !bytes.Equal(out, payload) {
			t.Errorf("encoded %x, %v\nJava wrote %x", out, err, payload)
		}
	})
}

// checkList decodes a list by the typed plan alone.
func checkList(t *testing.T, text string, want []int32) {
	t.Helper()
	bound, err := New().Bind(reflect.TypeFor[[]int32](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []int32
	if !stream.Reads(bound, serialtest.Payload(t, "04"+text), &got) || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %#v, want %#v", text, got, want)
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
