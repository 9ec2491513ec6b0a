package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	fxcbor "github.com/fxamacker/cbor/v2"
	vmsgpack "github.com/vmihailenco/msgpack/v5"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/codecs/smile"
)

// order is duequeue.bench.Order, ten fields of mixed types.
type order struct {
	OrderID     string          `java:"orderId"`
	Customer    string          `java:"customer"`
	Remark      string          `java:"remark"`
	AmountCents int64           `java:"amountCents"`
	Quantity    int32           `java:"quantity"`
	Discount    *int32          `java:"discount"`
	Paid        bool            `java:"paid"`
	CreatedAt   time.Time       `java:"createdAt"`
	Total       java.BigDecimal `java:"total"`
	Tags        []string        `java:"tags"`
}

// JavaClass names the class of the benchmarks' program in Java.
func (order) JavaClass() string { return "duequeue.bench.Order serial 1" }

// jsonOrder is the same for encoding/json, with types that are cheap for it.
type jsonOrder struct {
	OrderID     string   `json:"orderId"`
	Customer    string   `json:"customer"`
	Remark      string   `json:"remark"`
	AmountCents int64    `json:"amountCents"`
	Quantity    int32    `json:"quantity"`
	Discount    *int32   `json:"discount"`
	Paid        bool     `json:"paid"`
	CreatedAt   int64    `json:"createdAt"`
	Total       float64  `json:"total"`
	Tags        []string `json:"tags"`
}

// bareOrder is the order as a library takes it that knows nothing of Java: the wrappers that name
// classes are lists of two there.
type bareOrder struct {
	Class       string `json:"@class" msgpack:"@class" cbor:"@class"`
	AmountCents int64  `json:"amountCents" msgpack:"amountCents" cbor:"amountCents"`
	CreatedAt   []any  `json:"createdAt" msgpack:"createdAt" cbor:"createdAt"`
	Customer    string `json:"customer" msgpack:"customer" cbor:"customer"`
	Discount    *int32 `json:"discount" msgpack:"discount" cbor:"discount"`
	OrderID     string `json:"orderId" msgpack:"orderId" cbor:"orderId"`
	Paid        bool   `json:"paid" msgpack:"paid" cbor:"paid"`
	Quantity    int32  `json:"quantity" msgpack:"quantity" cbor:"quantity"`
	Remark      string `json:"remark" msgpack:"remark" cbor:"remark"`
	Tags        []any  `json:"tags" msgpack:"tags" cbor:"tags"`
	Total       []any  `json:"total" msgpack:"total" cbor:"total"`
}

// codecRow is one thing that is measured.
type codecRow struct {
	name   string // "kryo5 order decode", "bare jsonjackson order encode", "json map decode"
	op     func() error
	bytes  int
	allocs int // that a decoded payload may take: one per string, slice, map, pointer or interface; 0: no goal
}

// codecRows collects rows; the first error is kept.
type codecRows struct {
	all []codecRow
	err error
}

func (r *codecRows) add(name string, bytes, allocs int, op func() error) {
	r.all = append(r.all, codecRow{name, op, bytes, allocs})
}

// addCodec adds decode and encode of one payload, after checking that what is encoded are the very
// bytes of the payload, and encoding/json on the same value where convert is given.
func addCodec[T any](r *codecRows, codec codecs.Codec, name, dir, payload string, allocs int, convert func(T) any) {
	fail := func(err error) {
		if err != nil && r.err == nil {
			r.err = fmt.Errorf("%s %s: %w", name, payload, err)
		}
	}
	typed, err := codecs.For[T](codec, codecs.BindOptions{})
	fail(err)
	raw, err := payloadOf(dir, payload)
	if fail(err); r.err != nil {
		return
	}
	value, err := typed.Decode(raw)
	fail(err)
	name += " " + payload
	r.add(name+" decode", len(raw), allocs, func() error {
		_, err := typed.Decode(raw)
		return err
	})
	if dir == "fst" { // it only reads
		return
	}
	again, err := typed.Encode(value)
	if fail(err); string(again) != string(raw) {
		fail(fmt.Errorf("encodes as\n%x, not as\n%x", again, raw))
	}
	r.add(name+" encode", len(raw), 0, func() error {
		_, err := typed.Encode(value)
		return err
	})
	if convert == nil {
		return
	}
	source := convert(value)
	text, err := json.Marshal(source)
	fail(err)
	decode := func() error {
		var v T
		return json.Unmarshal(text, &v)
	}
	if _, isOrder := source.(jsonOrder); isOrder {
		decode = func() error {
			var v jsonOrder
			return json.Unmarshal(text, &v)
		}
	}
	fail(decode())
	r.add("json "+payload+" decode", len(text), 0, decode)
	r.add("json "+payload+" encode", len(text), 0, func() error {
		_, err := json.Marshal(source)
		return err
	})
}

// payloadOf is a payload as Java wrote it.
func payloadOf(dir, payload string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(here(), "..", "..", "codecs", dir, "testdata", "bench", payload+".hex"))
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(strings.TrimSpace(string(text)))
}

