package fst

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/java"
)

// maxCombinations bounds how often a payload is read.
const maxCombinations = 16

// catalogs returns one catalog per combination of the variants in set, that of
// all first variants first.
func (c *Codec) catalogs(set *java.Classes) ([]*catalog, error) {
	set, err := set.WithKnown()
	if err != nil {
		return nil, err
	}
	var names []string // with several variants
	combinations := 1
	seen := map[string]bool{}
	for desc := range set.All() {
		if n := len(set.Variants(desc.Name)); n > 1 && !seen[desc.Name] {
			seen[desc.Name] = true
			names = append(names, desc.Name)
			combinations = min(combinations*n, maxCombinations+1)
		}
	}
	if combinations > maxCombinations {
		return nil, fmt.Errorf("%d classes with several descriptors make more than %d combinations: give fewer variants", len(names), maxCombinations)
	}
	out := make([]*catalog, 0, combinations)
	for n := range combinations {
		chosen := map[string]*java.Class{}
		for _, name := range names {
			variants := set.Variants(name)
			chosen[name] = variants[n%len(variants)]
			n /= len(variants)
		}
		out = append(out, newCatalog(&c.settings, pick(set, chosen), described(set)))
	}
	return out, nil
}

// pick finds descriptors: the chosen variant, or the only one.
func pick(set *java.Classes, chosen map[string]*java.Class) func(name string) *java.Class {
	return func(name string) *java.Class {
		if desc := chosen[name]; desc != nil {
			return desc
		}
		return set.Find(name)
	}
}

// described lists the names to build classes of.
func described(set *java.Classes) []string {
	var names []string
	for desc := range set.All() {
		names = append(names, desc.Name)
		for _, constant := range desc.Constants {
			if constant.Body != "" {
				names = append(names, constant.Body)
			}
		}
	}
	return names
}
