package kryo5

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/view"
)

type vector struct {
	config, label string
	payload       []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB) []vector {
	tb.Helper()
	var out []vector
	for _, file := range []string{"kryo5", "values", "older"} {
		for _, f := range codectest.Rows(tb, "testdata/"+file+".tsv") {
			if len(f) == 4 && f[0] != "config" && f[2] != "" {
				out = append(out, vector{config: f[0], label: f[1], payload: codectest.FromHex(tb, f[2])})
			}
		}
	}
	return out
}

// beans reads the classes behind the vectors.
func beans(tb testing.TB) *java.Classes {
	tb.Helper()
	text := codectest.Must(os.ReadFile("testdata/beans.txt"))(tb)
	compiled := codectest.Must(classfile.Open("testdata/classes"))(tb)
	classes, err := compiled.Classes(compiled.Names()...)
	if err == nil {
		classes, err = describe(tb, string(text)).Join(classes)
	}
	if err = errors.Join(err, compiled.Close()); err != nil {
		tb.Fatal(err)
	}
	return classes
}

// describe reads declarations, each followed by a line per field that begins with
// a tab: the type, then the name.
func describe(tb testing.TB, text string) *java.Classes {
	tb.Helper()
	var list []*java.Class
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		field, isField := strings.CutPrefix(line, "\t")
		if !isField {
			c := codectest.Must(java.ParseClass(line))(tb)
			list = append(list, c)
			continue
		}
		at := strings.LastIndexByte(field, ' ')
		typ := codectest.Must(java.ParseType(field[:at]))(tb)
		c := list[len(list)-1]
		c.Fields = append(c.Fields, java.ClassField{Name: field[at+1:], Type: typ})
	}
	set := codectest.Must(java.NewClasses(list...))(tb)
	return set
}

// configured returns the codec for the first column of a vector.
func configured(tb testing.TB, config string, more ...Option) *Codec {
	tb.Helper()
	opts := append([]Option{Classes(beans(tb))}, more...)
	switch config {
	case "redisson4.7/kryo5.6.2", "4.7.0":
	case "4.7.0/allowed":
		opts = append(opts, AllowedClasses(allowed...))
	case "redisson4.7/kryo5.6.2/refs", "4.7.0/refs":
		opts = append(opts, References())
	case "redisson3.19.1-3.34/kryo5.5.0":
		opts = append(opts, Since("3.19.1"))
	case "redisson3.19.0/kryo5.3.0(jdk opens)":
		opts = append(opts, Since("3.19.0"))
	case "3.19.0", "3.27.2", "3.45.1", "3.52.0":
		opts = append(opts, Since(config))
	default:
		tb.Fatalf("config %q is new", config)
	}
	return New(opts...)
}

// allowed are the allowedClasses of integration/java/src/vectors/kryo5/Values.java.
var allowed = []string{
	"demo.Values$Inner", "java.util.ArrayList", "java.util.Date", "java.util.HashMap", "demo.Values$Op", "java.util.EnumMap",
	"demo.Values$Color", "java.lang.Class", "[Ldemo.Values$Inner;", "java.lang.String", "java.util.EnumSet",
}

// wanted is how many vectors have bytes: a file that is cut short is no proof.
const wanted = 609

// refused are the labels, by configuration, of what Java cannot read back, save for some empty ones: it
// is not written. All other vectors come back byte for byte.
var refused = map[string]string{
	"redisson4.7/kryo5.6.2":         "SetFromMap,HashMap.values,subList",
	"redisson4.7/kryo5.6.2/refs":    "SetFromMap,HashMap.values,subList",
	"3.19.0":                        "EnumMap empty,EnumMap,KeySetView,KeySetView 1,keySet(v),unmodifiableSet,unmodifiableCollection,unmodifiable linked,unmodifiableSortedMap,synchronizedList,synchronizedMap,checkedList,unmodifiable twice",
	"3.27.2":                        "EnumMap empty,EnumMap,KeySetView,KeySetView 1,keySet(v),unmodifiableSet,unmodifiableCollection,unmodifiable linked,unmodifiableSortedMap,synchronizedList,synchronizedMap,checkedList,unmodifiable twice",
	"3.45.1":                        "KeySetView,KeySetView 1,keySet(v)",
	"3.52.0":                        "KeySetView,KeySetView 1,keySet(v)",
	"4.7.0/allowed":                 "EnumMap",
	"redisson3.19.1-3.34/kryo5.5.0": "unmodList,unmodMap,list of 2 unmod,list unmod mixed",
}

func TestVectors(t *testing.T) {
	t.Parallel()
	unused, all := map[string]bool{}, vectors(t)
	for config, labels := range refused {
		for label := range strings.SplitSeq(labels, ",") {
			unused[config+"\t"+label] = true
		}
	}
	byConfig := map[string]*Codec{}
	for _, v := range all {
		codec := byConfig[v.config]
		if codec == nil {
			codec = configured(t, v.config)
			byConfig[v.config] = codec
		}
		key := v.config + "\t" + v.label
		value, err := codec.Decode(v.payload)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		got, err := codec.Encode(value)
		var e *codecs.EncodeError
		if unused[key] != errors.As(err, &e) || err == nil && !bytes.Equal(got, v.payload) {
			t.Errorf("%s: encoded again: %x, %v\nJava wrote:    %x\n%s", key, got, err, v.payload, view.Of(value))
		}
		delete(unused, key)
	}
	if len(all) != wanted || len(unused) > 0 {
		t.Errorf("%d vectors with bytes, want %d; no vectors: %v", len(all), wanted, unused)
	}
}

