package marshalling

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
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

// checkType decodes what Java wrote by both ways, and encodes the value.
func checkType[T any](t *testing.T, label string, want T) {
	t.Run(label, func(t *testing.T) {
		payload := sample(t, label)
		bound, err := New().Bind(reflect.TypeFor[T](), codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"typed", "values"} {
			b := bound.(*binding)
			if way == "values" {
				b.root = nil
			} else if d := b.codec.decoder(payload); !b.decodeTyped(d, new(T)) {
				t.Errorf("the typed plan gives up at byte %d", d.at)
			}
			var got T
			if err = b.Decode(payload, &got); err != nil {
				t.Fatalf("%s: %v", way, err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: decoded\n%+v\nwant\n%+v", way, got, want)
			}
			out, err := b.Append(nil, want)
			if err != nil || !bytes.Equal(out, payload) {
				t.Errorf("%s: encoded %x, %v\nJava wrote %x", way, out, err, payload)
			}
		}
	})
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
}
