package redissonconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/duequeue/duequeue/framework/internal/config"
)

// goCodec is what a Go program declares its queues with.
type goCodec struct {
	call  string // without options: kryo5.New
	name  string // on the command line
	since bool   // it takes Since(release)
}

// goCodecs by the class of Java, without package and "Codec".
var goCodecs = map[string]goCodec{
	"Kryo5":             {"kryo5.New", "kryo5", true},
	"Marshalling":       {"marshalling.New", "marshalling", false},
	"Fst":               {"fst.New", "fst", false},
	"JsonJackson":       {"jackson.JsonJackson", "jsonjackson", true},
	"TypedJsonJackson":  {"jackson.TypedJsonJackson", "typedjsonjackson", true},
	"JsonJackson3":      {"jackson.JsonJackson3", "jsonjackson3", true},
	"TypedJsonJackson3": {"jackson.TypedJsonJackson3", "typedjsonjackson3", true},
	"MsgPackJackson":    {"msgpack.Jackson", "msgpackjackson", true},
	"CborJackson":       {"cbor.Jackson", "cborjackson", true},
	"CborJackson3":      {"cbor.Jackson3", "cborjackson3", true},
	"SmileJackson":      {"smile.Jackson", "smilejackson", true},
	"SmileJackson3":     {"smile.Jackson3", "smilejackson3", true},
	"IonJackson":        {"ion.Jackson", "ionjackson", true},
	"IonJackson3":       {"ion.Jackson3", "ionjackson3", true},
	"Protobuf":          {"protobuf.New", "protobuf", false},
	"Serialization":     {"serialization.New", "serialization", false},
	"String":            {"codecs.String", "string", false},
	"Long":              {"codecs.Long", "long", false},
	"Integer":           {"codecs.Integer", "integer", false},
	"Double":            {"codecs.Double", "double", false},
	"ByteArray":         {"codecs.ByteArray", "bytearray", false},
}

// wrappers compress what another codec writes: in a file, the one that Redisson means.
var wrappers = map[string]goCodec{
	"LZ4": {"compress.LZ4", "lz4", true}, "LZ4CodecV2": {"compress.LZ4V2", "lz4v2", true},
	"Snappy": {"compress.Snappy", "snappy", true}, "SnappyCodecV2": {"compress.SnappyV2", "snappyv2", true},
	"ZStd": {"compress.ZStd", "zstd", true},
}

// defaults are Redisson's default codecs, newest first, each with the release that brought it.
var defaults = []struct {
	since release
	class string
}{{release{3, 19, 0}, "Kryo5"}, {release{3, 13, 0}, "Marshalling"}, {release{3, 10, 0}, "Fst"}, {release{3, 8, 0}, "JsonJackson"}}

// declare is how a program declares a queue's codec.
func declare(call, name string, options ...string) string {
	return fmt.Sprintf("it belongs to the declaration of each queue: registry.Codec(%s(%s)); on the command line -codec %s", call, strings.Join(options, ", "), name)
}

