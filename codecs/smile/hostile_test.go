package smile_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/smile"
)

// hostile are the limits under which hostile payloads are tried.
var hostile = codecs.Limits{Elements: 1 << 12, Depth: 64}

// TestHostile: what is meant to hurt is an error, quickly, and takes no more memory than
// its bytes justify.
func TestHostile(t *testing.T) {
	many := strings.Repeat
	long := "34" + many("61", 100_000) + "fc"
	for name, text := range map[string]string{
		"lists 100,000 deep":           many("f8", 100_000),
		"objects 100,000 deep":         "fa20" + many("fa20", 100_000),
		"wrappers 100,000 deep":        many("f8536a6176612e6d6174682e426967496e7465676572", 100_000),
		"bytes of 2^31":                "e8 1f7f7f7fbf 00",
		"bytes of 2^34":                "e8 7f7f7f7fbf 00",
		"raw bytes of 2^31":            "fd 1f7f7f7fbf 00",
		"raw bytes of 2^31-1":          "fd 0f7f7f7fbf 00",
		"bytes of 2^31-1":              "e8 0f7f7f7fbf 00",
		"big integer of 2^31-1":        "26 0f7f7f7fbf 00",
		"big decimal of 2^31-1":        "2a 80 0f7f7f7fbf 00",
		"scale of 2^31":                "2a 1f7f7f7fbf 8101 01",
		"big integer of 1,001 bytes":   "26 0fa9" + many("00", 1144),
		"string without an end":        "e0" + many("61", 100_000),
		"name without an end":          "fa34" + many("61", 100_000),
		"100,000 nulls":                "f8" + many("21", 100_000) + "f9",
		"100,000 members of one name":  "fa" + many("20c0", 100_000) + "fb",
		"one long name, again & again": "f8 fa" + long + "c0 fb" + many("fa40c0fb", 2000) + "f9",
		"one string, again and again":  "3a290a02 f8 7f" + many("61", 64) + many("01", 100_000) + "f9",
		"lists without an end":         many("f8f9", 100_000),
	} {
		text = strings.ReplaceAll(text, " ", "")
		if name == "lists without an end" {
			text = "f8" + text
		}
		payload := unhex(t, text)
		for codec, c := range readers(hostile) {
			checkAllocations(t, c, payload)
			_, err := c.Decode(payload)
			var e *codecs.DecodeError
			if !errors.As(err, &e) || e.Codec != codec {
				t.Errorf("%s %s: %v", codec, name, err)
			}
		}
	}
}

// checkAllocations decodes payload and holds the memory that takes to what its
// bytes justify.
func checkAllocations(tb testing.TB, c codecs.Codec, payload []byte) {
	tb.Helper()
	codectest.Allocates(tb, payload, func() { _, _ = c.Decode(payload) })
}

// TestTruncation: a payload that ends too early is an error.
func TestTruncation(t *testing.T) {
	for _, row := range golden(t) {
		payload := unhex(t, row[4])
		if row[0] != "4.7.0" || len(payload) > 2000 {
			continue
		}
		c := readers(codecs.Limits{})[strings.ToLower(strings.TrimSuffix(row[1], "Codec"))]
		for n := range codectest.Places(len(payload)) {
			if _, err := c.Decode(payload[:n:n]); err == nil {
				t.Fatalf("%s: the first %d bytes of %x are a value", row[3], n, payload)
			}
		}
	}
}

// TestLongNamesAgain: a payload of a size that occurs may repeat long names.
func TestLongNamesAgain(t *testing.T) {
	name := strings.Repeat("long", 25)
	list := make([]any, 10_000)
	for i := range list {
		list[i] = map[string]any{name: int32(i)}
	}
	for codec, c := range readers(codecs.Limits{}) {
		payload, err := c.Encode(list)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(payload, []byte(name)); n != 1 {
			t.Errorf("%s: the name stands there %d times", codec, n)
		}
		if _, err := c.Decode(payload); err != nil {
			t.Errorf("%s: %v", codec, err)
		}
	}
}

// TestManyNames: the table of names does not slow down, and names beyond 1,024 are
// found again as Jackson numbers them.
func TestManyNames(t *testing.T) {
	m := map[string]any{}
	for i := range 20_000 {
		m[fmt.Sprintf("%x", i)] = nil
	}
	for codec, c := range readers(codecs.Limits{}) {
		if codec == smile.Name {
			for k := range m { // it writes no nulls
				m[k] = true
			}
		}
		payload, err := c.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.Decode(payload)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := c.Encode(v); err != nil || !bytes.Equal(again, payload) {
			t.Errorf("%s: other bytes, %v", codec, err)
		}
	}
}
