package kryo5

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

type vector struct {
	config, label, readback string
	payload                 []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB) []vector {
	tb.Helper()
	all := append(vectorsIn(tb, "testdata/kryo5.tsv"), vectorsIn(tb, "testdata/values.tsv")...)
	return append(all, vectorsIn(tb, "testdata/older.tsv")...)
}

func vectorsIn(tb testing.TB, file string) []vector {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	var out []vector
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 || f[0] == "config" || f[2] == "" {
			continue
		}
		payload, err := hex.DecodeString(f[2])
		if err != nil {
			tb.Fatalf("%s: %v", f[1], err)
		}
		out = append(out, vector{config: f[0], label: f[1], payload: payload, readback: f[3]})
	}
	return out
}

// beans reads the classes behind the vectors.
func beans(tb testing.TB) *java.Classes {
	tb.Helper()
	text, err := os.ReadFile("testdata/beans.txt")
	if err != nil {
		tb.Fatal(err)
	}
	compiled, err := classfile.Open("testdata/classes")
	if err != nil {
		tb.Fatal(err)
	}
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
			c, err := java.ParseClass(line)
			if err != nil {
				tb.Fatal(err)
			}
			list = append(list, c)
			continue
		}
		at := strings.LastIndexByte(field, ' ')
		typ, err := java.ParseType(field[:at])
		if err != nil {
			tb.Fatal(err)
		}
		c := list[len(list)-1]
		c.Fields = append(c.Fields, java.ClassField{Name: field[at+1:], Type: typ})
	}
	set, err := java.NewClasses(list...)
	if err != nil {
		tb.Fatal(err)
	}
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

const (
	unreadable  = "Java cannot read it back, so it is not written"
	unlessEmpty = "Java reads none back but empty ones, so none is written"
	refused     = "refused"
	other       = "other bytes"
)

// wanted is how many vectors have bytes: a file that is cut short is no proof.
const wanted = 594

// exceptions are the vectors that do not come back byte for byte: how, and why.
var exceptions = map[string][2]string{
	"redisson4.7/kryo5.6.2\tSetFromMap":               {refused, unreadable},
	"redisson4.7/kryo5.6.2\tHashMap.values":           {refused, unreadable},
	"redisson4.7/kryo5.6.2\tsubList":                  {refused, unreadable},
	"redisson4.7/kryo5.6.2/refs\tSetFromMap":          {refused, unreadable},
	"redisson4.7/kryo5.6.2/refs\tHashMap.values":      {refused, unreadable},
	"redisson4.7/kryo5.6.2/refs\tsubList":             {refused, unreadable},
	"3.19.0\tEnumMap empty":                           {refused, unlessEmpty},
	"3.19.0\tEnumMap":                                 {refused, unreadable},
	"3.19.0\tKeySetView":                              {refused, unlessEmpty},
	"3.19.0\tKeySetView 1":                            {refused, unreadable},
	"3.19.0\tkeySet(v)":                               {refused, unreadable},
	"3.19.0\tunmodifiableSet":                         {refused, unreadable},
	"3.19.0\tunmodifiableCollection":                  {refused, unreadable},
	"3.19.0\tunmodifiable linked":                     {refused, unreadable},
	"3.19.0\tunmodifiableSortedMap":                   {refused, unreadable},
	"3.19.0\tsynchronizedList":                        {refused, unreadable},
	"3.19.0\tsynchronizedMap":                         {refused, unreadable},
	"3.19.0\tcheckedList":                             {refused, unreadable},
	"3.19.0\tunmodifiable twice":                      {refused, unreadable},
	"3.27.2\tEnumMap empty":                           {refused, unlessEmpty},
	"3.27.2\tEnumMap":                                 {refused, unreadable},
	"3.27.2\tKeySetView":                              {refused, unlessEmpty},
	"3.27.2\tKeySetView 1":                            {refused, unreadable},
	"3.27.2\tkeySet(v)":                               {refused, unreadable},
	"3.27.2\tunmodifiableSet":                         {refused, unreadable},
	"3.27.2\tunmodifiableCollection":                  {refused, unreadable},
	"3.27.2\tunmodifiable linked":                     {refused, unreadable},
	"3.27.2\tunmodifiableSortedMap":                   {refused, unreadable},
	"3.27.2\tsynchronizedList":                        {refused, unreadable},
	"3.27.2\tsynchronizedMap":                         {refused, unreadable},
	"3.27.2\tcheckedList":                             {refused, unreadable},
	"3.27.2\tunmodifiable twice":                      {refused, unreadable},
	"3.45.1\tKeySetView":                              {refused, unlessEmpty},
	"3.45.1\tKeySetView 1":                            {refused, unreadable},
	"3.45.1\tkeySet(v)":                               {refused, unreadable},
	"3.52.0\tKeySetView":                              {refused, unlessEmpty},
	"3.52.0\tKeySetView 1":                            {refused, unreadable},
	"3.52.0\tkeySet(v)":                               {refused, unreadable},
	"4.7.0/allowed\tEnumMap":                          {refused, unreadable},
	"redisson3.19.1-3.34/kryo5.5.0\tunmodList":        {refused, unreadable},
	"redisson3.19.1-3.34/kryo5.5.0\tunmodMap":         {refused, unreadable},
	"redisson3.19.1-3.34/kryo5.5.0\tlist of 2 unmod":  {refused, unreadable},
	"redisson3.19.1-3.34/kryo5.5.0\tlist unmod mixed": {refused, unreadable},
}

func TestVectors(t *testing.T) {
	t.Parallel()
	unused := map[string]bool{}
	for k := range exceptions {
		unused[k] = true
	}
	byConfig := map[string]*Codec{}
	for _, v := range vectors(t) {
		codec := byConfig[v.config]
		if codec == nil {
			codec = configured(t, v.config)
			byConfig[v.config] = codec
		}
		key := v.config + "\t" + v.label
		delete(unused, key)
		value, err := codec.Decode(v.payload)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		got, err := codec.Encode(value)
		how := ""
		var e *codecs.EncodeError
		switch {
		case errors.As(err, &e):
			how = refused
		case err != nil:
			t.Errorf("%s: untyped error %v", key, err)
		case !bytes.Equal(got, v.payload):
			how = other
		}
		if want := exceptions[key]; how != want[0] {
			t.Errorf("%s: %q, want %q (%s)\nencoded again: %x, %v\nJava wrote:    %x\n%s", key, how, want[0], want[1], got, err, v.payload, java.View(value))
		}
	}
	if n := len(vectors(t)); n != wanted {
		t.Errorf("%d vectors with bytes, want %d", n, wanted)
	}
	for k := range unused {
		t.Errorf("the exception %q names no vector", k)
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
