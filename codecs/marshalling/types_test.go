package marshalling

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

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