// TestTextsOfTheTable: Java reads each class whose body is one string. A row of the table of JDK types that
// has no payload of the jars is a class that Java's Kryo may refuse, as it does java.io.File.
func TestTextsOfTheTable(t *testing.T) {
	t.Parallel()
	javaReads := map[string]bool{}
	for _, f := range append(codectest.Rows(t, "testdata/kryo5.tsv"), codectest.Rows(t, "testdata/values.tsv")...) {
		if len(f) == 4 && (f[3] == "eq" || strings.HasPrefix(f[3], "ok:")) {
			v, _ := configured(t, f[0]).Decode(codectest.FromHex(t, f[2]))
			javaReads[java.ClassOf(v)] = true
		}
	}
	for _, row := range jdk.All() {
		if row.Go != reflect.TypeFor[java.Text]() || row.Class == "" || New().known.find(row.Class) == nil {
			continue
		}
		v := codectest.Must(row.FromText("UTF-8"))(t) // of an abstract class, the one that Java writes
		if class := java.ClassOf(v); !javaReads[class] {
			t.Errorf("no row of the jars shows that Java's Kryo reads a %s", class)
		}
	}
}

// TestVectorsCutShort cuts and changes short vectors: no payload panics, and a prefix is
// never a value.
func TestVectorsCutShort(t *testing.T) {
	t.Parallel()
	byConfig := map[string]*Codec{}
	for _, v := range vectors(t) {
		if byConfig[v.config] == nil {
			byConfig[v.config] = configured(t, v.config)
		}
		codec := byConfig[v.config]
		if len(v.payload) > 200 {
			continue
		}
		for n := range codectest.Places(len(v.payload)) {
			if value, err := codec.Decode(v.payload[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are %v", v.label, n, len(v.payload), value)
			}
			changed := bytes.Clone(v.payload)
			for _, mask := range []byte{0x01, 0x40, 0x80, 0xff} {
				changed[n] = v.payload[n] ^ mask
				checkStable(t, codec, changed)
			}
		}
	}
}

// TestOldContainers reads what releases before Java serialization wrote of wrappers and EnumMap
// without being told of the release.
func TestOldContainers(t *testing.T) {
	t.Parallel()
	old, newest := configured(t, "3.19.0"), configured(t, "4.7.0")
	read := 0
	for _, v := range vectors(t) {
		if v.config != "3.19.0" || !strings.HasPrefix(v.label, "EnumMap") && !strings.HasPrefix(v.label, "unmodifiable") && !strings.HasPrefix(v.label, "synchronized") {
			continue
		}
		read++
		want, _ := old.Decode(v.payload)
		if got, err := newest.Decode(v.payload); err != nil || !bytes.Equal(view.Of(got), view.Of(want)) {
			t.Errorf("%s: %s, %v, want %s", v.label, view.Of(got), err, view.Of(want))
		}
	}
	if read < 8 {
		t.Errorf("%d old containers", read)
	}
	if v, err := newest.Decode([]byte("\x01\x00java.net.Inet4Addres\xf3")); err == nil {
		t.Errorf("an address without its stream: %v", v)
	}
}

// TestOldReference carries an AtomicReference of a release before 3.46 in a field whose type says what
// it holds.
func TestOldReference(t *testing.T) {
	t.Parallel()
	codec := New(Since("3.45.1"), Classes(describe(t, "demo.U\n\tjava.util.concurrent.atomic.AtomicReference<java.lang.String> ar")))
	const want = "\x01\x00demo.\xd5\x01\x01java.util.concurrent.atomic.AtomicReferenc\xe5x\xb1"
	v, err := codec.Decode([]byte(want))
	if got, encodeErr := codec.Encode(v); err != nil || encodeErr != nil || string(got) != want {
		t.Errorf("%s: %q, %v, %v", view.Of(v), got, err, encodeErr)
	}
}

// TestDeclaredThrowable: a field declared as an exception holds any of the JDK's,
// whose hierarchy only its stream tells.
func TestDeclaredThrowable(t *testing.T) {
	t.Parallel()
	codec := New(Classes(describe(t, "demo.Failure\n\tjava.lang.Throwable cause")))
	cause := &java.Object{Class: "java.lang.IllegalStateException", Serial: &java.Serial{
		Class: "java.lang.IllegalStateException", Flags: 2, Super: &java.Serial{Class: throwable, Flags: 2},
	}}
	failure := &java.Object{Class: "demo.Failure", Fields: []java.Field{{Name: "cause", Value: cause}}}
	payload, err := codec.Encode(failure)
	if _, decodeErr := codec.Decode(payload); err != nil || decodeErr != nil {
		t.Error(err, decodeErr)
	}
	failure.Fields[0].Value = "no exception"
	if payload, err := codec.Encode(failure); err == nil {
		t.Errorf("a String was written where a Throwable is declared: %x", payload)
	}
}
