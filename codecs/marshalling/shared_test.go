package marshalling

import (
	"os"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial/serialtest"
)

// stream is River in the tests that it shares with java.io.
var stream = &serialtest.Stream{
	New: func(o serialtest.Options) codecs.Codec {
		opts := []Option{Limits(o.Limits), Classes(o.Classes...)}
		if o.RefuseUnknown {
			opts = append(opts, RefuseUnknownFields())
		}
		if o.RefuseMissing {
			opts = append(opts, RefuseMissingFields())
		}
		if o.Mistakes {
			opts = []Option{nil, Limits(codecs.Limits{Depth: -1}), ShareStrings(7)}
		}
		return New(opts...)
	},
	Values: func(b codecs.Binding) codecs.Binding {
		both := b.(*binding)
		return &binding{codec: both.codec, plan: both.plan, typ: both.typ, beans: both.beans, described: both.described}
	},
	Reads: func(b codecs.Binding, payload []byte, target any) bool {
		both := b.(*binding)
		d := both.codec.decoder(payload)
		defer both.codec.release(d)
		return both.root != nil && both.decodeTyped(d, target)
	},
	Writes: func(b codecs.Binding, dst []byte, value any) ([]byte, bool) {
		both := b.(*binding)
		if both.root == nil || both.root.Write == nil || reflect.TypeOf(value) != both.typ {
			return dst, false
		}
		return both.appendTyped(dst, value)
	},
	Names: true,
	Java: serialtest.Written{
		Below:    "0404093e0864656d6f2e537562000000000000002a000000023e02696424003e046e616d6516001600000000000000053e0178",
		List:     "0404093e0f53616d706c657332244d794c697374e6445d1672f3f336000000013e0565787472612300383e136a6176612e7574696c2e41727261794c6973747881d21d99c7619d000000013e0473697a65230016000000013204000000013e01653500000003",
		External: "04040a0000000864656d6f2e457874adc15e25174eab113208af67a47e000000000132010335",
		Order:    orderHex(),
		Mistakes: []string{"ShareStrings(7)"},
	},
}

func orderHex() string {
	text, err := os.ReadFile("testdata/bench/order.hex")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// own are the Go twins of the beans in testdata/java/River.java.
var own = []reflect.Type{
	reflect.TypeFor[order](), reflect.TypeFor[*ringNode](), reflect.TypeFor[two](), reflect.TypeFor[[]item](), reflect.TypeFor[serialtest.Order](),
}

func TestRules(t *testing.T)   { t.Parallel(); stream.Rules(t) }
func TestOrder(t *testing.T)   { t.Parallel(); stream.Order(t) }
func TestLaughs(t *testing.T)  { t.Parallel(); stream.Laughs(t, laughs()) }
func TestVectors(t *testing.T) { t.Parallel(); serialtest.Vectors(t, New(), samples(t), differs) }

func TestPrefixes(t *testing.T)   { t.Parallel(); serialtest.Prefixes(t, stream.New(few), samples(t)) }
func TestTwoWays(t *testing.T)    { t.Parallel(); stream.TwoWays(t, samples(t), own...) }
func BenchmarkOrder(b *testing.B) { stream.Benchmark(b) }

// few are limits for payloads that anybody may have written.
var few = serialtest.Options{Limits: codecs.Limits{Elements: serialtest.Budget, Depth: 64}}

// TestHostile is not parallel: it measures what the process allocates.
func TestHostile(t *testing.T) { stream.Hostile(t, few.Limits, hostile()) }

func FuzzDecode(f *testing.F) {
	seeds(f)
	serialtest.FuzzValues(f, stream.New(few))
}

// FuzzDecodeStruct holds both ways into a Go type together.
func FuzzDecodeStruct(f *testing.F) {
	seeds(f)
	stream.Fuzz(f, own...)
}

// seeds are everything that Java wrote, and the hostile payloads.
func seeds(f *testing.F) {
	f.Helper()
	f.Add(serialtest.Payload(f, stream.Java.Order))
	for _, v := range samples(f) {
		f.Add(v.Payload)
	}
	for _, u := range unsharedVectors(f) {
		f.Add(u.payload)
	}
	for _, h := range hostile() {
		f.Add(h.Payload)
	}
}
