package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/jackson"
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

// declareAll declares the queues, with names that no two have.
func (i *inspector) declareAll(all []*report) {
	classes := map[string]bool{}
	for _, r := range all {
		r.Javadesc = beansOf(r.Codecs)
		for _, class := range r.Javadesc {
			classes[class] = true
		}
	}
	d := &declarer{classes: i.classes, types: javadesc.TypeNames(slices.Sorted(maps.Keys(classes))...), taken: map[string]bool{}}
	for _, name := range d.types {
		d.taken[name] = true
	}
	for _, r := range all {
		r.Declare, r.Imports = d.declare(r.Queue, r.Partitions, r.Codecs)
	}
}

// declarer declares queues in one Go file.
type declarer struct {
	classes *classfile.Source // may be nil
	types   map[string]string // of the classes that "duequeue javadesc" describes
	taken   map[string]bool   // names
}

// declare returns the Go source that declares a queue for what its payloads hold, "" where no
// codec of them can be declared, or one writes another form than Java reads, and the packages
// that it needs.
func (d *declarer) declare(queue string, partitions int, all []verdict) (source string, packages []string) {
	imports := map[string]bool{module + "registry": true}
	var codecs []string
	last := "" // a codec that reads what others wrote
	for _, v := range all {
		if v.Codec == "" {
			continue
		}
		one, ok := goCodec(v.Codec, imports)
		switch {
		case !ok, v.Form != "":
			return "", nil
		case v.Codec == "string" || v.Codec == anything:
			last = one
		default:
			codecs = append(codecs, one)
		}
	}
	if last != "" {
		codecs = append(codecs, last)
	}
	if len(codecs) == 0 {
		return "", nil
	}
	codec := codecs[0]
	if len(codecs) > 1 {
		imports[module+"codecs"] = true
		codec = "codecs.AnyOf(" + strings.Join(codecs, ", ") + ")"
		if last != "" {
			codec += ".PreferFirst()"
		}
	}
	typ := d.typeOf(all)
	if strings.Contains(typ, "time.") {
		imports["time"] = true
	}
	options := ", registry.Codec(" + codec + ")"
	if partitions > 1 {
		options += fmt.Sprintf(", registry.Partitions(%d)", partitions)
	}
	source = fmt.Sprintf("var %s = registry.Define[%s](%q, \"\"%s)", d.variable(queue), typ, queue, options)
	return source, slices.Sorted(maps.Keys(imports))
}

// goCodec returns the source of a codec by its canonical name, and notes its imports.
func goCodec(name string, imports map[string]bool) (string, bool) {
	outer, inner, wraps := strings.Cut(name, "(")
	if outer == "text" {
		first, second, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		of, ok := goCodec(first, imports)
		in, fits := goCodec(second, imports)
		imports[module+"codecs"] = true
		return fmt.Sprintf("codecs.Text(%s, %s)", of, in), ok && fits
	}
	outer, settings, mapped := strings.Cut(outer, "+")
	known, ok := goCodecs[outer]
	if mapped && ok && !wraps {
		mapper, err := jackson.ParseMapper(settings)
		imports[module+known[1]], imports[module+"codecs/jackson"] = true, true
		return strings.Replace(known[0], "()", "("+mapperSource(mapper)+")", 1), err == nil
	}
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

// mapperSource returns a mapper in Go source.
func mapperSource(m jackson.Mapper) string {
	var fields []string
	v := reflect.ValueOf(m)
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		value := fmt.Sprintf("%#v", f.Interface())
		if f.Kind() == reflect.Int {
			var only jackson.Mapper
			reflect.ValueOf(&only).Elem().Field(i).Set(f)
			_, word, _ := strings.Cut(only.Text(), "=")
			value = "jackson." + cmp.Or(mapperConstants[word], constantName(word))
		}
		fields = append(fields, v.Type().Field(i).Name+": "+value)
	}
	return "jackson.Mapper{" + strings.Join(fields, ", ") + "}"
}

// mapperConstants are the constants of package jackson that are called otherwise than Java's.
var mapperConstants = map[string]string{"TEXT": "DateTexts", "ORDINAL": "EnumOrdinals", "READ": "SinglesRead", "BARE": "SinglesBare"}

// constantName returns NonFinal for NON_FINAL.
func constantName(word string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(word, "_") {
		out.WriteString(part[:1] + strings.ToLower(part[1:]))
	}
	return out.String()
}

// javaName is what a class of the program may be called; a payload can claim anything.
var javaName = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*(\.[\p{L}_$][\p{L}\p{N}_$]*)*$`)

// isBean reports whether a class needs a Go type of the program.
func isBean(class string) bool {
	return goTypes[class] == "" && class != "null" && class != "unknown" && !classfile.OfJDK(class) && javaName.MatchString(class)
}

// beansOf returns the classes of payloads that need a Go type of the program, sorted.
func beansOf(all []verdict) []string {
	beans := map[string]bool{}
	for _, v := range all {
		for _, c := range v.Classes {
			if isBean(c.Class) {
				beans[c.Class] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(beans))
}

// typeOf returns the type of what payloads hold, any for several.
func (d *declarer) typeOf(all []verdict) string {
	typ := ""
	for _, v := range all {
		for _, c := range v.Classes {
			one := d.typeOfClass(c.Class)
			if strings.HasPrefix(v.Codec, "text(") {
				one = "map[string]any" // the class is that of the text
			}
			switch {
			case c.Class == "null" || one == typ:
			case typ == "":
				typ = one
			default:
				return "any"
			}
		}
	}
	return cmp.Or(typ, "any")
}

// typeOfClass returns the Go type of a class, that of "duequeue javadesc" for one of the program.
func (d *declarer) typeOfClass(class string) string {
	if goTypes[class] != "" {
		return goTypes[class]
	}
	if !isBean(class) {
		return "any"
	}
	typ := d.types[class]
	if d.classes == nil || !d.classes.Has(class) {
		return typ
	}
	reach, err := d.classes.Reach(nil, class)
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
// nothing else has.
func (d *declarer) variable(queue string) string {
	base := javadesc.ConstantName(queue)
	name := base
	for n := 1; d.taken[name]; n++ {
		if name = base + "Queue"; n > 1 {
			name += strconv.Itoa(n)
		}
	}
	d.taken[name] = true
	return name
}
