package errtext

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/codecs/catalog"
)

func TestShape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		"no such order":            "no such order",
		"order 4711 not found":     "order N not found",
		"order4711: no row":        "orderN: no row",
		`no customer "Ann Smith"`:  "no customer TEXT",
		"no customer 'Ann', sorry": "no customer TEXT, sorry",
		"it doesn't work, don't":   "it doesn't work, don't",
		`unclosed "quote of 12`:    `unclosed "quote of N`,
		`a "b\"c" d`:               "a TEXT d",
		"dial tcp 10.0.0.1:6379: connect: connection refused": "dial tcp ADDRESS: connect: connection refused",
		"dial tcp [::1]:6379: i/o timeout":                    "dial tcp [ADDRESS]:N: i/o timeout",
		"lookup db-3.example.com:5432 failed":                 "lookup ADDRESS failed",
		"Get https://api.example.com/orders/7?x=1: EOF":       "Get ADDRESS: EOF",
		"mail to ann@example.com bounced":                     "mail to ADDRESS bounced",
		"trace 5b8aa5a2d2c872e8321cf37308d69df2":              "trace ID",
		"id 123e4567-e89b-12d3-a456-426614174000 is taken":    "id ID is taken",
		"timeout after 1m30s, at 2026-01-31T08:00:00Z":        "timeout after N, at N",
		"pointer 0xc000123":                                   "pointer ID",
		"java.lang.NullPointerException at Order.java:42":     "java.lang.NullPointerException at Order.java:N",
		"handler.go:17: panic":                                "handler.go:N: panic",
		"status 503\n\tretry":                                 "status N retry",
		"a\u202eb":                                            "a b",
		"deadbeef facade":                                     "deadbeef facade",
		"lz4(kryo5): 3 bytes":                                 "lz4(kryo5): N bytes",
		"-5 is less than 3.14":                                "N is less than N",
	} {
		if got := Shape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Errors of one cause have one shape, whatever numbers, ids and quoted texts they name.
func TestShapeIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		format := rapid.SampledFrom([]string{"order %d: %q at %s:%d", "%[3]s:%[4]d says %[2]q to %[1]d", "x%d %q, [%s:%d]"}).Draw(rt, "format")
		draw := func(label string) string {
			return fmt.Sprintf(format, rapid.Int64().Draw(rt, label), rapid.StringMatching(`[a-z "\\]{0,20}`).Draw(rt, label),
				rapid.StringMatching(`[a-z]{3,8}\.(com|org)`).Draw(rt, label), rapid.Uint16().Draw(rt, label))
		}
		a, b := draw("a"), draw("b")
		if strings.Contains(a, "x-") != strings.Contains(b, "x-") {
			return // the sign is not part of the number there
		}
		if Shape(a) != Shape(b) {
			rt.Fatalf("%q of %q, %q of %q", Shape(a), a, Shape(b), b)
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-f0-9"' :./@x-]{0,80}`)).Draw(rt, "text")
		s := Shape(text)
		if !utf8.ValidString(s) || len(s) > 3*maxShape || strings.ContainsAny(s, "\n\u202e\x1b") {
			rt.Fatalf("%q", s)
		}
	})
}

// The name of a codec is a word, whatever digits it holds.
func TestShapeKeepsNamesOfCodecs(t *testing.T) {
	t.Parallel()
	for _, name := range catalog.Names() {
		if got := Shape(name + ": no"); got != name+": no" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
