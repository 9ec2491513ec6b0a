// Package sniff guesses which codec wrote a payload, for diagnostics only: a
// better error message, the command line, a readiness reason.
//
// No format but a few names itself, so a guess is never a reason to decode with
// another codec than the configured one. Payloads that hold a bare number or a
// short text fit several codecs at once.
package sniff

import (
	"cmp"
	"slices"
)

// Confidence says how much a guess is worth.
type Confidence int

// The confidences, from worst to best.
const (
	Weak    Confidence = iota + 1 // possible, as many others are
	Fair                          // the bytes fit, but so might another format
	Strong                        // a class name or a length in the right place
	Certain                       // a magic number that no other codec writes
)

// String returns "weak", "fair", "strong" or "certain".
func (c Confidence) String() string {
	switch c {
	case Weak:
		return "weak"
	case Fair:
		return "fair"
	case Strong:
		return "strong"
	case Certain:
		return "certain"
	}
	return "none"
}

// Candidate is one codec that may have written a payload.
type Candidate struct {
	Codec      string     // canonical name, for example "kryo5" or "lz4(kryo5)"
	Confidence Confidence // of a compressing codec: in it, not in what it holds, see Why
	Why        string     // what in the bytes says so
}

// most bounds how much of a payload is looked at.
const most = 1 << 20

// detector adds its candidates for payload p.
type detector func(p []byte, found *[]Candidate)

// detectors look at the bytes as they are; compressed looks inside with them. The
// order is that of equal confidence.
var detectors = []detector{
	magics, jsonText, ionText, kryo, cborTree, msgpackTree, river, fstTags, fory, trees, text,
}

// Guess returns the codecs that may have written payload, the likeliest first
// and each codec once; none where nothing fits. Only the first MiB is looked
// at; longer payloads are never judged by their end. What a compressing codec wrote is
// expanded, up to a MiB, and judged by what is inside. Guess does not keep payload.
//
// Payloads of avrojackson and protobuf hold nothing that tells: they are never
// named.
func Guess(payload []byte) []Candidate { return guess(payload, 0) }

// guess is Guess for what stands in so many wrappers.
func guess(p []byte, depth int) []Candidate {
	if len(p) == 0 {
		return []Candidate{
			{"string", Weak, "no bytes: the empty string"},
			{"bytearray", Weak, "no bytes: the empty array"},
		}
	}
	var found []Candidate
	if depth <= mostWrapped {
		compressed(p, depth, &found)
	}
	for _, d := range detectors {
		d(p, &found)
	}
	return ranked(found)
}

// ranked sorts by confidence, keeping the order among equals, and leaves each
// codec once.
func ranked(found []Candidate) []Candidate {
	slices.SortStableFunc(found, func(a, b Candidate) int { return cmp.Compare(b.Confidence, a.Confidence) })
	seen := map[string]bool{}
	return slices.DeleteFunc(found, func(c Candidate) bool {
		again := seen[c.Codec]
		seen[c.Codec] = true
		return again
	})
}

func add(found *[]Candidate, codec string, c Confidence, why string) {
	*found = append(*found, Candidate{Codec: codec, Confidence: c, Why: why})
}
