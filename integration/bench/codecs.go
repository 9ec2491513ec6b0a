package main

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

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

// codecOp is one operation on one payload that is measured.
type codecOp struct {
	name   string // "kryo5 order decode"
	run    func() error
	bytes  int
	allocs int // that the decoded payload may take: one per string, slice, map, pointer or interface; 0: no goal
}

// codecOps are decode and encode of a payload of the jars that is a T in Go. It checks that the very
// bytes are encoded that are decoded.
func codecOps[T any](codec codecs.Codec, name, dir, payload string, allocs int) func() ([]codecOp, error) {
	return func() ([]codecOp, error) {
		typed, err := codecs.For[T](codec, codecs.BindOptions{})
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(filepath.Join(here(), "..", "..", "codecs", dir, "testdata", "bench", payload+".hex"))
		if err != nil {
			return nil, err
		}
		raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
		if err != nil {
			return nil, err
		}
		what := name + " " + payload
		value, err := typed.Decode(raw)
		ops := []codecOp{{what + " decode", func() error { _, failed := typed.Decode(raw); return failed }, len(raw), allocs}}
		if dir == "fst" || err != nil { // FST only reads
			return ops, err
		}
		again, err := typed.Encode(value)
		if err == nil && string(again) != string(raw) {
			err = fmt.Errorf("%s encodes as\n%x, not as\n%x", what, again, raw)
		}
		return append(ops, codecOp{what + " encode", func() error { _, failed := typed.Encode(value); return failed }, len(raw), 0}), err
	}
}

// allCodecOps are all that is measured.
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
		codecOps[order](msgpack.Jackson(), "msgpackjackson", "msgpack", "order", 0),
		codecOps[order](cbor.Jackson(), "cborjackson", "cbor", "order", 0),
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

// codecs measures them beside the JVM's.
func (b *bench) codecs() (*chapter, error) {
	ops, err := allCodecOps()
	if err != nil {
		return nil, err
	}
	testing.Init()
	if err = flag.Set("test.benchtime", b.plan.codecSample.String()); err != nil {
		return nil, err
	}
	ns, allocs := series{}, map[string]float64{}
	for round := range b.plan.rounds {
		b.progress("  round %d of %d", round+1, b.plan.rounds)
		for _, op := range ops {
			r := testing.Benchmark(func(t *testing.B) {
				for t.Loop() {
					if err := op.run(); err != nil {
						t.Fatal(err)
					}
				}
			})
			ns.add(op.name, float64(r.T.Nanoseconds())/float64(r.N))
			allocs[op.name] = float64(r.AllocsPerOp())
		}
		if err := b.jmh(ns); err != nil {
			return nil, err
		}
	}
	c := &chapter{
		heading: "Codecs",
		text:    `The payloads are those of the jars (codecs/*/testdata/bench): the order bean of ten mixed fields, a map of two, a list of 100 strings, a map of five levels. Both sides read and write the very same bytes. Go goes through codecs.For; the JVM, by JMH, uses the libraries in Redisson's configuration with warm instances, without its buffers and pools. Beside Go's own libraries codecs are measured by their own benchmarks.`,
		columns: []string{"codec, payload", "bytes", "Go, ns", "JVM, ns", "Go ÷ JVM", "allocations in Go"},
	}
	most := map[string]float64{
		"kryo5 order decode": 0.6, "kryo5 order encode": 0.5, "kryo5 map decode": 1, "kryo5 map encode": 0.9,
		"kryo5 nested5 decode": 1.2, "kryo5 nested5 encode": 0.9, "serialization order decode": 0.6,
		"marshalling order decode": 1.3, "jsonjackson order decode": 1.5,
	}
	for _, op := range ops {
		ratio := ns.ratio(op.name, "jvm "+op.name)
		c.row(op.name, strconv.Itoa(op.bytes), ns.spread(op.name), ns.spread("jvm "+op.name), figure(ratio), figure(allocs[op.name]))
		if want, ok := most[op.name]; ok {
			c.atMost(op.name+" ÷ the JVM", ratio, want, "the JVM compiles a reader and writer for the very classes while it runs")
		}
		if op.allocs > 0 {
			c.atMost(op.name+": allocations", allocs[op.name], float64(op.allocs), "")
		}
	}
	return c, nil
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
