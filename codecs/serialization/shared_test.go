package serialization

import (
	"os"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial/serialtest"
)

// stream is java.io in the tests that it shares with River.
var stream = &serialtest.Stream{
	New: func(o serialtest.Options) codecs.Codec {
		opts := []Option{Limits(o.Limits), Classes(o.Classes...), NoFields("Samples2$NoDef")}
		if o.RefuseUnknown {
			opts = append(opts, RefuseUnknownFields())
		}
		if o.RefuseMissing {
			opts = append(opts, RefuseMissingFields())
		}
		if o.Mistakes {
			opts = []Option{nil, Limits(codecs.Limits{Depth: 1 << 20}), NoFields("")}
		}
		return New(opts...)
	},
	Values: func(b codecs.Binding) codecs.Binding {
		values := *b.(*binding)
		values.typed = nil
		return &values
	},
	Reads: func(b codecs.Binding, payload []byte, target any) bool {
		both := b.(*binding)
		return both.typed != nil && both.decodeTyped(payload, target)
	},
	Writes: func(b codecs.Binding, dst []byte, value any) ([]byte, bool) {
		both := b.(*binding)
		if both.typed == nil || both.typed.Write == nil {
			return dst, false
		}
		out, ok := both.appendTyped(dst, value)
		return out, ok
	},
	Java: serialtest.Written{
		Below:    "aced00057372000864656d6f2e537562000000000000002a0200024a000269644c00046e616d657400124c6a6176612f6c616e672f537472696e673b7870000000000000000574000178",
		List:     "aced00057372000f53616d706c657332244d794c697374e6445d1672f3f3360200014900056578747261787200136a6176612e7574696c2e41727261794c6973747881d21d99c7619d03000149000473697a65787000000001770400000001740001657800000003",
		External: "aced00057372000864656d6f2e457874adc15e25174eab110c000078707706af67a47e00007077010378",
		Order:    orderHex(),
		Mistakes: []string{"Depth must be between", "class name is empty"},
	},
}

func orderHex() string {
	text, err := os.ReadFile("testdata/bench/order.hex")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// own are Go types for what Java wrote.
var own = []reflect.Type{
	reflect.TypeFor[sampleOrder](), reflect.TypeFor[*sampleOrder](), reflect.TypeFor[*sampleItem](), reflect.TypeFor[serialtest.Order](),
	reflect.TypeFor[sampleColor](), reflect.TypeFor[[]sampleColor](), reflect.TypeFor[map[string]sampleItem](), reflect.TypeFor[samplePoint](), reflect.TypeFor[modern](),
}

func TestRules(t *testing.T)  { t.Parallel(); stream.Rules(t) }
func TestOrder(t *testing.T)  { t.Parallel(); stream.Order(t) }
func TestLaughs(t *testing.T) { t.Parallel(); stream.Laughs(t, sample(t, "laughs")) }
func TestVectors(t *testing.T) {
	t.Parallel()
	serialtest.Vectors(t, vectorCodec(), vectors(t), otherBytes)
}

func TestPrefixes(t *testing.T)   { t.Parallel(); serialtest.Prefixes(t, vectorCodec(), vectors(t)) }
func TestTwoWays(t *testing.T)    { t.Parallel(); stream.TwoWays(t, folded(t), own...) }
func BenchmarkOrder(b *testing.B) { stream.Benchmark(b) }

// TestHostile is not parallel: it measures what the process allocates.
func TestHostile(t *testing.T) { stream.Hostile(t, codecs.Limits{}, hostile(t)) }

func FuzzDecode(f *testing.F) {
	seeds(f)
	serialtest.FuzzValues(f, stream.New(serialtest.Options{Limits: codecs.Limits{Elements: serialtest.Budget, Depth: 64}}))
}

// FuzzTyped holds both ways into a Go type together.
func FuzzTyped(f *testing.F) {
	seeds(f)
	stream.Fuzz(f, own...)
}

// folded are the vectors whose values do not unfold to a tree of 2^30 lists.
func folded(tb testing.TB) []serialtest.Vector {
	tb.Helper()
	var out []serialtest.Vector
	for _, v := range vectors(tb) {
		if v.Name != "laughs" {
			out = append(out, v)
		}
	}
	return out
}

func seeds(f *testing.F) {
	f.Helper()
	for _, v := range folded(f) {
		if len(v.Payload) < 16<<10 {
			f.Add(v.Payload)
		}
	}
	for _, h := range hostile(f) {
		if len(h.Payload) < 4<<10 {
			f.Add(h.Payload)
		}
	}
	f.Add(serialtest.Payload(f, stream.Java.Order))
}
