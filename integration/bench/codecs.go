package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
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

// codecOp is one operation on one payload that is measured.
type codecOp struct {
	name   string // "kryo5 order decode"; "bare jsonjackson order encode" is of a library
	run    func() error
	bytes  int
	allocs int // that the decoded payload may take: one per string, slice, map, pointer or interface; 0: no goal
}

// pair are the two operations of a codec or library on a payload of the jars. It checks that the
// codec encodes the very bytes that it decodes.
func pair[T any](name, dir, payload string, allocs int, decode func([]byte) (T, error), encode func(T) ([]byte, error)) ([]codecOp, error) {
	text, err := os.ReadFile(filepath.Join(here(), "..", "..", "codecs", dir, "testdata", "bench", payload+".hex"))
	if err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, err
	}
	value, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, payload, err)
	}
	name += " " + payload
	ops := []codecOp{{name + " decode", func() error { _, err := decode(raw); return err }, len(raw), allocs}}
	if encode == nil {
		return ops, nil
	}
	again, err := encode(value)
	if err == nil && string(again) != string(raw) && !strings.HasPrefix(name, "bare ") {
		err = fmt.Errorf("%s encodes as\n%x, not as\n%x", name, again, raw)
	}
	return append(ops, codecOp{name + " encode", func() error { _, err := encode(value); return err }, len(raw), 0}), err
}

// codecOps are those of a codec on a payload that is a T in Go.
func codecOps[T any](codec codecs.Codec, name, dir, payload string, allocs int) func() ([]codecOp, error) {
	return func() ([]codecOp, error) {
		typed, err := codecs.For[T](codec, codecs.BindOptions{})
		if err != nil {
			return nil, err
		}
		if dir == "fst" { // it only reads
			return pair(name, dir, payload, allocs, typed.Decode, nil)
		}
		return pair(name, dir, payload, allocs, typed.Decode, typed.Encode)
	}
}

// libraryOps are those of a library that knows nothing of Java, on the very document of a codec.
func libraryOps(name, dir string, unmarshal func([]byte, any) error, marshal func(any) ([]byte, error)) func() ([]codecOp, error) {
	return func() ([]codecOp, error) {
		return pair("bare "+name, dir, "order", 0, func(raw []byte) (v bareOrder, err error) {
			err = unmarshal(raw, &v)
			return v, err
		}, func(v bareOrder) ([]byte, error) { return marshal(v) })
	}
}

// allCodecOps are all that is measured in this process.
func allCodecOps() (ops []codecOp, err error) {
	for _, of := range []func() ([]codecOp, error){
		codecOps[order](kryo5.New(), "kryo5", "kryo5", "order", 9),        // five strings, a slice, a pointer, a BigDecimal's two
		codecOps[map[string]any](kryo5.New(), "kryo5", "kryo5", "map", 7), // the map, two keys, two texts, two interfaces
		codecOps[[]string](kryo5.New(), "kryo5", "kryo5", "strings100", 101),
		codecOps[map[string]any](kryo5.New(), "kryo5", "kryo5", "nested5", 34), // on each of five levels a map, its keys, and what holds the values
		codecOps[order](marshalling.New(), "marshalling", "marshalling", "order", 0),
		codecOps[order](serialization.New(), "serialization", "serialization", "order", 0),
		codecOps[order](fst.New(), "fst", "fst", "order", 0),
		codecOps[order](jackson.JsonJackson(), "jsonjackson", "jackson", "order", 0),
		libraryOps("jsonjackson", "jackson", json.Unmarshal, json.Marshal),
		codecOps[order](msgpack.Jackson(), "msgpackjackson", "msgpack", "order", 0),
		libraryOps("msgpackjackson", "msgpack", vmsgpack.Unmarshal, vmsgpack.Marshal),
		codecOps[order](cbor.Jackson(), "cborjackson", "cbor", "order", 0),
		libraryOps("cborjackson", "cbor", fxcbor.Unmarshal, fxcbor.Marshal),
		codecOps[order](smile.Jackson(), "smilejackson", "smile", "order", 0),
	} {
		its, err := of()
		if err != nil {
			return nil, err
		}
		ops = append(ops, its...)
	}
	return ops, nil
}

// twins are codecs' own benchmarks beside those of the bare library on the same bytes: they lie
// with the codecs, whose test data are theirs alone.
var twins = []struct {
	name, ours, bare string
	most             float64
}{
	{"protobuf order decode", "BenchmarkOrder/decode", "BenchmarkOrder/decode/library", 1.2},
	{"protobuf order encode", "BenchmarkOrder/encode", "BenchmarkOrder/encode/library", 1.2},
	{"lz4(bytearray) order decode", "BenchmarkDecode/lz4/order/wrapper", "BenchmarkDecode/lz4/order/library", 1.4},
	{"snappyv2(bytearray) order decode", "BenchmarkDecode/snappyv2/order/wrapper", "BenchmarkDecode/snappyv2/order/library", 1.4},
	{"zstd(bytearray) order decode", "BenchmarkDecode/zstd/order/wrapper", "BenchmarkDecode/zstd/order/library", 1.4},
}

