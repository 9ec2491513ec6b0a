package marshalling

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/view"
)

// TestLeadBytes reads the forms that no sample of Java has: those that only old
// libraries or other settings write.
func TestLeadBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ label, payload, view string }{
		{"cleared tables", "04 36 37 3d", `""`},
		{"old HashSet", "04 53 01 5e 50", `{"class":"java.util.HashSet","value":[true]}`},
		{"old LinkedHashSet", "04 53 01 5f 50", `{"class":"java.util.LinkedHashSet","value":[true]}`},
		{"old TreeSet", "04 53 01 60 01 50", `{"class":"java.util.TreeSet","value":[true]}`},
		{"old TreeSet in reverse", "04 53 01 60 79 50", `{"class":"java.util.TreeSet","value":[true],"comparator":{"class":"java.util.Collections$ReverseComparator","value":{}}}`},
		{"old HashMap", "04 53 01 64 3e016b 3e0176", `{"class":"java.util.HashMap","value":{"k":"v"}}`},
		{"old Hashtable", "04 53 01 65 3e016b 3e0176", `{"class":"java.util.Hashtable","value":{"k":"v"}}`},
		{"old LinkedHashMap", "04 53 01 66 3e016b 3e0176", `{"class":"java.util.LinkedHashMap","value":{"k":"v"}}`},
		{"old TreeMap", "04 53 01 67 01 3e016b 3e0176", `{"class":"java.util.TreeMap","value":{"k":"v"}}`},
		{"old map with its own key", "04 53 01 64 3e016b 39ff", `{"class":"java.util.HashMap","value":{"k":"k"}}`},
		{"pair", "04 77 50 51", `{"class":"org.jboss.marshalling.Pair","value":{"a":true,"b":false}}`},
		{"reverse order", "04 79", `{"class":"java.util.Collections$ReverseComparator","value":{}}`},
		{"reverse order of a comparator", "04 7a 79", `{"class":"java.util.Collections$ReverseComparator2","value":{"cmp":{"class":"java.util.Collections$ReverseComparator","value":{}}}}`},
		{"array in two bytes", "04 43 0001 21 07", `{"class":"[B","value":"Bw=="}`},
		{"array in four bytes", "04 44 00000001 21 07", `{"class":"[B","value":"Bw=="}`},
		{"list in two bytes", "04 54 0001 5a 50", `{"class":"java.util.ArrayList","value":[true]}`},
		{"list in four bytes", "04 55 00000001 5a 50", `{"class":"java.util.ArrayList","value":[true]}`},
		{"string in four bytes", "04 40 00000001 61", `"a"`},
		{"far references", "04 53 03 5a 3e0161 02 00000001 3a ffff", `{"class":"java.util.ArrayList","value":["a","a","a"]}`},
		{"unshared list", "04 57 01 5a 50", `{"class":"java.util.ArrayList","value":[true]}`},
		{"unshared array", "04 46 01 16 50", `{"class":"[Ljava.lang.Object;","value":[true]}`},
		{"unshared primitives", "04 46 01 21 07", `{"class":"[B","value":"Bw=="}`},
		{"unshared object", "04 05 0a 0000000d6a6176612e74696d652e536572 955d84ba1b2248b2 32 05 0b 000007e8 35", `{"class":"java.time.Year","value":"2024"}`},
		{"copies in two bytes", "04 54 0002 7b 50", `{"class":"java.util.Collections$CopiesList","value":[true,true]}`},
		{"singleton map", "04 68 50 51", `{"class":"java.util.Collections$SingletonMap","value":[[true,false]]}`},
		{"unmodifiable sorted set", "04 80 53 01 60 01 50", `{"class":"java.util.Collections$UnmodifiableSortedSet","value":[true]}`},
		{"text of U+0000 as one byte", "04 3e 01 00", `"\u0000"`},
		{"class of a class", "04 04 15 15", `{"class":"java.lang.Class","value":"java.lang.Class"}`},
		{"class void", "04 28", `{"class":"java.lang.Class","value":"void"}`},
		{"class nCopies", "04 7b", `{"class":"java.lang.Class","value":"java.util.Collections$CopiesList"}`},
		{"protocol 2", "02 3e 01 61", `"a"`},
	} {
		v, err := New().Decode(codectest.FromHex(t, c.payload))
		if err != nil {
			t.Errorf("%s: %v", c.label, err)
			continue
		}
		if view := string(view.Of(v)); view != c.view {
			t.Errorf("%s: %s, want %s", c.label, view, c.view)
		}
		if out, err := New().Encode(v); err != nil {
			t.Errorf("%s: not written: %v", c.label, err)
		} else if _, err = New().Decode(out); err != nil {
			t.Errorf("%s: written as %x, which is not read: %v", c.label, out, err)
		}
	}
}

// TestUnknownLeadBytes gives every byte that begins no object a chance to be
// taken for one: enough nulls follow for any form.
func TestUnknownLeadBytes(t *testing.T) {
	t.Parallel()
	unknown := []byte{0x00, 0x06, 0x0a, 0x13, 0x38, 0x3b, 0x3c, 0x78}
	for lead := idLast + 1; lead <= 0xff; lead++ {
		unknown = append(unknown, byte(lead))
	}
	for _, lead := range unknown {
		for nulls := range 4 {
			payload := append([]byte{4, lead}, bytes.Repeat([]byte{idNull}, nulls)...)
			if v, err := New().Decode(payload); err == nil || !strings.Contains(err.Error(), "begins no object") {
				t.Errorf("%x: %v, %v", payload, v, err)
			}
		}
	}
}

// bigValues are the samples too large to keep.
func bigValues() map[string]any {
	first := "first"
	list := []any{first}
	for i := range 66000 {
		list = append(list, "s"+strconv.Itoa(i))
	}
	return map[string]any{
		"big: list of 70000 nulls": make([]any, 70000),
		"big: list of 65536 nulls": make([]any, 65536),
		"big: text of 65537":       strings.Repeat("中", 65537),
		"big: far references":      append(list, first),
		"big: bytes":               []any{make([]byte, 65536), make([]byte, 65537), make([]byte, 257), make([]byte, 256)},
	}
}

// TestBig compares large payloads with Java's by their hashes.
func TestBig(t *testing.T) {
	t.Parallel()
	values := bigValues()
	for _, f := range codectest.Rows(t, "testdata/big.tsv") {
		payload, err := New().Encode(values[f[0]])
		if sum := sha256.Sum256(payload); err != nil || strconv.Itoa(len(payload)) != f[1] || hex.EncodeToString(sum[:]) != f[2] {
			t.Errorf("%s: %d bytes with hash %x, %v; Java wrote %s with %s", f[0], len(payload), sum, err, f[1], f[2])
		}
		v, err := New().Decode(payload)
		if err != nil {
			t.Errorf("%s: %v", f[0], err)
			continue
		}
		if again, err := New().Encode(v); err != nil || string(again) != string(payload) {
			t.Errorf("%s: decoded and written again it has %d bytes, %v", f[0], len(again), err)
		}
		delete(values, f[0])
	}
	if len(values) > 0 {
		t.Errorf("Java wrote none of %d samples", len(values))
	}
}
