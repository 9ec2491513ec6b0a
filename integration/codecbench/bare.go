package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/integration/bench/gobench"
)

// twin is a codec's own benchmark beside that of the bare library on the same bytes. They lie with
// the codecs, whose test data are theirs alone.
type twin struct {
	what       string // "protobuf order decode"
	ours, bare string // benchmarks
	most       float64
}

func twins() []twin {
	out := []twin{
		{"protobuf order decode", "BenchmarkOrder/decode", "BenchmarkOrder/decode/library", 1.2},
		{"protobuf order encode", "BenchmarkOrder/encode", "BenchmarkOrder/encode/library", 1.2},
	}
	for _, layer := range []string{"lz4", "snappyv2", "zstd"} {
		at := "BenchmarkDecode/" + layer + "/order/"
		out = append(out, twin{layer + "(bytearray) order decode", at + "wrapper", at + "library", 1.4})
	}
	return out
}

func (t twin) goal() goal {
	return goal{fmt.Sprintf("%s ≤ %g × the bare library", t.what, t.most), "go " + t.what, "go bare " + t.what, t.most}
}

// twinsPattern chooses them among the benchmarks of their packages.
const twinsPattern = "BenchmarkOrder$/.|BenchmarkDecode$/./^order$"

// measureTwins takes a sample of each in every round.
func measureTwins(ctx context.Context, p plan, r *results) error {
	dir, err := os.MkdirTemp("", "codecbench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is small and in the system's temporary directory
	tests, err := gobench.Build(ctx, "codecs", filepath.Join(here(), "..", ".."), dir, "./codecs/protobuf", "./codecs/compress")
	if err != nil {
		return err
	}
	for range p.goSamples {
		found := gobench.Results{}
		if err := tests.Measure(ctx, found, twinsPattern, p.goSample.String()); err != nil {
			return err
		}
		for _, t := range twins() {
			for key, name := range map[string]string{"go " + t.what: t.ours, "go bare " + t.what: t.bare} {
				if len(found[name]["ns/op"]) == 0 {
					return fmt.Errorf("%s did not run", name)
				}
				r.ns[key] = append(r.ns[key], found[name]["ns/op"]...)
				r.allocs[key] = found[name]["allocs/op"][0]
			}
		}
	}
	return nil
}

// writeTwins is their table.
func (r *report) writeTwins(w *strings.Builder) {
	w.WriteString("\n## Beside the bare library\n\n| codec, payload | Go | bare library | Go / bare | allocations in Go | of the library |\n|---|---|---|---|---|---|\n")
	for _, t := range twins() {
		key, bare := "go "+t.what, "go bare "+t.what
		if _, measured := r.results.median(key); !measured {
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", t.what, r.time(key), r.time(bare), r.times(key, bare),
			strconv.Itoa(int(r.results.allocs[key])), strconv.Itoa(int(r.results.allocs[bare])))
	}
}
