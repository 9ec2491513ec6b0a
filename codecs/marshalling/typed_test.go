package marshalling

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"sync"
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

// checkList decodes a list by the typed plan alone.
func checkList(t *testing.T, text string, want []int32) {
	t.Helper()
	payload, err := hex.DecodeString("04" + strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	bound, err := New().Bind(reflect.TypeFor[[]int32](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []int32
	b := bound.(*binding)
	if !b.decodeTyped(b.codec.decoder(payload), &got) || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %#v, want %#v", text, got, want)
	}
}

// TestConcurrent shares one codec and one binding.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	codec := New()
	typed, err := codecs.For[order](codec, codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := vectors(t, "samples.tsv")
	want := sample(t, "order")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, v := range all {
				if _, err := codec.Decode(v.payload); err != nil {
					t.Errorf("%s: %v", v.label, err)
				}
				got, err := typed.Decode(want)
				if err != nil {
					t.Error(err)
				}
				if out, err := typed.Encode(got); err != nil || !bytes.Equal(out, want) {
					t.Errorf("encoded %x, %v", out, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestLongLists decodes a list whose variables are made bit by bit.
func TestLongLists(t *testing.T) {
	t.Parallel()
	want := make([]item, 5000)
	for i := range want {
		want[i] = item{SKU: "s", Count: int32(i), Price: decimal(int64(i), 2)}
	}
	typed, err := codecs.For[[]item](New(ShareStrings(Distinct)), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := typed.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := typed.Decode(payload); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d items, %v", len(got), err)
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
