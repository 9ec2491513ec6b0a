package interop_test

import (
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// rootClasses describes the classes of the beans among the roots.
func rootClasses(t testing.TB) *java.Classes {
	t.Helper()
	classes, err := gotypes.ClassesOf(reflect.TypeFor[Line](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return classes
}

// bytesOfRandomValues: random values of the classes that a codec of Jackson's family
// writes, in maps and lists, are written as Java writes them.
func bytesOfRandomValues(t testing.TB, b *bench) {
	for _, f := range formatsOf(t, b.version) {
		if !f.roots || f.reads {
			continue
		}
		codec := f.dynamic(rootClasses(t))
		if strings.Contains(f.java, "typing=") { // which goes by the class that Java declares
			typed, err := codecs.For[map[string]any](codec, codecs.BindOptions{})
			if err != nil {
				t.Fatal(err)
			}
			codec = ofMaps{codec, typed}
		}
		random := rand.New(rand.NewPCG(7, 8))
		for range tries() {
			m := spread(random, randomMap(random, 2), f)
			text, err := jvm.Encode(sorted(m))
			if err != nil {
				t.Fatal(err)
			}
			if !compareBytesAs(t, b, codec, strings.ReplaceAll(f.java, "@", "java.util.HashMap"), m, text) {
				break // one difference tells enough
			}
		}
	}
}

// ofMaps is a codec that writes maps as such that are declared.
type ofMaps struct {
	codecs.Codec
	typed codecs.Typed[map[string]any]
}

func (c ofMaps) Encode(v any) ([]byte, error) { return c.typed.Encode(v.(map[string]any)) }

// spread puts values of more classes among those of a random map.
func spread(random *rand.Rand, v any, f format) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = spread(random, v[key], f)
		}
		return v
	case []any:
		for i := range v {
			v[i] = spread(random, v[i], f)
		}
		return v
	}
	if random.IntN(2) == 0 {
		return v
	}
	return randomScalar(random, f.large)
}

// randomScalar makes a value of one of the rarer classes; large ones are for formats
// that have numbers of any size.
func randomScalar(random *rand.Rand, large bool) any {
	kinds := 8
	if large {
		kinds = 10
	}
	switch random.IntN(kinds) {
	case 0:
		return int16(random.Uint32())
	case 1:
		return int8(random.Uint32())
	case 2:
		return float32(random.Int32N(1e6)) / 64
	case 3:
		return java.Char('a' + rune(random.IntN(26)))
	case 4:
		return java.Date{Class: "java.util.Date", Millis: random.Int64N(1e14) - 1e13}
	case 5:
		var u java.UUID
		for i := range u {
			u[i] = byte(random.Uint32())
		}
		return u
	case 6:
		bytes := make([]byte, random.IntN(40))
		for i := range bytes {
			bytes[i] = byte(random.Uint32())
		}
		return bytes
	case 7:
		return []any{math.NaN(), math.Inf(1), math.Inf(-1)}[random.IntN(3)]
	case 8:
		return randomBig(random)
	}
	return java.BigDecimal{Unscaled: randomBig(random), Scale: int32(random.IntN(40) - 10)}
}

func randomBig(random *rand.Rand) *big.Int {
	n := new(big.Int).SetUint64(random.Uint64())
	n.Lsh(n, uint(random.IntN(100)))
	n.Rsh(n, uint(random.IntN(164)))
	if random.IntN(2) == 0 {
		n.Neg(n)
	}
	return n
}
