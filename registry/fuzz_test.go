package registry_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/duequeue/duequeue/registry"
)

// Define never panics, and what it accepts keeps the rules.
func FuzzDefine(f *testing.F) {
	for _, s := range [][4]string{
		{"ORDER_PAYMENT_TIMEOUT", "unpaid: cancel", "", "com.example.Order"},
		{"{order}:timeout", "", "order", "Order$Item"},
		{"", " ", "\x00", ""},
		{"订单", "订单超时", "q{", "[La.B;"},
		{"a\xff", "\u2028", "{}", "a..b"},
	} {
		f.Add(s[0], s[1], s[2], s[3])
	}
	f.Fuzz(func(t *testing.T, code, title, key, class string) {
		q := registry.Define[Order](code, title, registry.Codec(fake), registry.Key(key), registry.JavaClass[Money](class))
		twin := registry.Define[Order]("twin of "+code, "", registry.Codec(fake), registry.Key("{"+key+"}"))
		if err := registry.Validate(q, q, twin); err == nil {
			t.Fatal("a queue listed twice was accepted")
		}
		if q.Err() != nil {
			return
		}
		for _, name := range []string{q.Code(), q.Title(), q.Key()} {
			if name == "" || len(name) > 512 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.TrimSpace(name) != name {
				t.Errorf("accepted %q", name)
			}
		}
		if strings.ContainsAny(class, " /;[]") || strings.HasPrefix(class, ".") || strings.HasSuffix(class, ".") {
			t.Errorf("accepted class %q", class)
		}
	})
}
