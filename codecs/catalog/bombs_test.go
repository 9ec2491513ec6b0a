package catalog_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// bombs are values of which a few bytes make much.
func bombs(n int) map[string]any {
	each := func(one func() any) *java.List { return &java.List{Elements: several(n, one)} }
	shared := &java.List{}
	for range 30 {
		shared = &java.List{Elements: []any{shared, shared}}
	}
	deep := &java.List{}
	for range 400 {
		deep = &java.List{Elements: []any{deep}}
	}
	return map[string]any{
		"nulls":       each(func() any { return nil }),
		"numbers":     each(func() any { return int32(1) }),
		"texts":       each(func() any { return "" }),
		"empty lists": each(func() any { return &java.List{} }),
		"empty maps":  each(func() any { return &java.Map{Class: java.ClassHashMap} }),
		"small maps":  each(func() any { return &java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: "", Value: nil}}} }),
		"UUIDs":       each(func() any { return java.UUID{} }),
		"booleans":    make([]bool, n),
		"shared":      shared,
		"deep":        deep,
		"long text":   strings.Repeat("a", n),
	}
}

func several(n int, one func() any) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = one()
	}
	return out
}

// declared are payloads that say that more comes than there is, or than takes bytes.
var declared = map[string][]string{
	"marshalling": {
		"04550000ffff7b01", // copies
		"04557fffffff7b01", // 2^31 of them
		"04" + strings.Repeat("55000003e87b", 20) + "01", // copies of copies
	},
	`avrojackson`: {"feff07", "feffffffffffffffff01", strings.Repeat("feff07", 20)},
}

// TestBombs: what a payload takes stays below its weight, whatever is in it. It counts bytes
// and is not parallel for that.
func TestBombs(t *testing.T) {
	const many = 80_000
	for _, name := range catalog.Names() {
		opts := catalog.Options{}
		if strings.HasPrefix(name, "avro") {
			opts.Schema = `{"type":"array","items":"null"}`
		}
		c, err := catalog.FindWith(name, opts)
		if err != nil {
			t.Fatal(err)
		}
		writer := c
		if name == "kryo5" {
			writer, err = catalog.FindWith(name, catalog.Options{References: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		for shape, v := range bombs(5_000) {
			if shape == "shared" && (strings.Contains(name, "jackson") || name == "json" || name == "kryo5") {
				continue // they write it 2^30 times
			}
			if payload, err := c.Encode(v); err == nil {
				_, _ = weighed(t, c, shape, payload)
			} else if shape == "shared" {
				if payload, err := writer.Encode(v); err == nil {
					_, _ = weighed(t, writer, shape, payload)
				}
			}
		}
		for _, text := range append(declared[name], declared[strings.TrimSuffix(name, "3")]...) {
			payload := codectest.FromHex(t, text)
			_, _ = weighed(t, c, "declared "+text[:min(12, len(text))], payload)
		}
		raw, err := c.Encode(&java.List{Elements: several(many, func() any { return &java.List{} })})
		if err != nil || name == "protobuf" { // which needs a type
			continue
		}
		wide := compress.Limits(codecs.Limits{Bytes: len(raw)})
		for class, wrap := range map[string]func(codecs.Codec, ...compress.Option) codecs.Codec{
			"lz4": compress.LZ4, "snappyv2": compress.SnappyV2, "snappy": compress.Snappy, "zstd": compress.ZStd,
		} {
			if class != "zstd" && name != "kryo5" {
				continue // the others make less of a byte
			}
			payload := codectest.Must(wrap(codecs.ByteArray(), wide).Encode(raw))(t)
			outer := wrap(c)
			used, err := weighed(t, outer, "compressed", payload)
			var e *codecs.DecodeError
			if len(payload) < 64<<10 && (!errors.As(err, &e) || e.Limit == "" || !strings.Contains(e.Error(), "Limits")) {
				t.Errorf("%s(%s): %d values of %d bytes: %v", class, name, many, len(payload), err)
			}
			if len(payload) < 64<<10 && used > 40<<20 {
				t.Errorf("%s(%s): %d bytes took %d", class, name, len(payload), used)
			}
		}
	}
}

// weighed decodes a payload, and reports where that takes more than the payload's weight.
func weighed(t *testing.T, c codecs.Codec, shape string, payload []byte) (used int64, err error) {
	t.Helper()
	_, _ = c.Decode(payload) // what is made once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = c.Decode(payload)
	runtime.ReadMemStats(&after)
	used = int64(after.TotalAlloc - before.TotalAlloc)
	// Half of what is allocated was given up when lists grew.
	if most := max(codecs.Weight(c, payload), 3<<20); used/2 > most {
		t.Errorf("%s, %s: %d bytes took %d, the weight is %d: %v", c.Name(), shape, len(payload), used, most, err)
	}
	return used, err
}
