package catalog

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

const anyOf = "anyof"

// alternatives returns the names within anyof(…), and whether name is of that form.
func alternatives(name string) ([]string, bool) {
	name = strings.TrimSpace(name)
	if len(name) <= len(anyOf) || !strings.EqualFold(name[:len(anyOf)], anyOf) {
		return nil, false
	}
	inner, ok := strings.CutPrefix(strings.TrimSpace(name[len(anyOf):]), "(")
	if !ok {
		return nil, false
	}
	if inner, ok = strings.CutSuffix(inner, ")"); !ok {
		return nil, false
	}
	return splitList(inner), true
}

// splitList splits at commas outside parentheses.
func splitList(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

// canonicalAnyOf is Canonical for anyof(…).
func canonicalAnyOf(names []string) string {
	out := slices.Clone(names)
	for i, name := range out {
		out[i] = Canonical(name)
	}
	return anyOf + "(" + strings.Join(out, ",") + ")"
}

// findAnyOf builds a list of codecs. A list with a codec that accepts any bytes
// is one that prefers its first codecs, because nothing else is possible.
func findAnyOf(names []string, opts Options) (codecs.Codec, error) {
	var list []codecs.Codec
	var known takes
	greedy := false
	for _, name := range names {
		e, err := find(name)
		if err != nil {
			return nil, err
		}
		known = known.or(e.takes)
		c, err := checked(e.build(opts.only(e.takes)))
		if err != nil {
			return nil, err
		}
		greedy = greedy || c.Name() == "string" || c.Name() == "bytearray"
		list = append(list, c)
	}
	if unknown := opts.given().without(known); len(unknown) > 0 {
		return nil, &OptionError{Codec: canonicalAnyOf(names), Options: unknown}
	}
	found := codecs.AnyOf(list[0], list[1:]...)
	if greedy {
		found = found.PreferFirst()
	}
	return checked(found)
}
