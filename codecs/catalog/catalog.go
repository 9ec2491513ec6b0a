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
	takes takes
	build func(Options) codecs.Codec
}

// entries in the order in which they are listed.
var entries = []entry{
	{"kryo5", takes{classes: true, references: true, since: true, allowed: true}, buildKryo5},
	{"jsonjackson", takes{}, func(o Options) codecs.Codec { return jackson.JsonJackson(jackson.Limits(o.Limits)) }},
	{"marshalling", takes{classes: true}, func(o Options) codecs.Codec {
		return marshalling.New(marshalling.Limits(o.Limits), marshalling.Classes(o.Classes))
	}},
	{"serialization", takes{classes: true}, func(o Options) codecs.Codec {
		return serialization.New(serialization.Limits(o.Limits), serialization.Classes(o.Classes))
	}},
	{"fst", takes{classes: true, since: true, allowed: true, hooks: true}, buildFst},
	{"string", takes{}, func(o Options) codecs.Codec { return codecs.String(codecs.PlainLimits(o.Limits)) }},
	{"long", takes{}, func(o Options) codecs.Codec { return codecs.Long(codecs.PlainLimits(o.Limits)) }},
	{"integer", takes{}, func(o Options) codecs.Codec { return codecs.Integer(codecs.PlainLimits(o.Limits)) }},
	{"double", takes{}, func(o Options) codecs.Codec { return codecs.Double(codecs.PlainLimits(o.Limits)) }},
	{"bytearray", takes{}, func(o Options) codecs.Codec { return codecs.ByteArray(codecs.PlainLimits(o.Limits)) }},
}

func buildKryo5(o Options) codecs.Codec {
	opts := []kryo5.Option{kryo5.Limits(o.Limits), kryo5.Classes(o.Classes)}
	if o.References {
		opts = append(opts, kryo5.References())
	}
	if o.Since != "" {
		opts = append(opts, kryo5.Since(o.Since))
	}
	switch {
	case len(o.Allowed) > 0 && o.unsorted():
		opts = append(opts, kryo5.AllowedClassesInOrder(o.Allowed...))
	case len(o.Allowed) > 0:
		opts = append(opts, kryo5.AllowedClasses(o.Allowed...))
	}
	return kryo5.New(opts...)
}

func buildFst(o Options) codecs.Codec {
	opts := []fst.Option{fst.Limits(o.Limits), fst.Classes(o.Classes), fst.Registered(o.Allowed...), fst.Hooks(o.Hooks...)}
	if o.Since != "" {
		opts = append(opts, fst.Version(o.Since))
	}
	return fst.New(opts...)
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
func Find(name string) (codecs.Codec, error) { return FindWith(name, Options{}) }

// FindWith returns the codec of that name with options. Case does not matter.
// The error is an [*UnknownError], which says whether the name is unknown, not
// carried in this release, or a codec that no Go program can carry, and why; or an
// [*OptionError]. The name "anyof(kryo5,marshalling)" gives [codecs.AnyOf] of the
// codecs named; an option goes to those that know it, of which there must be one.
func FindWith(name string, opts Options) (codecs.Codec, error) {
	if names, ok := alternatives(name); ok {
		return findAnyOf(names, opts)
	}
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	if unknown := opts.given().without(e.takes); len(unknown) > 0 {
		return nil, &OptionError{Codec: e.name, Options: unknown}
	}
	return checked(e.build(opts))
}

// find returns the entry of a name that is no list.
func find(name string) (entry, error) {
	canonical := Canonical(name)
	for _, e := range entries {
		if e.name == canonical {
			return e, nil
		}
	}
	return entry{}, refuse(name, canonical)
}

// Canonical returns the canonical spelling of a codec name: lower case, without
// package and "Codec", wrappers as lz4(kryo5), lists as anyof(kryo5,marshalling).
// It does not say whether there is such a codec.
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