// codecs measures them beside the JVM's.
func (b *bench) codecs() (*chapter, error) {
	ops, err := allCodecOps()
	if err != nil {
		return nil, err
	}
	ns, allocs := series{}, map[string]float64{}
	for round := range b.plan.rounds {
		b.progress("  round %d of %d", round+1, b.plan.rounds)
		for _, op := range ops {
			took, count, err := timeOp(op.run, b.plan.codecSample)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", op.name, err)
			}
			ns.add(op.name, took)
			allocs[op.name] = count
		}
		if err = b.jmh(ns); err != nil {
			return nil, err
		}
		for pkg, pattern := range map[string]string{"./codecs/protobuf": "BenchmarkOrder$/.", "./codecs/compress": "BenchmarkDecode$/./^order$"} {
			found, err := b.goBench(pkg, pattern, b.plan.codecSample.String())
			if err != nil {
				return nil, err
			}
			for name, its := range found {
				ns.add(name, its)
			}
		}
	}
	return codecsChapter(ops, ns, allocs), nil
}

func codecsChapter(ops []codecOp, ns series, allocs map[string]float64) *chapter {
	c := &chapter{
		heading: "Codecs",
		text:    `The payloads are those of the jars (codecs/*/testdata/bench): the order bean of ten mixed fields, a map of two, a list of 100 strings, a map of five levels. Both sides read and write the very same bytes. Go goes through codecs.For; the JVM, by JMH, uses the libraries in Redisson's configuration with warm instances, without its buffers and pools. A bare library (encoding/json, msgpack/v5, fxamacker/cbor) takes the very document of the codec, class names and wrappers included.`,
		columns: []string{"codec, payload", "bytes", "Go, ns", "JVM, ns", "Go ÷ JVM", "Go ÷ bare library", "allocations in Go"},
	}
	for _, op := range ops {
		name := op.name
		if strings.HasPrefix(name, "bare ") {
			c.atMost(name[5:]+" ÷ the bare library", ns.ratio(name[5:], name), 1.5, "")
			continue
		}
		c.row(name, strconv.Itoa(op.bytes), ns.spread(name), ns.spread("jvm "+name), figure(ns.ratio(name, "jvm "+name)), figure(ns.ratio(name, "bare "+name)), figure(allocs[name]))
		if op.allocs > 0 {
			c.atMost(name+": allocations", allocs[name], float64(op.allocs), "")
		}
	}
	c.atMost("kryo5 order decode ÷ encoding/json on the document of jsonjackson", ns.ratio("kryo5 order decode", "bare jsonjackson order decode"), 0.25, "")
	for _, g := range []struct {
		what string
		most float64
	}{
		{"kryo5 order decode", 0.6}, {"kryo5 order encode", 0.5}, {"kryo5 map decode", 1}, {"kryo5 map encode", 0.9},
		{"kryo5 nested5 decode", 1.2}, {"kryo5 nested5 encode", 0.9}, {"serialization order decode", 0.25}, {"serialization order encode", 0.5},
		{"marshalling order decode", 0.5}, {"marshalling order encode", 0.5}, {"jsonjackson order decode", 1.5},
	} {
		c.atMost(g.what+" ÷ the JVM", ns.ratio(g.what, "jvm "+g.what), g.most, "the JVM compiles a reader and writer for the very classes while it runs")
	}
	for _, t := range twins {
		c.row(t.name, "–", ns.spread(t.ours), "–", "–", figure(ns.ratio(t.ours, t.bare)), "–")
		c.atMost(t.name+" ÷ the bare library", ns.ratio(t.ours, t.bare), t.most, "limits are checked before anything is allocated, and what is returned is a copy")
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
	if out, err := exec.CommandContext(b.ctx, filepath.Join(here(), "..", "java", "jmh.sh"), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("JMH: %w\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var all []struct {
		Benchmark     string // duequeue.bench.Kryo5.decode
		Params        map[string]string
		PrimaryMetric struct{ RawData [][]float64 } // of one fork
	}
	if err = json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, r := range all {
		parts := strings.Split(strings.ToLower(r.Benchmark), ".")
		ns.add("jvm "+parts[2]+" "+r.Params["payload"]+" "+parts[3], median(r.PrimaryMetric.RawData[0]))
	}
	return nil
}