// codec says what queues are declared with. Package framework has no setting of it.
func (r *reader) codec(s *setting) {
	simple, ours := s.class, strings.HasPrefix(s.class, "org.redisson.")
	simple = simple[strings.LastIndexByte(simple, '.')+1:]
	short := strings.TrimSuffix(simple, "Codec")
	found, known := goCodecs[short]
	wrapper, wraps := wrappers[short]
	fields := fieldsOf(s.node)
	switch {
	case s.class == "":
		r.wrong(s.note.Setting, s.node, "names no class: write it as !<org.redisson.codec.Kryo5Codec> {}")
	case !ours:
		s.blocks("%s is a class of yours: write it in Go, as a codecs.Codec, and declare the queues with it", s.note.Value)
	case known && short == "Kryo5":
		r.kryo5(s, fields)
	case len(fields) > 0:
		for _, f := range fields {
			r.wrong(s.note.Setting+"."+keyOf(f), f.Key, "no release of Redisson sets this field of %s from a file: remove it", simple)
		}
	case known:
		s.declared(found.name, declare(found.call, found.name, r.since(found)...))
		if short == "Fst" {
			s.note.Why = join(s.note.Why, "Go reads it and does not write it")
		}
	case wraps && !r.release.before(release{3, 12, 3}) && r.release.before(release{3, 13, 0}):
		s.blocks("which codec is compressed depends on how Redisson %s is started: see what duequeue decode says of a payload", r.release)
	case wraps:
		inner := r.standard()
		if inner.name == "jsonjackson" { // when that was the default, wrappers had FST already
			inner = goCodecs["Fst"]
		}
		options := append([]string{inner.call + "(" + strings.Join(r.since(inner), ", ") + ")"}, r.since(wrapper)...)
		name := wrapper.name + "(" + inner.name + ")"
		s.declared(name, declare(wrapper.call, name, options...))
	default:
		s.blocks("nothing in Go is declared by the name of %s alone: the table in codecs/README.md says what Go reads, and what to do", s.note.Value)
	}
}

// kryo5 takes the two fields over that Redisson reads from a file since 4.6.
func (r *reader) kryo5(s *setting, fields []*ast.MappingValueNode) {
	c := goCodecs["Kryo5"]
	options := r.since(c)
	for _, f := range fields {
		name := keyOf(f)
		text, plain := config.Scalar(f.Value)
		_, isList := f.Value.(*ast.SequenceNode)
		switch {
		case name == "useReferences" && plain && strings.EqualFold(text, "true"):
			options = append(options, "kryo5.References()")
		case name == "useReferences" && plain:
		case name == "allowedClasses" && isList:
			var classes []string
			for _, class := range textsOf(f.Value) {
				classes = append(classes, strconv.Quote(class))
			}
			options = append(options, "kryo5.AllowedClasses("+strings.Join(classes[:min(len(classes), maxShown)], ", ")+")")
		default:
			r.wrong(s.note.Setting+"."+name, f.Key, "Redisson sets useReferences, true or false, and allowedClasses, a list of classes, of Kryo5Codec from a file, and nothing else")
		}
	}
	s.declared(c.name, declare(c.call, c.name, options...))
}

// declared takes a codec over, by what a program declares.
func (s *setting) declared(name, why string) {
	s.note.Verdict, s.note.Fields, s.note.Why = Taken, "codec "+name, join(s.note.Why, why)
}

// since are the options that a codec gets of a release that is known.
func (r *reader) since(c goCodec) []string {
	if !c.since || r.release == (release{}) {
		return nil
	}
	pkg, _, _ := strings.Cut(c.call, ".")
	if strings.HasSuffix(c.name, "jackson") || strings.HasSuffix(c.name, "jackson3") {
		pkg = "jackson"
	}
	return []string{pkg + ".Since(" + strconv.Quote(r.release.String()) + ")"}
}

// standard is the default codec of the release.
func (r *reader) standard() goCodec {
	for _, d := range defaults {
		if !r.release.before(d.since) {
			return goCodecs[d.class]
		}
	}
	return goCodecs["Kryo5"]
}

// defaultCodec says which codec a file without one means.
func (r *reader) defaultCodec() {
	c := r.standard()
	why := "the file names none: " + r.release.String() + " writes with its default, " + c.name + "; " + declare(c.call, c.name, r.since(c)...)
	if r.release == (release{}) {
		why = "the file names none, so it is the default of the release: kryo5 (kryo5.New()) since 3.19, marshalling since 3.13, fst since 3.10, jsonjackson before; name the release to be told"
	}
	r.out.Notes = append(r.out.Notes, Note{Setting: "codec", Verdict: Taken, Fields: "codec " + c.name, Why: why})
}

// fieldsOf returns the fields of an object.
func fieldsOf(node ast.Node) []*ast.MappingValueNode {
	return slices.DeleteFunc(slices.Clone(config.Entries(node)), func(e *ast.MappingValueNode) bool { return keyOf(e) == "class" })
}
