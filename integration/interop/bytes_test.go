package interop_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// byteCodecs are the codecs whose bytes are compared with a release's: Kryo 5 and
// River in a release whose default they are, JsonJackson everywhere.
func byteCodecs(b *bench) []codecs.Codec {
	out := []codecs.Codec{jackson.JsonJackson()}
	switch b.name {
	case "kryo5":
		out = append(out, kryo5.New())
		if b.version == "3.45.1" || b.version == "4.7.0" {
			out = append(out, serialization.New())
		}
	case "marshalling":
		out = append(out, marshalling.New())
	}
	return out
}

func bytesOfSamples(t testing.TB, b *bench) {
	for _, codec := range byteCodecs(b) {
		for _, name := range []string{"string", "hashmap5", "nested", "null", "order"} {
			compareBytes(t, b, codec, b.jvm.SampleValue(t, name), jvm.Sample(name))
		}
	}
}

// tries is how many random values are compared with each codec of a release.
func tries() int {
	if lab.LongForm() {
		return 1000
	}
	return 100
}

// bytesOfRandomMaps: a Go map is written as Java's new HashMap(), filled in sorted
// key order, writes itself.
func bytesOfRandomMaps(t testing.TB, b *bench) {
	maps := tries()
	for _, codec := range byteCodecs(b) {
		random := rand.New(rand.NewPCG(5, 6))
		for range maps {
			m := randomMap(random, 3)
			text, err := jvm.Encode(sorted(m))
			if err != nil {
				t.Fatal(err)
			}
			if !compareBytes(t, b, codec, m, text) {
				break // one difference tells enough
			}
		}
	}
}

func compareBytes(t testing.TB, b *bench, codec codecs.Codec, value any, text jvm.Text) bool {
	t.Helper()
	return compareBytesAs(t, b, codec, codec.Name(), value, text)
}

// compareBytesAs is compareBytes for a codec that the Java program calls otherwise.
func compareBytesAs(t testing.TB, b *bench, codec codecs.Codec, asked string, value any, text jvm.Text) bool {
	t.Helper()
	payload, err := codec.Encode(value)
	if err != nil {
		t.Errorf("%s: encode %.200s: %v", codec.Name(), text, err)
		return false
	}
	want := b.jvm.EncodeHex(t, asked, text)
	if got := hex.EncodeToString(payload); got != want {
		at := difference(got, want)
		t.Errorf("%s of %.200s differs at byte %d\n got …%s\njava …%s", codec.Name(), text, at/2, window(got, at), window(want, at))
		return false
	}
	return true
}

// difference returns where two texts begin to differ.
func difference(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// window shows the bytes around a place of a hex text, as they are and quoted.
func window(text string, at int) string {
	at -= at % 2
	part := text[max(0, at-60):min(len(text), at+60)]
	raw, err := hex.DecodeString(part)
	if err != nil {
		return part
	}
	return fmt.Sprintf("%s %q", part, raw)
}

// sorted is the map as a HashMap whose entries Java puts in by sorted key.
func sorted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := &java.Map{Class: "java.util.HashMap"}
		for k, value := range v {
			m.Entries = append(m.Entries, java.Entry{Key: k, Value: sorted(value)})
		}
		slices.SortFunc(m.Entries, func(a, b java.Entry) int { return strings.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key)) })
		return m
	case []any:
		l := &java.List{Class: "java.util.ArrayList", Elements: []any{}}
		for _, e := range v {
			l.Elements = append(l.Elements, sorted(e))
		}
		return l
	}
	return v
}

func randomMap(random *rand.Rand, depth int) map[string]any {
	size := random.IntN(12)
	if random.IntN(20) == 0 {
		size = random.IntN(200) // past some growths of the table
	}
	m := map[string]any{}
	for range size {
		m[randomKey(random)] = randomValue(random, depth)
	}
	return m
}

// randomKey makes keys that often share a hash code ("Aa" and "BB" do), so that
// buckets fill up and become trees.
func randomKey(random *rand.Rand) string {
	switch random.IntN(4) {
	case 0:
		return "key" + strconv.Itoa(random.IntN(1000))
	case 1:
		return randomText(random)
	}
	key := ""
	for range 1 + random.IntN(4) {
		key += []string{"Aa", "BB", "C#"}[random.IntN(3)]
	}
	return strings.Clone(key) // equal ones are two objects, as in the Java program
}

func randomText(random *rand.Rand) string {
	alphabet := []rune("abcXYZ019 _-\"\\\n\t/<&'é订单€\u0000\u007f\u0080\u2028\uffff\U0001F600")
	text := make([]rune, random.IntN(40))
	for i := range text {
		text[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(text)
}

func randomValue(random *rand.Rand, depth int) any {
	kinds := 10
	if depth == 0 {
		kinds = 8
	}
	switch random.IntN(kinds) {
	case 0, 1:
		return randomText(random)
	case 2:
		return int32(random.Uint32()) >> random.IntN(32)
	case 3:
		return int64(random.Uint64()) >> random.IntN(64)
	case 4:
		return float64(random.Int64N(1e6)) / 64
	case 5:
		// Few digits: before JDK 19, Double.toString wrote some doubles with one digit
		// more than needed, so that JSON's bytes depend on the JDK.
		return float64(random.Int64N(2e9)-1e9) / 100
	case 6:
		return random.IntN(2) == 0
	case 7:
		return nil
	case 8:
		return randomMap(random, depth-1)
	}
	list := []any{}
	for range random.IntN(5) {
		list = append(list, randomValue(random, depth-1))
	}
	return list
}