// member is a codec of Jackson's family, beside a library that knows nothing of Java.
type member struct {
	name, dir string
	codec     codecs.Codec
	library   string
	unmarshal func([]byte, any) error // nil: there is no library that is fit for use
	marshal   func(any) ([]byte, error)
}

func family() []member {
	return []member{
		{"jsonjackson", "jackson", jackson.JsonJackson(), "encoding/json", json.Unmarshal, json.Marshal},
		{"msgpackjackson", "msgpack", msgpack.Jackson(), "msgpack/v5", vmsgpack.Unmarshal, vmsgpack.Marshal},
		{"cborjackson", "cbor", cbor.Jackson(), "fxamacker/cbor", fxcbor.Unmarshal, fxcbor.Marshal},
		{"smilejackson", "smile", smile.Jackson(), "", nil, nil},
	}
}

func newCodecRows() (*codecRows, error) {
	r := &codecRows{}
	addCodec(r, kryo5.New(), "kryo5", "kryo5", "order", 9, func(v order) any { // five strings, a slice, a pointer, a BigDecimal's two
		return jsonOrder{v.OrderID, v.Customer, v.Remark, v.AmountCents, v.Quantity, v.Discount, v.Paid, v.CreatedAt.UnixMilli(), 1299.00, v.Tags}
	})
	addCodec(r, kryo5.New(), "kryo5", "kryo5", "map", 7, func(v map[string]any) any { return v }) // the map, two keys, two texts, two interfaces
	addCodec(r, kryo5.New(), "kryo5", "kryo5", "strings100", 101, func(v []string) any { return v })
	addCodec(r, kryo5.New(), "kryo5", "kryo5", "nested5", 34, func(v map[string]any) any { return v }) // on each of five levels a map, its keys, and the interfaces that hold values
	addCodec[order](r, marshalling.New(), "marshalling", "marshalling", "order", 0, nil)
	addCodec[order](r, serialization.New(), "serialization", "serialization", "order", 0, nil)
	addCodec[order](r, fst.New(), "fst", "fst", "order", 0, nil)
	for _, m := range family() {
		addCodec[order](r, m.codec, m.name, m.dir, "order", 0, nil)
		if m.unmarshal == nil || r.err != nil {
			continue
		}
		raw, err := payloadOf(m.dir, "order")
		var value bareOrder
		if err == nil {
			err = m.unmarshal(raw, &value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.library, err)
		}
		r.add("bare "+m.name+" order decode", len(raw), 0, func() error {
			var v bareOrder
			return m.unmarshal(raw, &v)
		})
		r.add("bare "+m.name+" order encode", len(raw), 0, func() error {
			_, err := m.marshal(value)
			return err
		})
	}
	return r, r.err
}

// twins are codecs' own benchmarks beside those of the bare library on the same bytes: they lie
// with the codecs, whose test data are theirs alone.
var twins = []struct {
	pkg, pattern, name, ours, bare string
	most                           float64
}{
	{"./codecs/protobuf", "BenchmarkOrder$/.", "protobuf order decode", "BenchmarkOrder/decode", "BenchmarkOrder/decode/library", 1.2},
	{"./codecs/protobuf", "BenchmarkOrder$/.", "protobuf order encode", "BenchmarkOrder/encode", "BenchmarkOrder/encode/library", 1.2},
	{"./codecs/compress", "BenchmarkDecode$/./^order$", "lz4(bytearray) order decode", "BenchmarkDecode/lz4/order/wrapper", "BenchmarkDecode/lz4/order/library", 1.4},
	{"./codecs/compress", "BenchmarkDecode$/./^order$", "snappyv2(bytearray) order decode", "BenchmarkDecode/snappyv2/order/wrapper", "BenchmarkDecode/snappyv2/order/library", 1.4},
	{"./codecs/compress", "BenchmarkDecode$/./^order$", "zstd(bytearray) order decode", "BenchmarkDecode/zstd/order/wrapper", "BenchmarkDecode/zstd/order/library", 1.4},
}

// codecs measures them beside the JVM's.
func (b *bench) codecs() (*chapter, error) {
	rows, err := newCodecRows()
	if err != nil {
		return nil, err
	}
	tests := map[string]*goTests{}
	patterns := map[string]string{}
	for _, t := range twins {
		patterns[t.pkg] = t.pattern
		if tests[t.pkg] == nil {
			if tests[t.pkg], err = b.buildTests(t.pkg); err != nil {
				return nil, err
			}
		}
	}
	ns, allocs := series{}, map[string]float64{}
	for round := range b.plan.rounds {
		b.progress("  round %d of %d", round+1, b.plan.rounds)
		for _, r := range rows.all {
			took, count, err := timeOp(r.op, b.plan.codecSample)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.name, err)
			}
			ns.add(r.name, took)
			allocs[r.name] = count
		}
		if err = b.jmh(ns); err != nil {
			return nil, err
		}
		for pkg, t := range tests {
			found, err := t.measure(patterns[pkg], b.plan.codecSample.String())
			if err != nil {
				return nil, err
			}
			for name, op := range found {
				ns.add(name, op.ns)
			}
		}
	}
	return codecsChapter(rows.all, ns, allocs), nil
}

