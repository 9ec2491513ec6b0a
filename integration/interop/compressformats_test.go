package interop_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// wrapper is a codec around another one.
type wrapper struct {
	name   string
	make   func(codecs.Codec, ...compress.Option) codecs.Codec
	since  string // the release that brought it; empty: all have it
	before string // the release that removed it
	// foreign: a compressor may choose other bytes for the same content than Java's,
	// and does.
	foreign bool
}

func wrappers() []wrapper {
	return []wrapper{
		{name: "lz4", make: compress.LZ4},
		{name: "lz4v2", make: compress.LZ4V2, since: "3.24.0", foreign: true},
		{name: "snappy", make: compress.Snappy, before: "4.1.0", foreign: true},
		{name: "snappyv2", make: compress.SnappyV2, foreign: true},
		{name: "zstd", make: compress.ZStd, since: "3.39.0", foreign: true},
		{name: "composite", make: func(inner codecs.Codec, _ ...compress.Option) codecs.Codec { return inner }},
	}
}

// wrappedTwins are what crosses compressed, beside the order.
func wrappedTwins() []twin {
	hundred := make([]string, 0, 100)
	for i := range 100 {
		hundred = append(hundred, "string-"+strconv.Itoa(i))
	}
	return []twin{
		twinOf[[]string]{name: "bench.strings100", value: func() []string { return hundred }, need: wrapped},
		twinOf[[]string]{name: "root.repeats", value: func() []string { return []string{strings.Repeat("hello ", 1000)} }, need: wrapped},
		twinOf[string]{name: "root.longtext", value: func() string { return strings.Repeat("0123456789", 1000) }, need: wrapped},
		twinOf[string]{name: "root.text", value: func() string { return "其他 \U0001F600 \"\\/<&>\u2028\u007f" }, need: wrapped},
	}
}

// compressFormats are the wrappers around codecs of the release: its default, as far
// as Go writes it, JSON and plain text.
func compressFormats(version string) []format {
	if !slices.Contains(jacksonReleases, version) {
		return nil
	}
	texts := []jvm.Text{"@root.longtext", "@root.text"}
	values := []jvm.Text{"@bench.order", "@bench.strings100", "@root.repeats"}
	inner := []format{
		{java: "string", codec: codecs.String(), only: texts},
		{java: "jsonjackson", codec: jackson.JsonJackson(jackson.Since(version)), only: append(values, texts...)},
	}
	switch {
	case atLeast(version, "3.19"):
		inner = append(inner, format{java: "kryo5", codec: kryo5.New(kryo5.Since(version)), only: append(values, texts...)})
	case atLeast(version, "3.13"):
		inner = append(inner, format{java: "marshalling", codec: marshalling.New(), only: append(values, texts...)})
	}
	var out []format
	for _, w := range wrappers() {
		if !atLeast(version, w.since) || w.before != "" && atLeast(version, w.before) {
			continue
		}
		for _, f := range inner {
			f.java = w.name + "(" + f.java + ")"
			f.codec = w.make(f.codec, compress.Since(version))
			f.carries, f.foreign = wrapped, w.foreign
			if w.name == "lz4" && !atLeast(version, "3.30") {
				f.foreign = true // lz4 1.3.0 of 2014 ends some blocks in another way than C's LZ4 of today
			}
			out = append(out, f)
		}
	}
	return out
}
