package codecs

import (
	"fmt"
	"math"
)

// Default limits. A message of a delayed queue is far below each of them.
const (
	DefaultMaxBytes       = 16 << 20
	DefaultMaxElements    = 1 << 20
	DefaultMaxDepth       = 512
	DefaultMaxStringBytes = 8 << 20
)

// Limits bound what a decoder accepts, so that hostile bytes cannot hang it,
// exhaust memory or overflow the stack. In each field zero means the default
// and a negative number means no limit, except for Depth, which always has one.
type Limits struct {
	// Bytes bounds the payload. Defaults to [DefaultMaxBytes].
	Bytes int
	// Elements bounds the values of one payload in total: list elements, map
	// entries, fields. [DefaultMaxElements], which is the default, also bounds what may
	// come of a byte: a payload holds 65,536 values, or 16 for each of its bytes where
	// that is more. Java needs a byte for a value, and eight booleans at most share one.
	// Any other number holds for payloads of every length.
	Elements int
	// Depth bounds nesting; at most 10,000. Defaults to [DefaultMaxDepth].
	Depth int
	// StringBytes bounds one string as UTF-8. Defaults to [DefaultMaxStringBytes].
	StringBytes int
}

const hardMaxDepth = 10_000

// WithDefaults returns l with zero fields set to their defaults, negative ones
// to the largest int and Depth held to its hard bound.
func (l Limits) WithDefaults() Limits {
	pick := func(v, def int) int {
		switch {
		case v == 0:
			return def
		case v < 0:
			return math.MaxInt
		}
		return v
	}
	return Limits{
		Bytes:       pick(l.Bytes, DefaultMaxBytes),
		Elements:    pick(l.Elements, DefaultMaxElements),
		Depth:       min(pick(l.Depth, DefaultMaxDepth), hardMaxDepth),
		StringBytes: pick(l.StringBytes, DefaultMaxStringBytes),
	}
}

// What may come of a payload by default.
const (
	leastElements   = 64 << 10
	elementsPerByte = 16
)

// Of returns the limits, after [Limits.WithDefaults], for a payload of n bytes: Elements is the
// number that holds for it.
func (l Limits) Of(n int) Limits {
	if l.Elements == DefaultMaxElements && n < DefaultMaxElements/elementsPerByte {
		l.Elements = max(leastElements, elementsPerByte*n)
	}
	return l
}

// Check reports a Depth that is negative or above 10,000, which codecs that nest
// refuse as an option.
func (l Limits) Check() error {
	if l.Depth < 0 || l.Depth > hardMaxDepth {
		return fmt.Errorf("Depth must be between 1 and %d", hardMaxDepth) //nolint:staticcheck // begins with the name of the field
	}
	return nil
}

// Weight returns about the most memory, in bytes, that c takes to decode payload into the
// values of package codecs/java; Go types take less, unless one element is larger than an
// object of Java's. Not counted are 3 MiB for values that take no bytes, such as a list of
// nulls that only tells how many. It reads a few bytes of the payload and decodes nothing.
func Weight(c Codec, payload []byte) int64 {
	if w, ok := c.(interface{ Weight(payload []byte) int64 }); ok {
		return w.Weight(payload)
	}
	return WeightOf(c, len(payload), c.Limits().Of(len(payload)).Elements)
}

// weightPerElement is what a value of one byte takes at most: an empty map, list or object of
// package java with its place in another one, and its tokens in the formats of Jackson.
const weightPerElement = 320

// WeightOf is [Weight] for n bytes of c that hold no more than a number of elements.
func WeightOf(c Codec, n, elements int) int64 {
	if _, plain := c.(*plain); plain {
		elements = 1
	}
	return int64(n) + weightPerElement*int64(min(n, elements))
}