func codecsChapter(rows []codecRow, ns series, allocs map[string]float64) *chapter {
	c := &chapter{
		heading: "Codecs",
		text:    `The payloads are those of the jars (codecs/*/testdata/bench): the order bean of ten mixed fields, a map of two, a list of 100 strings, a map of five levels. Both sides read and write the very same bytes. Go goes through codecs.For; the JVM, by JMH, uses the libraries in Redisson's configuration with warm instances, without its buffers and pools. encoding/json carries the same values without Java's classes; "bare" is a library on the very document of the codec, class names and wrappers included.`,
		columns: []string{"codec, payload", "bytes", "Go, ns", "JVM, ns", "Go ÷ JVM", "Go ÷ encoding/json", "Go ÷ bare library", "allocations in Go"},
	}
	for _, r := range rows {
		if strings.HasPrefix(r.name, "json ") || strings.HasPrefix(r.name, "bare ") {
			continue
		}
		_, what, _ := strings.Cut(r.name, " ")
		c.row(r.name, fmt.Sprint(r.bytes), ns.spread(r.name), ns.spread("jvm "+r.name), figure(ns.ratio(r.name, "jvm "+r.name)),
			figure(ns.ratio(r.name, "json "+what)), figure(ns.ratio(r.name, "bare "+r.name)), figure(allocs[r.name]))
	}
	for _, t := range twins {
		c.row(t.name, "–", ns.spread(t.ours), "–", "–", "–", figure(ns.ratio(t.ours, t.bare)), "–")
	}
	for _, g := range []struct {
		what string
		most float64
	}{
		{"kryo5 order decode", 0.6}, {"kryo5 order encode", 0.5}, {"kryo5 map decode", 1}, {"kryo5 map encode", 0.9},
		{"kryo5 nested5 decode", 1.2}, {"kryo5 nested5 encode", 0.9}, {"serialization order decode", 0.25}, {"serialization order encode", 0.5},
		{"marshalling order decode", 0.5}, {"marshalling order encode", 0.5}, {"jsonjackson order decode", 1.5},
	} {
		c.atMost(g.what+" ÷ the JVM", ns.ratio(g.what, "jvm "+g.what), g.most, "the JVM compiles a reader for the very classes; Go allocates what it returns from a heap that is not thread-local")
	}
	c.atMost("kryo5 order decode ÷ encoding/json", ns.ratio("kryo5 order decode", "json order decode"), 0.25, "")
	c.atMost("jsonjackson order decode ÷ encoding/json on the same document", ns.ratio("jsonjackson order decode", "bare jsonjackson order decode"), 1, "")
	for _, m := range family() {
		for _, op := range []string{"decode", "encode"} {
			if what := m.name + " order " + op; m.unmarshal != nil {
				c.atMost(what+" ÷ "+m.library, ns.ratio(what, "bare "+what), 1.5, "")
			}
		}
	}
	for _, r := range rows {
		if r.allocs > 0 {
			c.atMost(r.name+": allocations", allocs[r.name], float64(r.allocs)+0.5, "")
		}
	}
	for _, t := range twins {
		c.atMost(t.name+" ÷ the bare library", ns.ratio(t.ours, t.bare), t.most, "the checks of limits before anything is allocated are the codec's own, and so is the copy that it returns")
	}
	return c
}

// timeOp repeats an operation for about the given time and returns nanoseconds and allocations of one.
func timeOp(op func() error, sample time.Duration) (ns, allocs float64, err error) {
	repeat := func(n int) (time.Duration, error) {
		began := time.Now()
		for range n {
			if err := op(); err != nil {
				return 0, err
			}
		}
		return time.Since(began), nil
	}
	const warmUp = 200
	took, err := repeat(warmUp)
	if err != nil {
		return 0, 0, err
	}
	n := max(1, int(sample/max(took/warmUp, 1)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	took, err = repeat(n)
	runtime.ReadMemStats(&after)
	return float64(took) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n), err
}

// jmh runs the benchmarks on the JVM once, and adds the median of each one's samples.
func (b *bench) jmh(ns series) error {
	file := filepath.Join(b.dir, "jmh.json")
	args := append([]string{"-bm", "avgt", "-tu", "ns", "-foe", "true", "-rf", "json", "-rff", file}, b.plan.jmh...)
	cmd := exec.CommandContext(b.ctx, filepath.Join(here(), "..", "java", "jmh.sh"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("JMH: %w\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var all []struct {
		Benchmark     string // duequeue.bench.Kryo5.decode
		Params        map[string]string
		PrimaryMetric struct {
			RawData [][]float64 // by fork
		}
	}
	if err = json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, r := range all {
		parts := strings.Split(r.Benchmark, ".")
		codec, op := strings.ToLower(parts[len(parts)-2]), parts[len(parts)-1]
		var samples []float64
		for _, fork := range r.PrimaryMetric.RawData {
			samples = append(samples, fork...)
		}
		ns.add("jvm "+codec+" "+r.Params["payload"]+" "+op, median(samples))
	}
	return nil
}
