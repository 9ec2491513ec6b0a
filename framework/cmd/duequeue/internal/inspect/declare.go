package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc"
)

// module is the path of this module's packages.
const module = "github.com/duequeue/duequeue/"

// goCodecs are the codecs in Go source, with the package that each takes.
var goCodecs = map[string][2]string{
	"kryo5":             {"kryo5.New()", "codecs/kryo5"},
	"jsonjackson":       {"jackson.JsonJackson()", "codecs/jackson"},
	"typedjsonjackson":  {"jackson.TypedJsonJackson()", "codecs/jackson"},
	"jsonjackson3":      {"jackson.JsonJackson3()", "codecs/jackson"},
	"typedjsonjackson3": {"jackson.TypedJsonJackson3()", "codecs/jackson"},
	"json":              {"jackson.JSON()", "codecs/jackson"},
	"msgpackjackson":    {"msgpack.Jackson()", "codecs/msgpack"},
	"cborjackson":       {"cbor.Jackson()", "codecs/cbor"},
	"cborjackson3":      {"cbor.Jackson3()", "codecs/cbor"},
	"smilejackson":      {"smile.Jackson()", "codecs/smile"},
	"smilejackson3":     {"smile.Jackson3()", "codecs/smile"},
	"ionjackson":        {"ion.Jackson()", "codecs/ion"},
	"ionjackson3":       {"ion.Jackson3()", "codecs/ion"},
	"marshalling":       {"marshalling.New()", "codecs/marshalling"},
	"serialization":     {"serialization.New()", "codecs/serialization"},
	"fst":               {"fst.New()", "codecs/fst"},
	"string":            {"codecs.String()", "codecs"},
	"long":              {"codecs.Long()", "codecs"},
	"integer":           {"codecs.Integer()", "codecs"},
	"double":            {"codecs.Double()", "codecs"},
	"bytearray":         {"codecs.ByteArray()", "codecs"},
	"lz4":               {"compress.LZ4(%s)", "codecs/compress"},
	"lz4v2":             {"compress.LZ4V2(%s)", "codecs/compress"},
	"snappy":            {"compress.Snappy(%s)", "codecs/compress"},
	"snappyv2":          {"compress.SnappyV2(%s)", "codecs/compress"},
	"zstd":              {"compress.ZStd(%s)", "codecs/compress"},
}

// goTypes are the Go types of Java's own classes that a queue may hold.
var goTypes = map[string]string{
	"java.lang.String": "string", "java.lang.Boolean": "bool", "java.lang.Integer": "int32", "java.lang.Long": "int64",
	"java.lang.Double": "float64", "java.lang.Float": "float32", "java.lang.Short": "int16", "java.lang.Byte": "int8", "[B": "[]byte",
	"java.util.HashMap": "map[string]any", "java.util.LinkedHashMap": "map[string]any", "java.util.TreeMap": "map[string]any",
	"java.util.Date": "time.Time", "java.time.Instant": "time.Time",
}

// declaration is Go source that declares a queue.
type declaration struct {
	Source  string
	Imports []string
	Classes []string // that "duequeue javadesc" describes
}

// declare declares a queue for what its payloads hold. It reports false where no codec of
// them can be declared.
func declare(queue, variable string, partitions int, all []verdict, classes *classfile.Source) (declaration, bool) {
	imports := map[string]bool{module + "registry": true}
	var codecs []string
	for _, v := range all {
		if v.Codec == "" {
			continue
		}
		source, ok := goCodec(v.Codec, imports)
		if !ok {
			return declaration{}, false
		}
		codecs = append(codecs, source)
	}
	if len(codecs) == 0 {
		return declaration{}, false
	}
	codec := codecs[0]
	if len(codecs) > 1 {
		imports[module+"codecs"] = true
		codec = "codecs.AnyOf(" + strings.Join(codecs, ", ") + ")"
	}
	typ, beans := goType(all, classes)
	if strings.Contains(typ, "time.") {
		imports["time"] = true
	}
	options := ", registry.Codec(" + codec + ")"
	if partitions > 1 {
		options += fmt.Sprintf(", registry.Partitions(%d)", partitions)
	}
	return declaration{
		Source:  fmt.Sprintf("var %s = registry.Define[%s](%q, \"\"%s)", variable, typ, queue, options),
		Imports: slices.Sorted(maps.Keys(imports)), Classes: beans,
	}, true
}

// goCodec returns the source of a codec by its canonical name, and notes its imports.
func goCodec(name string, imports map[string]bool) (string, bool) {
	outer, inner, wraps := strings.Cut(name, "(")
	known, ok := goCodecs[outer]
	if !ok || wraps != strings.Contains(known[0], "%s") {
		return "", false
	}
	imports[module+known[1]] = true
	if !wraps {
		return known[0], true
	}
	source, ok := goCodec(strings.TrimSuffix(inner, ")"), imports)
	return fmt.Sprintf(known[0], source), ok
}

// goType returns the type of what payloads hold, and the classes in them that need a Go type
// of the program.
func goType(all []verdict, classes *classfile.Source) (typ string, beans []string) {
	types := map[string]bool{}
	for _, v := range all {
		for _, c := range v.Classes {
			if c.Class == "null" {
				continue
			}
			types[typeOf(c.Class, classes)] = true
			if goTypes[c.Class] == "" && c.Class != "unknown" && !classfile.OfJDK(c.Class) && !strings.HasPrefix(c.Class, "[") {
				beans = append(beans, c.Class)
			}
		}
	}
	slices.Sort(beans)
	if len(types) == 1 {
		for typ = range types {
			return typ, slices.Compact(beans)
		}
	}
	return "any", slices.Compact(beans)
}

// typeOf returns the Go type of a class, that of "duequeue javadesc" for one of the program.
func typeOf(class string, classes *classfile.Source) string {
	switch {
	case goTypes[class] != "":
		return goTypes[class]
	case class == "unknown", classfile.OfJDK(class), strings.HasPrefix(class, "["):
		return "any"
	}
	typ := javadesc.TypeName(class)
	if classes == nil || !classes.Has(class) {
		return typ
	}
	reach, err := classes.Reach(nil, class)
	if err != nil {
		return typ
	}
	for _, c := range reach.Classes {
		if c.Name == class && len(c.Params) > 0 {
			return typ + "[" + strings.Repeat("any, ", len(c.Params)-1) + "any]"
		}
	}
	return typ
}

// variable returns the name of the variable of a queue, OrderTimeout for ORDER_TIMEOUT, that
// no other has.
func variable(queue string, taken map[string]bool) string {
	name := javadesc.ConstantName(queue)
	for n := 2; taken[name]; n++ {
		name = fmt.Sprint(javadesc.ConstantName(queue), n)
	}
	taken[name] = true
	return name
}
