package catalog

import "strings"

// spelling is a codec name taken apart: lz4(kryo5) is "lz4" with one part. Names
// within keep their spelling, for errors.
type spelling struct {
	text   string // as it was given
	outer  string // canonical
	mapper string // the text of a jackson.Mapper behind a plus
	parts  []string
	open   bool // it has parentheses, also empty ones
	torn   bool // its parentheses do not match, or something follows them
}

// take takes a name apart. What has no matching parentheses has no parts.
func take(name string) spelling {
	s := spelling{text: name}
	name = strings.TrimSpace(name)
	if word, rest, ok := strings.Cut(name, " "); ok && word == "new" { // Java's own "new LZ4Codec(new Kryo5Codec())"
		name = strings.TrimSpace(rest)
	}
	outer, inner, wrapped := strings.Cut(name, "(")
	if wrapped {
		inner, wrapped = strings.CutSuffix(inner, ")")
		s.torn = !wrapped || !balanced(inner)
	}
	outer, s.mapper, _ = strings.Cut(outer, "+")
	s.outer = strip(strings.ToLower(outer))
	if s.open = wrapped; wrapped && (strings.TrimSpace(inner) != "" || s.outer == anyOf || s.outer == textIn) {
		s.parts = splitList(inner)
	}
	if s.outer == textIn && len(s.parts) > 2 { // a pattern of dates may have commas
		s.parts = []string{s.parts[0], strings.Join(s.parts[1:], ",")}
	}
	return s
}

// balanced reports whether each parenthesis in s is closed, and after it was opened.
func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s) && depth >= 0; i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return depth == 0
}

// splitList splits at commas outside parentheses.
func splitList(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

// strip takes the package and "Codec" off a lower-case class name, and the constant
// off StringCodec.INSTANCE. The V2 of SnappyCodecV2 stays.
func strip(name string) string {
	name = strings.TrimSuffix(strings.TrimSpace(name), ".instance")
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	if before, version, ok := strings.Cut(name, "codec"); ok && before != "" && (version == "" || version == "v2") {
		return before + version
	}
	return name
}

// Canonical returns the canonical spelling of a codec name: lower case, without
// package and "Codec", wrappers as lz4(kryo5), lists as anyof(kryo5,marshalling), of
// a CompositeCodec its third codec. It does not say whether there is such a codec.
func Canonical(name string) string { return canonical(name, 0) }

func canonical(name string, depth int) string {
	s := take(name)
	switch {
	case s.mapper != "":
		return s.outer + "+" + s.mapper
	case !s.open || depth > maxNested:
		return s.outer
	case s.outer == composite && len(s.parts) == 3:
		return canonical(s.parts[2], depth+1)
	case len(s.parts) == 0:
		return s.outer
	}
	parts := make([]string, len(s.parts))
	for i, part := range s.parts {
		parts[i] = canonical(part, depth+1)
	}
	return s.outer + "(" + strings.Join(parts, ",") + ")"
}

const (
	anyOf     = "anyof"
	textIn    = "text"
	composite = "composite"
)

// maxNested bounds how many wrappers stand around each other.
const maxNested = 8
