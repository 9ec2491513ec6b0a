package ion

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// annotating is the codec for a release that names classes by annotations, as Java
// does, where that release cannot read them.
func annotating(release string) codecs.Codec {
	f := format("ionjackson")
	f.Generator = func(r *databind.Rules) token.Generator {
		g := newGenerator(r).(*generator)
		g.members = false
		return g
	}
	return databind.New(f, databind.Rules{Jackson: 2, Types: true}, jackson.Since(release))
}

// TestVectorsReadable: what releases wrote that cannot read it decodes, and is written
// in the form that they read, which holds the same: all but the names of classes is
// byte for byte what Java wrote.
func TestVectorsReadable(t *testing.T) {
	named := 0
	for _, row := range databindtest.Golden(t, ".") {
		if row.Release != "3.8.1" && row.Release != "3.12.5" {
			continue
		}
		codec, asJava := Jackson(jackson.Since(row.Release)), annotating(row.Release)
		same := encoded(t, asJava, row.Payload)
		readable := encoded(t, codec, row.Payload)
		again := encoded(t, asJava, readable)
		if !bytes.Equal(same, row.Payload) || !bytes.Equal(again, row.Payload) || bytes.Contains(readable, []byte("'::")) {
			t.Errorf("%s %s: %s became %s and %s, then %s", row.Where, row.Sample, row.Payload, same, readable, again)
		}
		if !bytes.Equal(readable, row.Payload) {
			named++
		}
	}
	if named < 200 {
		t.Errorf("only %d rows name a class", named)
	}
}

// encoded decodes a payload and encodes the value.
func encoded(t *testing.T, codec codecs.Codec, payload []byte) []byte {
	t.Helper()
	value, err := codec.Decode(payload)
	if err == nil {
		payload, err = codec.Encode(value)
	}
	if err != nil {
		t.Errorf("%s: %v", payload, err)
	}
	return payload
}

// TestReadable: the form that releases before 3.16.0 read, by both ways.
func TestReadable(t *testing.T) {
	long := int64(5)
	type spot struct {
		City string   `java:"city"`
		Tags []string `java:"tags"`
		Long *int64   `java:"long,java.lang.Long"`
	}
	opts := codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[spot](): "beans.Spot"}}
	for release, want := range map[string]string{
		"3.15.6": `{'@class':"beans.Spot",city:"x",long:["java.lang.Long",5],tags:["java.util.ArrayList",["a"]]}`,
		"3.16.0": `'beans.Spot'::{city:"x",long:'java.lang.Long'::5,tags:'java.util.ArrayList'::["a"]}`,
	} {
		codec := Jackson(jackson.Since(release))
		spots := codectest.Must(codecs.For[spot](codec, opts))(t)
		got, err := spots.Encode(spot{City: "x", Tags: []string{"a"}, Long: &long})
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", release, got, err, want)
		}
		for _, payload := range []string{want, `{'@class':"beans.Spot",city:"x",long:["java.lang.Long",5]}`, `'beans.Spot'::{city:"x",long:'java.lang.Long'::5}`} {
			if s, err := spots.Decode([]byte(payload)); err != nil || s.City != "x" || s.Long == nil || *s.Long != 5 {
				t.Errorf("%s: %s is %+v, %v", release, payload, s, err)
			}
		}
	}
}
