package wire

import (
	"strings"
	"testing"
)

func TestMapping(t *testing.T) {
	t.Parallel()
	affixes := Affixes("prod:", ":v1")
	braces := Mapping{
		To:   func(name string) string { return "{" + name + "}" },
		From: func(raw string) string { return strings.Trim(raw, "{}") },
	}
	lower := Mapping{To: strings.ToLower, From: strings.ToUpper}
	for _, of := range []struct {
		name string
		Mapping
		raw, own string // own "": none
	}{
		{"affixes", affixes, "prod:ORDERS:v1", "ORDERS"},
		{"affixes, another prefix", affixes, "test:ORDERS:v1", ""},
		{"affixes, nothing between", affixes, "prod::v1", ""},
		{"affixes that overlap", Affixes("a:", ":b"), "a:b", ""},
		{"affixes, a partition", affixes, "prod:ORDERS:{ORDERS.1.4}:v1", "ORDERS:{ORDERS.1.4}"},
		{"no affixes", Affixes("", ""), "ORDERS", "ORDERS"},
		{"no name", Affixes("", ""), "", ""},
		{"braces, as searches name it", braces, "ORDERS", "ORDERS"},
		{"braces", braces, "{ORDERS}", "ORDERS"},
		{"lower case", lower, "orders", "ORDERS"},
		{"lower case cannot give it", lower, "Orders", ""},
	} {
		if own, ok := of.Own(of.raw); own != of.own || ok != (of.own != "") {
			t.Errorf("%s: %q is %q %v, want %q", of.name, of.raw, own, ok, of.own)
		}
	}
}
