package kryo5

import (
	"bytes"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
)

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
			want := codectest.Must(New().Encode(list))(t)
			if got, err := typed.Encode(m); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q: %x, %v, want %x", order, got, err, want)
			}
		}
	}
}
