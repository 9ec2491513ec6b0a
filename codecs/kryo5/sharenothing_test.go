package kryo5

import (
	"bytes"
	"reflect"
	"sync"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
)

// Values that were decoded one after another share nothing, and what one of them has is
// not seen in the next.
func TestValuesShareNothing(t *testing.T) {
	t.Parallel()
	typed := typedOf[benchOrder](t, New())
	full := benchPayload(t, "order")
	want, err := typed.Decode(full)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := typed.Encode(benchOrder{})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 200 {
				first, err := typed.Decode(full)
				if err != nil || !reflect.DeepEqual(first, want) {
					t.Errorf("%+v, %v", first, err)
				}
				if payload, err := typed.Encode(first); err != nil || !bytes.Equal(payload, full) {
					t.Errorf("%x, %v", payload, err)
				}
				if n := len(full) - 1; n > 0 { // damage, half of it in the variable
					if _, err := typed.Decode(full[:n]); err == nil {
						t.Error("a payload without its last byte decodes")
					}
				}
				o, err := typed.Decode(empty)
				if err != nil || o.ID != "" || o.Discount != nil || o.Tags != nil || !o.Created.IsZero() {
					t.Errorf("%+v, %v", o, err)
				}
				if first.Discount != nil {
					*first.Discount++
				}
				first.Tags[0] = "mine"
				first.Total.Unscaled.SetInt64(1)
			}
		})
	}
	wait.Wait()
	again, err := typed.Decode(full)
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("%+v, %v", again, err)
	}
}

// Maps of up to eight entries are ordered apart from longer ones: the order is the
// same, keys of one bucket and of one hash included.
func TestSmallMapOrder(t *testing.T) {
	t.Parallel()
	typed := typedOf[map[string]any](t, New())
	keys := []string{"Aa", "BB", "orderId", "remark", "", "a", "q", "A", "Q", "键", "\U0001f511", "AaAa", "BBBB", "AaBB", "BBAa", "x1", "x2"}
	for start := range keys {
		for n := range 11 {
			m, list := map[string]any{}, &java.Map{Class: java.ClassHashMap}
			var order []string
			for i := range n {
				k := keys[(start+i*3)%len(keys)]
				m[k], order = int32(i), append(order, k)
			}
			keyorder.Strings(order)
			for _, k := range order {
				list.Entries = append(list.Entries, java.Entry{Key: k, Value: m[k]})
			}
			want, err := New().Encode(list)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := typed.Encode(m); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q: %x, %v, want %x", order, got, err, want)
			}
		}
	}
}
