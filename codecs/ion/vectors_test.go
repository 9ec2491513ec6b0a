package ion

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// row is one row of testdata/VERSION.tsv.
type row struct {
	codec, where, sample string
	payload              []byte // nil where Java's codec failed
}

// rows returns the rows of a release for a codec.
func rows(tb testing.TB, release, codec string) []row {
	tb.Helper()
	content, err := os.ReadFile("testdata/" + release + ".tsv")
	if err != nil {
		tb.Fatal(err)
	}
	var out []row
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) < 4 || cells[0] != codec {
			continue
		}
		r := row{codec: cells[0], where: cells[1], sample: cells[2]}
		if !strings.HasPrefix(cells[3], "WRITEFAIL") {
			if r.payload, err = hex.DecodeString(cells[3]); err != nil {
				tb.Fatalf("%s: %v", lines.Text(), err)
			}
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		tb.Fatalf("no rows of %s in %s", codec, release)
	}
	return out
}

// TestVectors: what each release wrote decodes, and encodes to the same bytes.
func TestVectors(t *testing.T) {
	for _, release := range []string{"3.18.1", "3.19.0", "3.30.0", "3.45.1", "4.1.0", "4.7.0"} {
		t.Run(release, func(t *testing.T) {
			checkRows(t, Jackson(jackson.Since(release)), rows(t, release, "IonJacksonCodec"))
		})
	}
}

// annotating is the codec for a release that names classes by annotations, as Java
// does, where that release cannot read them.
func annotating(release string) codecs.Codec {
	f := format("ionjackson")
	f.Generator = func(r *databind.Rules) token.Generator {
		g := newGenerator(r).(*generator)
		g.members = false
		return g
	}
	return databind.New(f, databind.Jackson2Rules(), jackson.Since(release))
}

// TestVectorsReadable: what releases wrote that cannot read it decodes, and is written
// in the form that they read, which holds the same: all but the names of classes is
// byte for byte what Java wrote.
func TestVectorsReadable(t *testing.T) {
	for _, release := range []string{"3.8.1", "3.12.5"} {
		t.Run(release, func(t *testing.T) {
			codec, asJava := Jackson(jackson.Since(release)), annotating(release)
			all := rows(t, release, "IonJacksonCodec")
			checkRows(t, asJava, all)
			named := 0
			for _, r := range all {
				value, err := codec.Decode(r.payload)
				if err != nil {
					continue // checkRows said what is wrong
				}
				readable, err := codec.Encode(value)
				if err != nil {
					t.Errorf("%s %s: %s: %v", r.where, r.sample, r.payload, err)
					continue
				}
				if bytes.Contains(readable, []byte("'::")) {
					t.Errorf("%s %s: %s has an annotation", r.where, r.sample, readable)
				}
				if value, err = codec.Decode(readable); err != nil {
					t.Errorf("%s %s: %s: %v", r.where, r.sample, readable, err)
					continue
				}
				again, err := asJava.Encode(value)
				if err != nil || !bytes.Equal(again, r.payload) {
					t.Errorf("%s %s: %s became %s, then %s, %v", r.where, r.sample, r.payload, readable, again, err)
				}
				if !bytes.Equal(readable, r.payload) {
					named++
				}
			}
			if named < 100 {
				t.Errorf("only %d of %d rows name a class", named, len(all))
			}
		})
	}
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
		spots, err := codecs.For[spot](codec, opts)
		if err != nil {
			t.Fatal(err)
		}
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

func checkRows(t *testing.T, codec codecs.Codec, rows []row) {
	t.Helper()
	for _, r := range rows {
		if r.payload == nil {
			continue
		}
		value, err := codec.Decode(r.payload)
		if err != nil {
			t.Errorf("%s %s: %s: %v", r.where, r.sample, r.payload, err)
			continue
		}
		again, err := codec.Encode(value)
		if err != nil || !bytes.Equal(again, r.payload) {
			t.Errorf("%s %s: %.200s became %.200s, %v", r.where, r.sample, r.payload, again, err)
		}
	}
}

// TestVectors3 is TestVectors for IonJackson3Codec.
func TestVectors3(t *testing.T) {
	checkRows(t, Jackson3(), rows(t, "4.7.0", "IonJackson3Codec"))
}
