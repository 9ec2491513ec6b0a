package serial_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/serialization"
)

// The tests of this package hold the two object streams, java.io (package serialization) and
// River (package marshalling), to one set of rules. What concerns the bytes of one of them
// alone is tested in its package.

// stream is one codec under test.
type stream struct {
	name string
	dir  string // of the package
	New  func(options) codecs.Codec
	// Java is what Java wrote of some values, in hex.
	Java written
	// files hold what else Java wrote: a line is a name of some words, then hex.
	files []string
	words int
	// differs are the payloads that are not written as Java wrote them, and why.
	differs map[string]string
}

// options are those that both codecs have.
type options struct {
	Limits        codecs.Limits
	Classes       []*java.Classes
	RefuseUnknown bool
	RefuseMissing bool
	// Mistakes adds an option that is nil, and mistakes that the codec reports.
	Mistakes bool
}

// written is what Java wrote of some values, in hex.
type written struct {
	Below    string   // new demo.Sub(5, "x"), see below
	List     string   // a Samples2$MyList with the element "e"
	External string   // a demo.Ext, an Externalizable class: an int, a string and an object
	Mistakes []string // parts of the error of a codec with options.Mistakes
}

var river = &stream{
	name: "river", dir: "../../marshalling/",
	New: func(o options) codecs.Codec {
		opts := []marshalling.Option{marshalling.Limits(o.Limits), marshalling.Classes(o.Classes...)}
		if o.RefuseUnknown {
			opts = append(opts, marshalling.RefuseUnknownFields())
		}
		if o.RefuseMissing {
			opts = append(opts, marshalling.RefuseMissingFields())
		}
		if o.Mistakes {
			opts = []marshalling.Option{nil, marshalling.Limits(codecs.Limits{Depth: -1}), marshalling.ShareStrings(7)}
		}
		return marshalling.New(opts...)
	},
	Java: written{
		Below:    "0404093e0864656d6f2e537562000000000000002a000000023e02696424003e046e616d6516001600000000000000053e0178",
		List:     "0404093e0f53616d706c657332244d794c697374e6445d1672f3f336000000013e0565787472612300383e136a6176612e7574696c2e41727261794c6973747881d21d99c7619d000000013e0473697a65230016000000013204000000013e01653500000003",
		External: "04040a0000000864656d6f2e457874adc15e25174eab113208af67a47e000000000132010335",
		Mistakes: []string{"ShareStrings(7)"},
	},
	files: []string{"legacy.tsv", "samples.tsv"}, words: 2,
	differs: func() map[string]string {
		out := map[string]string{}
		for _, label := range []string{"MyList", "MyList[e]", "MyAd", "MyLL", "dblbrace list", "tags"} {
			out["river4-2.0.9/"+label] = "the superclass of a list is written as library 2.0.10 and later do"
		}
		for _, label := range []string{"String fffffffff1", "HashMap {orderId:100}", "Color.GREEN", "Order"} {
			out["river2/"+label] = "protocol 4 is written, as Redisson does"
			out["river3/"+label] = "protocol 4 is written, as Redisson does"
		}
		return out
	}(),
}

var javaIO = &stream{
	name: "java.io", dir: "../../serialization/",
	New: func(o options) codecs.Codec {
		opts := []serialization.Option{serialization.Limits(o.Limits), serialization.Classes(o.Classes...), serialization.NoFields("Samples2$NoDef")}
		if o.RefuseUnknown {
			opts = append(opts, serialization.RefuseUnknownFields())
		}
		if o.RefuseMissing {
			opts = append(opts, serialization.RefuseMissingFields())
		}
		if o.Mistakes {
			opts = []serialization.Option{nil, serialization.Limits(codecs.Limits{Depth: 1 << 20}), serialization.NoFields("")}
		}
		return serialization.New(opts...)
	},
	Java: written{
		Below:    "aced00057372000864656d6f2e537562000000000000002a0200024a000269644c00046e616d657400124c6a6176612f6c616e672f537472696e673b7870000000000000000574000178",
		List:     "aced00057372000f53616d706c657332244d794c697374e6445d1672f3f3360200014900056578747261787200136a6176612e7574696c2e41727261794c6973747881d21d99c7619d03000149000473697a65787000000001770400000001740001657800000003",
		External: "aced00057372000864656d6f2e457874adc15e25174eab110c000078707706af67a47e00007077010378",
		Mistakes: []string{"Depth must be between", "class name is empty"},
	},
	files: []string{"vectors.tsv", "samples.tsv"}, words: 1,
	differs: map[string]string{
		"spare room":       "a StringBuilder keeps its text, not its capacity",
		"empty strings":    "all empty strings are one",
		"numbers distinct": "small numbers are one, and new Integer makes another one",
		"digits distinct":  "decimals of few digits share them, and new BigDecimal(new BigInteger(…)) has its own",
		"numbers shared":   "numbers below 256 that Java does not keep are distinct",
	},
}

// each runs a test for either stream.
func each(t *testing.T, test func(t *testing.T, s *stream)) {
	t.Helper()
	for _, s := range []*stream{river, javaIO} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// vector is a payload that Java wrote.
type vector struct {
	Name    string
	Payload []byte
}

// vectors are all payloads that Java wrote; see testdata/README.md of the package.
func (s *stream) vectors(tb testing.TB) []vector {
	tb.Helper()
	var out []vector
	for _, file := range s.files {
		for _, cells := range codectest.Rows(tb, s.dir+"testdata/"+file) {
			if len(cells) <= s.words || s == river && !strings.HasPrefix(cells[0], "river") {
				continue
			}
			out = append(out, vector{strings.Join(cells[:s.words], "/"), codectest.FromHex(tb, cells[s.words])})
		}
	}
	return out
}

// order is the payload of the benchmarks.
func (s *stream) order(tb testing.TB) []byte {
	tb.Helper()
	text := codectest.Must(os.ReadFile(s.dir + "testdata/bench/order.hex"))(tb)
	return codectest.FromHex(tb, string(text))
}

// budget is the number of elements in the tests of what decoding allocates.
const budget = 4096

// small are limits for payloads that anybody may have written.
var small = options{Limits: codecs.Limits{Elements: budget, Depth: 64}}

func bind(tb testing.TB, codec codecs.Codec, t reflect.Type) codecs.Binding {
	tb.Helper()
	b, err := codec.Bind(t, codecs.BindOptions{})
	if err != nil {
		tb.Fatalf("%s: %v", t, err)
	}
	return b
}

// encode writes a value by the codec without a Go type.
func encode(tb testing.TB, codec codecs.Codec, v any) []byte {
	tb.Helper()
	payload, err := codec.Encode(v)
	if err != nil {
		tb.Fatalf("%T: %v", v, err)
	}
	return payload
}
