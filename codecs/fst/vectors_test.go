package fst

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/view"
)

var update = flag.Bool("update", false, "write the golden files anew")

type vector struct {
	config, label string
	payload       []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB, file string) []vector {
	tb.Helper()
	var out []vector
	for _, f := range codectest.Rows(tb, "testdata/"+file) {
		if len(f) == 3 {
			out = append(out, vector{config: f[0], label: f[1], payload: codectest.FromHex(tb, f[2])})
		}
	}
	return out
}

// bean describes a class; fields are "type name" separated by ", ".
func bean(name, super, fields string) *java.Class {
	c := &java.Class{Name: name, Super: java.TypeExpr{Class: super}}
	for part := range strings.SplitSeq(fields, ", ") {
		typ, field, ok := strings.Cut(strings.TrimSpace(part), " ")
		if !ok {
			continue
		}
		t, err := java.ParseType(typ)
		if err != nil {
			panic(err)
		}
		c.Fields = append(c.Fields, java.ClassField{Name: field, Type: t})
	}
	return c
}

func enumClass(name, constants string) *java.Class {
	c := &java.Class{Name: name, Kind: java.KindEnum}
	for constant := range strings.FieldsSeq(constants) {
		c.Constants = append(c.Constants, java.Constant{Name: constant})
	}
	return c
}

func set(tb testing.TB, list ...*java.Class) *java.Classes {
	tb.Helper()
	s := codectest.Must(java.NewClasses(list...))(tb)
	return s
}

// sampleClasses are the classes behind vectors.tsv.
func sampleClasses(tb testing.TB) Option {
	return Classes(set(tb,
		bean("Samples$Base", "", "long id, java.lang.String name"),
		bean("Samples$Order", "Samples$Base", "boolean big, boolean paid, byte b, char c, double d, float f, int qty, short s, "+
			"java.math.BigDecimal price, Samples$Color color, java.util.Date at, java.lang.Integer boxed, "+
			"java.util.List<java.lang.String> tags, java.util.Map attrs, Samples$Order next, java.lang.String orderId, int[] ints"),
		enumClass("Samples$Color", "RED GREEN BLUE"),
		&java.Class{Name: "Samples$Op", Kind: java.KindEnum, Constants: []java.Constant{{Name: "ADD", Body: "Samples$Op$1"}, {Name: "SUB"}}},
		bean("Samples2$MyList", "java.util.ArrayList", "int extra"),
		bean("Samples3$MyMap", "java.util.HashMap", "int extra"),
		bean("Samples3$MyAd", "java.util.ArrayDeque", "int extra"),
		bean("Samples3$MyLL", "java.util.LinkedList", "int extra"),
		bean("Samples3$1", "java.util.ArrayList", ""),
	))
}

// noDef twins the writeObject method of a class that writes one number and not
// its fields.
func noDef(in *Input) []any { return []any{in.Int()} }

// bigExt twins a readExternal method: 200 numbers, a string, 600 bytes.
func bigExt(in *Input) any {
	sum := int32(0)
	for range 200 {
		sum += in.Int()
	}
	return &java.Object{Class: "Samples2$BigExt", Fields: []java.Field{
		{Name: "sum", Value: sum}, {Name: "middle", Value: in.Object()}, {Name: "bytes", Value: int32(len(in.Bytes(in.d.Remaining())))},
	}}
}

func sampleCodec(tb testing.TB, config string) *Codec {
	opts := []Option{sampleClasses(tb), ReadObject("Samples2$NoDef", noDef), ReadExternal("Samples2$BigExt", bigExt)}
	if config == "fst3" {
		opts = append(opts, Version("3.0.3"))
	}
	return New(opts...)
}

// show returns the view of a value, and what a collection of a user's class has of its own.
func show(v any) string {
	var form any
	switch v := v.(type) {
	case *java.List:
		form = v.Form
	case *java.Map:
		form = v.Form
	}
	if own, ok := form.(*java.Object); ok {
		return string(view.Of(v)) + " with " + string(view.Of(own))
	}
	return string(view.Of(v))
}

