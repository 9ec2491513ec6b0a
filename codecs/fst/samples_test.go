package fst

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

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
	var out strings.Builder
	all := vectors(t, "samples.tsv")
	for _, v := range all {
		value, err := demoCodec(t, v.config).Decode(v.payload)
		if err != nil {
			t.Errorf("%s %s: %v\n%x", v.config, v.label, err, v.payload)
		}
		out.WriteString(v.config + "\t" + v.label + "\t" + show(value) + "\n")
	}
	if len(all) != 152 {
		t.Errorf("%d samples, the generator writes 152", len(all))
	}
	codectest.Golden(t, "testdata/samples.golden", out.String(), *update)
}

func TestSamplesCutShort(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, "samples.tsv") {
		if len(v.payload) > 400 {
			continue
		}
		cutShort(t, demoCodec(t, v.config), v)
	}
}

// TestOlderJDK reads what JDK 8 writes of the two classes that differ there. The
// bytes follow from its sources; JDK 11 and 17 write those of samples.tsv.
func TestOlderJDK(t *testing.T) {
	t.Parallel()
	copies := hex.EncodeToString([]byte("java.util.Collections$CopiesList"))
	element := hex.EncodeToString([]byte("java.lang.StackTraceElement"))
	for payload, want := range map[string]string{
		"000120" + copies + "03fc017800":                  `Collections$CopiesList["x", "x", "x"]`,
		"000120" + copies + "4203fc017800":                `Collections$CopiesList["x", "x", "x"]`,
		"00011b" + element + "0cfc0161fc0162fc016300":     `StackTraceElement(lineNumber=12, declaringClass="a", fileName="b", methodName="c")`,
		"00011b" + element + "8000 01fc0161fc0162ff00":    `StackTraceElement(lineNumber=256, declaringClass="a", fileName="b", methodName=null)`,
		"00011b" + element + "010cfffc0161fc0162fffffF00": `StackTraceElement(format=int8(1), lineNumber=12, classLoaderName=null, declaringClass="a", fileName="b", methodName=null, moduleName=null, moduleVersion=null)`,
		"00011b" + element + "00fffffc0161ffffffff00":     `StackTraceElement(format=int8(0), lineNumber=-1, classLoaderName=null, declaringClass="a", fileName=null, methodName=null, moduleName=null, moduleVersion=null)`,
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
