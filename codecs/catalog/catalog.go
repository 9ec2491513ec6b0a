// Package catalog finds codecs by name: the canonical names of this module
// ("kryo5", "lz4(jsonjackson)") and Java's own spellings ("Kryo5Codec",
// "org.redisson.codec.LZ4Codec(JsonJacksonCodec)").
package catalog

import (
	"errors"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/protobuf"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/codecs/smile"
)

// entry is one codec that holds no others.
type entry struct {
	name  string
	takes takes
	build func(Options) (codecs.Codec, error)
	bare  bool // it carries Go types of its own alone, so that nothing can be tried
}

// entries in the order in which they are listed.
var entries = []entry{
	{name: "kryo5", takes: takesClasses | takesReferences | takesSince | takesAllowed, build: buildKryo5},
	family("jsonjackson", jackson.JsonJackson),
	family("typedjsonjackson", jackson.TypedJsonJackson),
	family("jsonjackson3", jackson.JsonJackson3),
	family("typedjsonjackson3", jackson.TypedJsonJackson3),
	{name: "json", takes: takesMapper, build: buildJSON},
	family("msgpackjackson", msgpack.Jackson),
	family("cborjackson", cbor.Jackson),
	family("cborjackson3", cbor.Jackson3),
	family("smilejackson", smile.Jackson),
	family("smilejackson3", smile.Jackson3),
	family("ionjackson", ion.Jackson),
	family("ionjackson3", ion.Jackson3),
	withSchema("avrojackson", avro.Jackson),
	withSchema("avrojackson3", avro.Jackson3),
	{name: "protobuf", bare: true, build: plainly(func(o Options) codecs.Codec { return protobuf.New(protobuf.Limits(o.Limits)) })},
	{name: "marshalling", takes: takesClasses, build: plainly(func(o Options) codecs.Codec {
		return marshalling.New(marshalling.Limits(o.Limits), marshalling.Classes(o.Classes))
	})},
	{name: "serialization", takes: takesClasses, build: plainly(func(o Options) codecs.Codec {
		return serialization.New(serialization.Limits(o.Limits), serialization.Classes(o.Classes))
	})},
	{name: fstName, takes: takesClasses | takesSince | takesAllowed | takesHooks, build: buildFst},
	{name: "string", build: plainly(func(o Options) codecs.Codec { return codecs.String(codecs.PlainLimits(o.Limits)) })},
	{name: "long", build: plainly(func(o Options) codecs.Codec { return codecs.Long(codecs.PlainLimits(o.Limits)) })},
	{name: "integer", build: plainly(func(o Options) codecs.Codec { return codecs.Integer(codecs.PlainLimits(o.Limits)) })},
	{name: "double", build: plainly(func(o Options) codecs.Codec { return codecs.Double(codecs.PlainLimits(o.Limits)) })},
	{name: "bytearray", build: plainly(func(o Options) codecs.Codec { return codecs.ByteArray(codecs.PlainLimits(o.Limits)) })},
}

// plainly is for codecs whose mistakes Bind reports.
func plainly(f func(Options) codecs.Codec) func(Options) (codecs.Codec, error) {
	return func(o Options) (codecs.Codec, error) { return f(o), nil }
}

// family is a codec on Jackson.
func family(name string, codec func(...jackson.Option) codecs.Codec) entry {
	return entry{name: name, takes: takesClasses | takesSince | takesMapper, build: func(o Options) (codecs.Codec, error) {
		opts := []jackson.Option{jackson.Limits(o.Limits), jackson.Classes(o.Classes)}
		if o.Since != "" {
			opts = append(opts, jackson.Since(o.Since))
		}
		return mapped(codec, o, opts)
	}}
}

func buildJSON(o Options) (codecs.Codec, error) {
	return mapped(jackson.JSON, o, []jackson.Option{jackson.Limits(o.Limits)})
}

// mapped returns a codec with the mapper that its name has.
func mapped(codec func(...jackson.Option) codecs.Codec, o Options, opts []jackson.Option) (codecs.Codec, error) {
	if o.mapper != "" {
		m, err := jackson.ParseMapper(o.mapper)
		if err != nil {
			return nil, err
		}
		opts = append(opts, m)
	}
	return codec(opts...), nil
}

// withSchema is a codec whose payloads only a schema explains.
func withSchema(name string, codec func(schema string, opts ...avro.Option) codecs.Codec) entry {
	return entry{name: name, takes: takesSchema, build: func(o Options) (codecs.Codec, error) {
		if o.Schema == "" {
			return nil, errors.New("needs the Avro schema of the Java side (Schema): nothing in a payload says what it holds")
		}
		return codec(o.Schema, avro.Limits(o.Limits)), nil
	}}
}

func buildKryo5(o Options) (codecs.Codec, error) {
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
	return kryo5.New(opts...), nil
}

func buildFst(o Options) (codecs.Codec, error) {
	opts := []fst.Option{fst.Limits(o.Limits), fst.Classes(o.Classes), fst.Registered(o.Allowed...), fst.Hooks(o.Hooks...)}
	if o.Since != "" {
		opts = append(opts, fst.Version(o.Since))
	}
	return fst.New(opts...), nil
}

// Names returns the canonical names of the codecs that this release carries, apart
// from [Wrappers].
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
//
// The name "lz4(kryo5)" gives [compress.LZ4] around Kryo 5; wrappers nest up to eight
// deep. A wrapper that names no inner codec is the one that Redisson means, by
// Options.Since. "typedjsonjackson+typing=NON_FINAL" has a [jackson.Mapper] behind the
// plus. "anyof(kryo5,lz4(marshalling))" gives [codecs.AnyOf] of the codecs
// named, "composite(string,string,kryo5)" the third, which is the one that queues use.
// An option goes to those of the parts that know it, of which there must be one.
//
// The error is an [*UnknownError], which says whether the name is unknown, not
// complete, or a codec that no Go program can carry, and why; or an [*OptionError].
func FindWith(name string, opts Options) (codecs.Codec, error) {
	b, err := build(name, opts, 0, false)
	if err != nil {
		return nil, err
	}
	if unknown := opts.given() &^ b.takes; unknown != 0 {
		return nil, &OptionError{Codec: Canonical(name), Options: unknown.names()}
	}
	return b.codec, nil
}