// sameView reports whether values look the same but for the order of fields.
func sameView(t *testing.T, a, b any) bool {
	t.Helper()
	var views [2]any
	for i, v := range []any{a, b} {
		if err := json.Unmarshal(view.Of(v), &views[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(views[0], views[1])
}

func TestVectors(t *testing.T) {
	t.Parallel()
	showsAs(t, "vectors", 82, sampleCodec)
}

// showsAs reads n payloads of a file of testdata, and holds what they show to its golden file.
func showsAs(t *testing.T, file string, n int, codec func(testing.TB, string) *Codec) {
	t.Helper()
	var out strings.Builder
	all := vectors(t, file+".tsv")
	for _, v := range all {
		value, err := codec(t, v.config).Decode(v.payload)
		if err != nil {
			t.Errorf("%s %s: %v\n%x", v.config, v.label, err, v.payload)
		}
		out.WriteString(v.config + "\t" + v.label + "\t" + show(value) + "\n")
	}
	if len(all) != n {
		t.Errorf("%d payloads in %s, %d were captured", len(all), file, n)
	}
	codectest.Golden(t, "testdata/"+file+".golden", out.String(), *update)
}

// TestSameAsRiver: River carries names and types, so that it needs no descriptors.
// What Java wrote of one object in both formats must be one value.
func TestSameAsRiver(t *testing.T) {
	t.Parallel()
	river := map[string][]byte{}
	for _, v := range vectors(t, "../../marshalling/testdata/legacy.tsv") {
		if v.config == "river4" {
			river[v.label] = v.payload
		}
	}
	differs := map[string]string{
		"LinkedBlockingQueue": "River gives the locks of the queue too",
		"NoDef":               "FST writes what writeObject writes, River the fields too",
		"Ext big":             "the twin of readExternal above sums up",
	}
	codec, compared := marshalling.New(), 0
	for _, v := range vectors(t, "vectors.tsv") {
		payload := river[v.label]
		if payload == nil || differs[v.label] != "" {
			continue
		}
		want, err := codec.Decode(payload)
		if err != nil {
			t.Errorf("River %s: %v", v.label, err)
			continue
		}
		got, err := sampleCodec(t, v.config).Decode(v.payload)
		if err != nil || !sameView(t, got, want) {
			t.Errorf("%s %s: %v\nFST:   %s\nRiver: %s", v.config, v.label, err, show(got), show(want))
		}
		compared++
	}
	if compared < 60 {
		t.Errorf("only %d compared", compared)
	}
}

// TestVectorsUndescribed: without descriptors, what needs one is an error that
// names class and offset; everything else still reads.
func TestVectorsUndescribed(t *testing.T) {
	t.Parallel()
	needs := map[string]string{
		"Order": "Samples$Order", "MyList": "Samples2$MyList", "MyList[e]": "Samples2$MyList", "MyMap": "Samples3$MyMap",
		"MyAd": "Samples3$MyAd", "MyLL": "Samples3$MyLL", "dblbrace list": "Samples3$1", "NoDef": "Samples2$NoDef", "Ext big": "Samples2$BigExt",
	}
	for _, v := range vectors(t, "vectors.tsv") {
		opts := []Option{}
		if v.config == "fst3" {
			opts = append(opts, Version("3.0.3"))
		}
		_, err := New(opts...).Decode(v.payload)
		if needs[v.label] == "" {
			if err != nil {
				t.Errorf("%s %s: %v", v.config, v.label, err)
			}
			continue
		}
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Class != needs[v.label] || e.Offset != 0 || !errors.Is(err, ErrNoDescriptor) {
			t.Errorf("%s: %v; want an error that names %s at byte 0", v.label, err, needs[v.label])
		}
	}
}

// TestCutShort cuts and changes short vectors: no payload panics, and a prefix is
// never a value.
func TestCutShort(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, "vectors.tsv") {
		if len(v.payload) <= 300 && v.label != "Ext big" {
			cutShort(t, sampleCodec(t, v.config), v)
		}
	}
	for _, v := range vectors(t, "samples.tsv") {
		if len(v.payload) <= 400 {
			cutShort(t, demoCodec(t, v.config), v)
		}
	}
}

// cutShort cuts and changes a payload.
func cutShort(t *testing.T, codec *Codec, v vector) {
	t.Helper()
	for n := range codectest.Places(len(v.payload)) {
		if value, err := codec.Decode(v.payload[:n]); err == nil {
			t.Errorf("%s: the first %d of %d bytes are %v", v.label, n, len(v.payload), show(value))
		}
		changed := bytes.Clone(v.payload)
		for _, mask := range []byte{0x01, 0x08, 0x40, 0x80, 0xff} {
			changed[n] = v.payload[n] ^ mask
			checkDecode(t, codec, changed)
		}
	}
}

// checkDecode decodes what may be anything: a typed error, or a value that can be
// shown.
func checkDecode(tb testing.TB, codec codecs.Codec, payload []byte) {
	tb.Helper()
	if _, err := codec.Decode(payload); err != nil {
		codectest.Refused(tb, codec, payload, err)
	}
}

// demoClasses describes the classes of integration/java/src/vectors/fst/Samples.java, fields in the
// order of their declaration.
func demoClasses(tb testing.TB) Option {
	const s = "demo.Samples$"
	box := bean(s+"Box", "", "T value, N number, java.util.List<T> more")
	box.Params = []java.TypeParam{{Name: "T"}, {Name: "N", Bound: java.TypeExpr{Class: "java.lang.Number"}}}
	op := enumClass(s+"Op", "ADD SUB")
	op.Constants[0].Body, op.Constants[1].Body = s+"Op$1", s+"Op$2"
	return Classes(set(tb,
		bean("demo.Samples", "", "java.lang.String outer"),
		enumClass(s+"Status", "NEW PAID SHIPPED"), op, box,
		bean(s+"Root", "", "long version, java.lang.String name, boolean archived"),
		bean(s+"Base", s+"Root", "java.lang.String name, "+s+"Status status, int z, boolean b1"),
		bean(s+"Order", s+"Base", "boolean b2, boolean b3, boolean b4, boolean b5, boolean b6, boolean b7, boolean b8, boolean b9, "+
			"byte small, char letter, short count, float ratio, double exact, long amount, java.lang.String id, java.lang.String none, "+
			"java.lang.Integer boxed, java.lang.Long boxedLong, java.lang.Double boxedDouble, java.lang.Character boxedChar, "+
			"java.math.BigDecimal total, java.math.BigInteger huge, java.util.Date created, "+s+"Op op, "+s+"Item first, "+
			s+"Item again, "+s+"Item special, "+s+"Item[] items, java.util.List list, java.util.Map nested, int[][] grid, "+
			"java.lang.Object any, java.util.LinkedHashMap linked, java.util.TreeMap sorted, java.util.UUID uuid, "+
			"java.time.LocalDate day, "+s+"Order self"),
		bean(s+"Item", "", "java.lang.String sku, int n"),
		bean(s+"Special", s+"Item", "java.lang.Object extra"),
		bean(s+"Inner", "", "java.lang.String text, demo.Samples this$0"),
		bean(s+"Resolved", "", "java.lang.String a, int b"),
		bean(s+"Written", "", "java.lang.String a"),
		bean(s+"Failure", "java.lang.RuntimeException", "int code"),
		bean(s+"Cache", "java.util.LinkedHashMap", "int limit"),
		bean(s+"Names", "java.util.Vector", "java.lang.String lost"),
		bean(s+"1", "java.util.HashMap", ""),
	))
}

// ext twins Ext.readExternal.
func ext(in *Input) any {
	return &java.List{Class: "demo.Samples$Ext", Elements: []any{
		in.Bool(), in.Byte(), in.Short(), in.Char(), in.Long(), in.Float(), in.Double(), in.UTF(), in.Bytes(3), in.Object(),
	}}
}

// written twins Written.readObject.
func written(in *Input) []any {
	in.Fields()
	return []any{in.Int(), in.UTF(), in.Object()}
}

func demoCodec(tb testing.TB, config string) *Codec {
	opts := []Option{
		demoClasses(tb), Hooks("demo.Samples$Resolved"),
		ReadObject("demo.Samples$Written", written), ReadExternal("demo.Samples$Ext", ext),
	}
	version, variant, _ := strings.Cut(config, "-")
	opts = append(opts, Version(version))
	switch variant {
	case "registered":
		opts = append(opts, Registered("demo.Samples$Item", "java.util.HashMap", "demo.Samples$Status"))
	case "unshared":
		opts = append(opts, SharedReferences(false))
	}
	return New(opts...)
}

// TestSamples reads what the released 2.57 wrote; 2.56 wrote the same bytes.
func TestSamples(t *testing.T) {
	t.Parallel()
	showsAs(t, "samples", 152, demoCodec)
}

// TestOlderJDK reads what JDK 8 writes of the two classes that differ there. The
// bytes follow from its sources; JDK 11 and 17 write those of samples.tsv.
func TestOlderJDK(t *testing.T) {
	t.Parallel()
	copies := hex.EncodeToString([]byte("java.util.Collections$CopiesList"))
	element := hex.EncodeToString([]byte("java.lang.StackTraceElement"))
	for payload, want := range map[string]string{
		"000120" + copies + "03fc017800":                  `{"class":"java.util.Collections$CopiesList","value":["x","x","x"]}`,
		"000120" + copies + "4203fc017800":                `{"class":"java.util.Collections$CopiesList","value":["x","x","x"]}`,
		"00011b" + element + "0cfc0161fc0162fc016300":     `{"class":"java.lang.StackTraceElement","value":{"lineNumber":12,"declaringClass":"a","fileName":"b","methodName":"c"}}`,
		"00011b" + element + "8000 01fc0161fc0162ff00":    `{"class":"java.lang.StackTraceElement","value":{"lineNumber":256,"declaringClass":"a","fileName":"b","methodName":null}}`,
		"00011b" + element + "010cfffc0161fc0162fffffF00": `{"class":"java.lang.StackTraceElement","value":{"format":{"class":"java.lang.Byte","value":1},"lineNumber":12,"classLoaderName":null,"declaringClass":"a","fileName":"b","methodName":null,"moduleName":null,"moduleVersion":null}}`,
		"00011b" + element + "00fffffc0161ffffffff00":     `{"class":"java.lang.StackTraceElement","value":{"format":{"class":"java.lang.Byte","value":0},"lineNumber":-1,"classLoaderName":null,"declaringClass":"a","fileName":null,"methodName":null,"moduleName":null,"moduleVersion":null}}`,
	} {
		v, err := New().Decode(codectest.FromHex(t, payload))
		if err != nil || show(v) != want {
			t.Errorf("%s: %s, %v", payload, show(v), err)
		}
	}
}

// TestFstCodec reads what FstCodec of a released Redisson wrote.
func TestFstCodec(t *testing.T) {
	t.Parallel()
	codec := New(Classes(set(t, bean("demo.J2$1", "java.util.Properties", ""),
		bean("demo.Types$MyEx", "java.lang.RuntimeException", "int code, int secret"))),
		ReadExternal("com.fasterxml.jackson.databind.node.NodeSerialization", func(in *Input) any { return string(in.Bytes(int(in.Int()))) }))
	var out strings.Builder
	for _, v := range vectors(t, "fstcodec.tsv") {
		value, err := codec.Decode(v.payload)
		if err != nil {
			t.Errorf("%s: %v\n%x", v.label, err, v.payload)
		}
		out.WriteString(v.label + "\t" + show(value) + "\n")
	}
	codectest.Golden(t, "testdata/fstcodec.golden", out.String(), *update)
}
