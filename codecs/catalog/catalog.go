// Package catalog finds codecs by name: the canonical names of this module
// ("kryo5", "jsonjackson") and Java's own spellings ("Kryo5Codec",
// "org.redisson.codec.Kryo5Codec").
package catalog

import (
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/serialization"
)

// entry is one codec that this release carries.
type entry struct {
	name  string
	build func(codecs.Limits) codecs.Codec
}

// entries in the order in which they are listed.
var entries = []entry{
	{"kryo5", func(l codecs.Limits) codecs.Codec { return kryo5.New(kryo5.Limits(l)) }},
	{"jsonjackson", func(l codecs.Limits) codecs.Codec { return jackson.JsonJackson(jackson.Limits(l)) }},
	{"marshalling", func(l codecs.Limits) codecs.Codec { return marshalling.New(marshalling.Limits(l)) }},
	{"serialization", func(l codecs.Limits) codecs.Codec { return serialization.New(serialization.Limits(l)) }},
	{"fst", func(l codecs.Limits) codecs.Codec { return fst.New(fst.Limits(l)) }},
	{"string", func(l codecs.Limits) codecs.Codec { return codecs.String(codecs.PlainLimits(l)) }},
	{"long", func(l codecs.Limits) codecs.Codec { return codecs.Long(codecs.PlainLimits(l)) }},
	{"integer", func(l codecs.Limits) codecs.Codec { return codecs.Integer(codecs.PlainLimits(l)) }},
	{"double", func(l codecs.Limits) codecs.Codec { return codecs.Double(codecs.PlainLimits(l)) }},
	{"bytearray", func(l codecs.Limits) codecs.Codec { return codecs.ByteArray(codecs.PlainLimits(l)) }},
}

// Names returns the canonical names of the codecs that this release carries.
func Names() []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	return names
}

// Find returns the codec of that name with its defaults. See [FindWith].
func Find(name string) (codecs.Codec, error) { return FindWith(name, codecs.Limits{}) }

// FindWith returns the codec of that name with the given limits, zero fields of
// which stand for the defaults. Case does not matter. The error is an
// [*UnknownError], which says whether the name is unknown, not carried in this
// release, or a codec that no Go program can carry, and why. The name
// "anyof(kryo5,marshalling)" gives [codecs.AnyOf] of the codecs named.
func FindWith(name string, limits codecs.Limits) (codecs.Codec, error) {
	if names, ok := alternatives(name); ok {
		return findAnyOf(names, limits)
	}
	canonical := Canonical(name)
	for _, e := range entries {
		if e.name == canonical {
			return e.build(limits), nil
		}
	}
	return nil, refuse(name, canonical)
}

// Canonical returns the canonical spelling of a codec name: lower case, without
// package and "Codec", wrappers as lz4(kryo5), lists as anyof(kryo5,marshalling).
// It does not say whether there is
// such a codec.
func Canonical(name string) string {
	if names, ok := alternatives(name); ok {
		return canonicalAnyOf(names)
	}
	name = strings.ToLower(strings.TrimSpace(name))
	outer, inner, wrapped := strings.Cut(name, "(")
	if wrapped {
		inner, wrapped = strings.CutSuffix(inner, ")")
	}
	outer = strip(outer)
	if !wrapped {
		return outer
	}
	return outer + "(" + Canonical(inner) + ")"
}

// strip takes the package and "Codec" off a lower-case class name. The V2 of
// SnappyCodecV2 stays.
func strip(name string) string {
	name = strings.TrimSpace(name)
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	if before, version, ok := strings.Cut(name, "codec"); ok && before != "" && (version == "" || version == "v2") {
		return before + version
	}
	return name
}
