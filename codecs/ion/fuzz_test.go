package ion

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// hostile are the limits under which hostile payloads are tried.
var hostile = codecs.Limits{Elements: 1 << 12, Depth: 64}

func FuzzDecode(f *testing.F) {
	for _, codec := range []string{"IonJacksonCodec", "IonJackson3Codec"} {
		for _, r := range rows(f, "4.7.0", codec) {
			if len(r.payload) < 4000 {
				f.Add(r.payload)
			}
		}
	}
	content, err := os.ReadFile("testdata/tokens.tsv")
	if err != nil {
		f.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		cell, _, _ := strings.Cut(lines.Text(), "\t")
		payload, _ := hex.DecodeString(cell)
		f.Add(payload)
	}
	f.Add(bytes.Repeat([]byte("["), 5000))
	all := []codecs.Codec{Jackson(jackson.Limits(hostile)), Jackson(jackson.Limits(hostile), jackson.Since("4.7.0")), Jackson3(jackson.Limits(hostile))}
	maps, err := codecs.For[map[string]any](all[0], codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, codec := range all {
			checkAllocations(t, codec, payload)
			codectest.Stable(t, codec, payload)
		}
		if m, err := maps.Decode(payload); err == nil {
			if _, err := maps.Encode(m); err != nil {
				var e *codecs.EncodeError
				if !errors.As(err, &e) {
					t.Fatalf("%q: %v", payload, err)
				}
			}
		}
	})
}

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
			t.Fatalf("%q became %s, then %s, %v", s, payload, java.View(v), err)
		}
	})
}
