package sniff

import (
	"fmt"
	"slices"
	"strings"
)

// Like reports whether the bytes look like those of a codec, by its canonical name, more than
// like those of any other.
func Like(payload []byte, codec string) bool {
	guesses := Guess(payload)
	return slices.ContainsFunc(guesses, func(c Candidate) bool {
		return c.Confidence == guesses[0].Confidence && declares(codec, c.Codec)
	})
}

// Explain says for people which codec the bytes may be of, beside the one that the queue is
// declared with, by its canonical name. It is what framework.ExplainPayloads takes.
func Explain(payload []byte, declared string) string {
	guesses := Guess(payload)
	if len(guesses) == 0 {
		return "nothing that is known, queue is declared " + declared
	}
	best := guesses[0]
	for _, g := range guesses {
		if g.Codec == "json" && g.Confidence >= best.Confidence { // far more common than TypedJsonJacksonCodec, which comes first
			best = g
		}
		// Where the declared codec may well have written them, what is wrong is the value.
		if g.Confidence >= Fair && declares(declared, g.Codec) {
			said := fmt.Sprintf("%s (%s), as queue is declared: the value is none of its type", g.Codec, g.Why)
			if describesClasses(g.Codec) {
				said += "; duequeue javadesc -check compares the Go type with the Java class"
			}
			return said
		}
	}
	return fmt.Sprintf("%s (%s: %s), queue is declared %s", best.Codec, best.Confidence, best.Why, declared)
}

// describesClasses reports whether the payloads of a codec are those of Java classes, which
// the Go type has to fit.
func describesClasses(codec string) bool {
	if _, inside, wrapped := strings.Cut(strings.TrimSuffix(codec, ")"), "("); wrapped {
		return describesClasses(inside)
	}
	switch codec {
	case "json", "string", "bytearray", "long", "double", "protobuf", "avrojackson":
		return false
	}
	return true
}

// declares reports whether a declared codec, or one of a declared list, is the one
// guessed. LZ4CodecV2 writes the bytes of LZ4Codec.
func declares(declared, guessed string) bool {
	if list, ok := strings.CutPrefix(strings.TrimSuffix(declared, ")"), "anyof("); ok {
		depth, start := 0, 0
		for i := range len(list) + 1 {
			switch {
			case i == len(list) || list[i] == ',' && depth == 0:
				if declares(list[start:i], guessed) {
					return true
				}
				start = i + 1
			case list[i] == '(':
				depth++
			case list[i] == ')':
				depth--
			}
		}
		return false
	}
	wrapper, inner, wrapped := strings.Cut(declared, "(")
	other, inside, both := strings.Cut(guessed, "(")
	if !wrapped || !both {
		return declared == guessed
	}
	if wrapper == "lz4v2" || other == "lz4v2" {
		wrapper, other = strings.TrimSuffix(wrapper, "v2"), strings.TrimSuffix(other, "v2")
	}
	return wrapper == other && declares(strings.TrimSuffix(inner, ")"), strings.TrimSuffix(inside, ")"))
}
