package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// wrappers are the compressing codecs, in the order in which they are listed.
var wrappers = []struct {
	name string
	wrap func(inner codecs.Codec, opts ...compress.Option) codecs.Codec
}{
	{"lz4", compress.LZ4},
	{"lz4v2", compress.LZ4V2},
	{"snappy", compress.Snappy},
	{"snappyv2", compress.SnappyV2},
	{"zstd", compress.ZStd},
}

// Wrappers returns the canonical names of the codecs that compress the bytes of
// another one: "lz4" for names such as "lz4(kryo5)".
func Wrappers() []string {
	names := make([]string, len(wrappers))
	for i, w := range wrappers {
		names[i] = w.name
	}
	return names
}

// built is a codec and the options that a part of it knows.
type built struct {
	codec codecs.Codec
	takes takes
}

// build makes the codec of a name, with those of the options that each part knows.
// Within says that the name stands in a wrapper.
func build(name string, opts Options, depth int, within bool) (built, error) {
	s := take(name)
	if depth > maxNested {
		return built{}, &UnknownError{Name: name, Canonical: s.outer, Reason: fmt.Sprintf("more than %d codecs within each other", maxNested)}
	}
	if s.torn {
		return built{}, &UnknownError{Name: name, Canonical: s.outer, Reason: "its parentheses do not match: write it as lz4(kryo5)"}
	}
	if s.outer == composite && len(s.parts) == 3 {
		return build(s.parts[2], opts, depth+1, within)
	}
	if s.outer == anyOf && s.open {
		return buildAnyOf(s, opts, depth, within)
	}
	if s.outer == textIn && s.open {
		return buildText(s, opts, depth)
	}
	for _, w := range wrappers {
		if w.name != s.outer {
			continue
		}
		inner, err := innerOf(s, opts)
		if err != nil {
			return built{}, err
		}
		b, err := build(inner, opts, depth+1, true)
		if err != nil {
			return built{}, err
		}
		own := []compress.Option{compress.Limits(opts.Limits)}
		if opts.Since != "" {
			own = append(own, compress.Since(opts.Since))
		}
		b.takes |= takesSince
		b.codec, err = checked(w.wrap(b.codec, own...))
		return b, err
	}
	return buildOne(s, opts, within)
}

// buildText makes the codec of a text within the string of another codec.
func buildText(s spelling, opts Options, depth int) (built, error) {
	if len(s.parts) != 2 {
		return built{}, &UnknownError{Name: s.text, Canonical: Canonical(s.text), Kind: Incomplete, Reason: "name the codec of the string and that of the text in it: text(kryo5,json)"}
	}
	outer, err := build(s.parts[0], opts, depth+1, true)
	if err != nil {
		return built{}, err
	}
	inner, err := build(s.parts[1], opts, depth+1, true)
	if err != nil {
		return built{}, err
	}
	c, err := checked(codecs.Text(outer.codec, inner.codec))
	return built{c, outer.takes | inner.takes}, err
}

// buildOne makes a codec that holds no others.
func buildOne(s spelling, opts Options, within bool) (built, error) {
	for _, e := range entries {
		if e.name != s.outer || len(s.parts) > 0 {
			continue
		}
		known := e.takes
		if within && e.name == fstName {
			known &^= takesSince // the release of Redisson, which the wrapper knows
			opts.Since = ""
		}
		opts.mapper = s.mapper
		if s.mapper != "" && known&takesMapper == 0 {
			return built{}, &OptionError{Codec: e.name, Err: errors.New("has no ObjectMapper: there is a + behind its name")}
		}
		c, err := e.build(opts)
		if err != nil {
			return built{}, &OptionError{Codec: e.name, Err: err}
		}
		if !e.bare {
			c, err = checked(c)
		}
		return built{c, known}, err
	}
	return built{}, refuse(s)
}

// innerOf returns the name within a wrapper, or that of the codec which Redisson
// means where there is none.
func innerOf(s spelling, opts Options) (string, error) {
	switch {
	case len(s.parts) == 1:
		return s.parts[0], nil
	case len(s.parts) > 1:
		return "", &UnknownError{Name: s.text, Canonical: Canonical(s.text), Reason: s.outer + " compresses one codec's bytes"}
	}
	ask := func(why string) (string, error) {
		return "", &UnknownError{Name: s.text, Canonical: s.outer, Kind: Incomplete, Reason: why + ": name it, for example " + s.outer + "(kryo5)"}
	}
	since, err := option.ParseRelease(opts.Since)
	if err != nil {
		return ask("without an inner codec Java means Kryo5Codec from Redisson 3.19 on, MarshallingCodec in 3.13 to 3.18, FstCodec before; Since does not say which")
	}
	switch {
	case !since.Before(option.Release{3, 19, 0}):
		return "kryo5", nil
	case !since.Before(option.Release{3, 13, 0}):
		return "marshalling", nil
	case !since.Before(option.Release{3, 12, 3}):
		return ask("without an inner codec Redisson " + opts.Since + " means Kryo5Codec, but FstCodec where a ClassLoader is given")
	}
	return fstName, nil
}

const fstName = "fst"

// buildAnyOf makes a list of codecs. A list with a codec that accepts any bytes is
// one that prefers its first codecs, because nothing else is possible.
func buildAnyOf(s spelling, opts Options, depth int, within bool) (built, error) {
	var list []codecs.Codec
	var known takes
	greedy := false
	// Since is fst's own release only where no other part takes it as Redisson's.
	within = within || slices.ContainsFunc(s.parts, func(name string) bool { return hasSince(take(name)) })
	for _, name := range s.parts {
		b, err := build(name, opts, depth+1, within)
		if err != nil {
			return built{}, err
		}
		known |= b.takes
		greedy = greedy || b.codec.Name() == "string" || b.codec.Name() == "bytearray"
		list = append(list, b.codec)
	}
	found := codecs.AnyOf(list[0], list[1:]...)
	if greedy {
		found = found.PreferFirst()
	}
	c, err := checked(found)
	return built{c, known}, err
}

// hasSince reports whether a part of a list takes Options.Since as the release of
// Redisson.
func hasSince(s spelling) bool {
	if s.outer == composite && len(s.parts) == 3 {
		return hasSince(take(s.parts[2]))
	}
	if slices.Contains(Wrappers(), s.outer) {
		return true
	}
	return s.outer != fstName && slices.ContainsFunc(entries, func(e entry) bool { return e.name == s.outer && e.takes&takesSince != 0 })
}

// all names what there is, for errors.
func all() string {
	return "there are " + strings.Join(Names(), ", ") + ", around each of them " + strings.Join(Wrappers(), ", ") + ", and text(kryo5,json) for JSON in a string"
}
