package codecs_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/codecs"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                          "",
		"plain text, \\n and \"q\"": "plain text, \\n and \"q\"",
		"Größe 订单 🙂":                "Größe 订单 🙂",
		"a\nb\r\tc":                 `a\nb\r\tc`,
		"\x1b[2J\x00\x7f\u009b":     `\x1b[2J\x00\x7f\u009b`,
		"\u202egnp.exe\u2028":       `\u202egnp.exe\u2028`,
		"\xff\xfe ok":               `\xff\xfe ok`,
	} {
		if got := codecs.Printable(in, 100); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	if got := codecs.Printable(strings.Repeat("订", 1<<20), 10); got != "订订订… (3145728 bytes)" {
		t.Errorf("cut: %s", got)
	}
	if got := codecs.PrintableLines("a\n\tb\x1b", 100); got != "a\n\tb\\x1b" {
		t.Errorf("lines: %q", got)
	}
}

func TestPrintableOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		most := rapid.IntRange(1, 64).Draw(t, "most")
		got := codecs.Printable(s, most)
		if len(got) > most+40 || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !strconv.IsGraphic(r) }) {
			t.Fatalf("%q: %q", s, got)
		}
		if whole := codecs.Printable(s, 1<<20); codecs.Printable(whole, 1<<20) != whole {
			t.Fatalf("not the same again: %q", whole)
		}
	})
}
