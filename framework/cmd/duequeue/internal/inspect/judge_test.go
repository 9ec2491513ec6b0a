package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
)

func encoded(t *testing.T, c codecs.Codec, values ...any) (bodies [][]byte) {
	t.Helper()
	for _, v := range values {
		body, err := c.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// The codec is found that wrote the payloads, also where others could read some of them, and
// where two wrote.
func TestJudge(t *testing.T) {
	t.Parallel()
	order := map[string]any{"orderId": "4711", "cents": int32(1999)}
	for _, of := range []struct {
		name   string
		bodies [][]byte
		given  string
		want   []string // codec, read of how many, of which class
	}{
		{"kryo5", encoded(t, kryo5.New(), order, order), "", []string{"kryo5 2/2 java.util.HashMap"}},
		{"jackson", encoded(t, jackson.JsonJackson(), order), "", []string{"jsonjackson 1/1 java.util.HashMap"}},
		{"marshalling", encoded(t, marshalling.New(), order), "", []string{"marshalling 1/1 java.util.HashMap"}},
		{"texts of kryo5, that look like others", encoded(t, kryo5.New(), "order-4711", "order-4712", "x"), "", []string{"kryo5 3/3 java.lang.String"}},
		{"text", encoded(t, codecs.String(), "order-4711", "Bestellung 4712 für Köln"), "", []string{"string 2/2 java.lang.String"}},
		{
			"two codecs", slices.Concat(encoded(t, kryo5.New(), order, order, order), encoded(t, marshalling.New(), order)), "",
			[]string{"kryo5 3/4 java.util.HashMap", "marshalling 1/1 java.util.HashMap"},
		},
		{"one that nothing reads", append(encoded(t, kryo5.New(), order), []byte{0xff, 0xfe, 0xfd}), "kryo5", []string{"kryo5 1/2 java.util.HashMap"}},
		{"a codec that is named", encoded(t, kryo5.New(), "order-4711"), "string", []string{"string 1/1 java.lang.String"}},
		{"next to what no codec reads", append(encoded(t, kryo5.New(), order), []byte{0xff, 0xfe, 0xfd}), "", []string{"kryo5 1/2 java.util.HashMap", " 0/1 "}},
		{"nothing", nil, "", nil},
	} {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			all, err := judge(of.bodies, of.given, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range all {
				class := ""
				if len(v.Classes) > 0 {
					class = v.Classes[0].Class
				}
				got = append(got, fmt.Sprintf("%s %d/%d %s", v.Codec, v.Read, v.Of, class))
			}
			if !slices.Equal(got, of.want) {
				t.Errorf("%q, want %q: %+v", got, of.want, all)
			}
		})
	}
	if _, err := judge(encoded(t, codecs.String(), "x"), "nonsense", nil); err == nil {
		t.Error("an unknown codec is taken")
	}
}

// A codec is not proven where it writes another form than it reads, and where the values do not
// tell: following such a declaration would lose Java's messages.
func TestNotProven(t *testing.T) {
	t.Parallel()
	wrapped := [][]byte{[]byte(`["demo.Order",{"id":5,"amount":["java.math.BigDecimal",1.50]}]`)}
	for _, of := range []struct {
		name             string
		bodies           [][]byte
		given            string
		confidence, form string
		declared         bool
	}{
		{"beans", encoded(t, jackson.JsonJackson(), map[string]any{"a": "b"}), "", "strong", "", true},
		{"other default typing", wrapped, "", "strong", "", true},
		{"other default typing, by Redisson's", wrapped, "jsonjackson", unproven, `the payload is ["demo.Order",{…}], and this program writes {"@class":"demo.Order",…}`, false},
		{"texts", encoded(t, jackson.JsonJackson(), "order-4711"), "", unproven, "", true},
		{"a list of longs", encoded(t, jackson.JsonJackson(), []any{int64(5)}), "", unproven, "", true},
		{"kryo5", encoded(t, kryo5.New(), map[string]any{"a": "b"}), "", "strong", "", true},
		{"no classes, by settings", [][]byte{[]byte(`{"id":"5"}`)}, "typedjsonjackson+longastext=TRUE", "", "", true},
		{"a class in another property", [][]byte{[]byte(`{"kind":"java.util.HashMap","id":5}`)}, "typedjsonjackson", unproven, `the payload is {"kind":"java.util.HashMap",…}, and this program writes no class`, false},
		{"texts of JSON", encoded(t, kryo5.New(), `{"orderNumber":4711}`), "", "fair", "", true},
	} {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			all, err := judge(of.bodies, of.given, nil)
			if err != nil || len(all) != 1 {
				t.Fatalf("%+v %v", all, err)
			}
			if v := all[0]; v.Confidence != of.confidence || v.Form != of.form {
				t.Errorf("%+v", v)
			}
			r := &report{Queue: "ORDER", Codecs: all}
			(&inspector{}).declareAll([]*report{r})
			if r.note(""); (r.Declare != "") != of.declared || of.declared == slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "do not offer") }) {
				t.Errorf("%q %q", r.Declare, r.Notes)
			}
		})
	}
}
