package cbor_test

import (
	"bytes"
	"testing"

	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestIntegerKeys: CborJackson3Codec writes the keys of a Map<Integer, …> as integers;
// a *java.Map keeps them, a Go map has its own keys.
func TestIntegerKeys(t *testing.T) {
	type stock struct {
		Counts *java.Map         `java:"counts"`
		Lists  []*java.Map       `java:"lists"`
		Names  map[string]string `java:"names"`
		Any    any               `java:"any"`
	}
	counts := &java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{
		{Key: int32(7), Value: "a"}, {Key: int64(1) << 40, Value: "b"}, {Key: "c", Value: int32(1)},
	}}
	codec := cbor.Jackson3()
	stocks := codectest.Typed[stock](t, codec)
	payload, err := stocks.Encode(stock{Counts: counts, Lists: []*java.Map{counts}, Names: map[string]string{"8": "n"}, Any: map[string]any{"9": "z"}})
	if err != nil {
		t.Fatal(err)
	}
	// As Java has it: an integer 7 with the text "a".
	if n := bytes.Count(payload, []byte{0x07, 0x61, 'a'}); n != 2 {
		t.Errorf("%x: %d integer keys, want 2", payload, n)
	}
	s, err := stocks.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*java.Map{s.Counts, s.Lists[0]} {
		for i, e := range m.Entries {
			if e.Key != counts.Entries[i].Key {
				t.Errorf("key %d is %#v, want %#v", i, e.Key, counts.Entries[i].Key)
			}
		}
	}
	if again, err := stocks.Encode(s); err != nil || !bytes.Equal(again, payload) {
		t.Errorf("%x became %x, %v", payload, again, err)
	}
	// In a Go map the key is its text, as its type says.
	payload = bytes.ReplaceAll(payload, []byte("\x618\x61n"), []byte("\x08\x61n"))
	if s, err = stocks.Decode(payload); err != nil || s.Names["8"] != "n" {
		t.Errorf("%x: %v, %v", payload, s.Names, err)
	}
}
