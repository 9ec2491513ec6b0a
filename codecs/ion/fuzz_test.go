package ion

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// FuzzText: every text is written as ASCII, and read again as it was, as a string,
// a name, an annotation and a symbol.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", "$1", "$", "null", "é中😀", "'\"\\", "\x00\x07\x1f\x7f\u0080ÿĀ", "\xed\xa0\x80", "\xff", "a b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		payload, err := Jackson().Encode(&java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: s, Value: s}}})
		if err != nil {
			if strings.ToValidUTF8(s, "") == s {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		for _, c := range payload {
			if c < ' ' || c > '~' {
				t.Fatalf("%q has byte %#x", payload, c)
			}
		}
		v, err := Jackson().Decode(payload)
		m, ok := v.(*java.Map)
		if err != nil || !ok || len(m.Entries) != 1 || m.Entries[0].Key != s || m.Entries[0].Value != s {
			t.Fatalf("%q became %s, then %s, %v", s, payload, view.Of(v), err)
		}
	})
}
